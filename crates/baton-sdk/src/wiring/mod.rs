//! The only module that depends on engine, journal, models and this machine: it wires them together.

mod agent_repository;
mod agents;
mod components;
mod listen;
mod mcp;
mod seal;
mod store;
mod telemetry;
mod tools;

pub(crate) use components::{ServerComponents, start};
