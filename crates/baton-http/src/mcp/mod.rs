//! MCP endpoints: who may use which, and the way to the service that answers.
//!
//! What an endpoint does is `baton-mcp`'s; here requests get their caller, their bounds and their scopes. Hosts and
//! origins were checked before any route.

mod environment;
mod pass;
mod ports;

pub(crate) use environment::{named, sole};
pub use ports::McpPorts;
