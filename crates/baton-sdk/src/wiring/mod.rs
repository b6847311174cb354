//! The only module that depends on engine, journal, models and this machine: it wires them together.

mod agents;
mod kept;
mod listen;
mod mcp;
mod seal;
mod served;
mod store;
mod telemetry;
mod tools;

pub(crate) use served::{ServerComponents, start};
