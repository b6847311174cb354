//! Grafana dashboards over the spans of agents: what they show, and their JSON.
//!
//! This crate must never ask a store or write a file, and never spell the name of an attribute: names come from
//! [`baton_telemetry::names`], so that a panel asks for what emitters say.
//!
//! Read first: [`Dashboard`] and [`Panel`] (a definition), [`all`] (every dashboard there is), [`grafana`] (the JSON).

mod dashboards;
mod definition;
mod grafana;
mod price;
mod query;

pub use dashboards::all;
pub use definition::{Asks, Dashboard, Panel, Shape, Unit};
pub use grafana::{SCHEMA_VERSION, grafana};
pub use price::Price;
pub use query::{AGENT_VARIABLE, ANY_AGENT, ANY_PROJECT, PROJECT_VARIABLE};
