//! The orchestrating client against scripted agents and their Environments.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod fake;
mod handing_over;
mod limits;
mod questions;
mod tools;
