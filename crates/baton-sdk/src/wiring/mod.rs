//! The only module that knows engine, journal, models and this machine: it puts them together.

mod agents;
mod kept;
mod listen;
mod mcp;
mod seal;
mod served;
mod store;
mod telemetry;
mod tools;

pub(crate) use served::{Served, start};
