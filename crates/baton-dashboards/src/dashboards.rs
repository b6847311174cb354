//! All dashboards, one file each: a new one is a file and a line in [`ALL`].

mod agent_activity;
mod handoffs;
mod latency_and_errors;
mod runs_and_tools;
mod tokens_and_cost;

use crate::{Dashboard, Price};

const ALL: &[fn(&[Price]) -> Dashboard] = &[
    agent_activity::dashboard,
    runs_and_tools::dashboard,
    handoffs::dashboard,
    latency_and_errors::dashboard,
    tokens_and_cost::dashboard,
];

/// All dashboards; costs are shown for models with a price.
pub fn all(prices: &[Price]) -> Vec<Dashboard> {
    ALL.iter().map(|dashboard| dashboard(prices)).collect()
}
