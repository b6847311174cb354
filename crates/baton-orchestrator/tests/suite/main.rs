//! The orchestrating client against scripted agents and their Environments.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod handoffs;
mod limits;
mod questions;
mod scripted_agents;
mod tools;
