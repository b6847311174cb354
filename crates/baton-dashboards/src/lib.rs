//! Grafana dashboards over the spans of agents: definitions and JSON.
//!
//! This crate must never query a store or write a file, and never spell out attribute names: names come from
//! [`baton_telemetry::names`], so that panels query the names that are emitted.
//!
//! Read first: [`Dashboard`] and [`Panel`] (a definition), [`all`] (all dashboards), [`grafana`] (the JSON).

mod dashboards;
mod definition;
mod grafana;
mod price;
mod query;

pub use dashboards::all;
pub use definition::{Dashboard, Panel, PanelQueryType, PanelShape, Unit};
pub use grafana::{SCHEMA_VERSION, grafana};
pub use price::Price;
pub use query::{AGENT_VARIABLE, ANY_AGENT, ANY_PROJECT, PROJECT_VARIABLE};
