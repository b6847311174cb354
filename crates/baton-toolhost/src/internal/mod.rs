//! Internal MCP servers: an agent reads and changes its own rules, references and tools through them, with the protocol
//! of any other server.

mod arguments;
mod call;
mod connect;
mod context;
mod knowledge;
mod listing;
mod search;
mod server;
mod tools;

pub(crate) use connect::is_internal_server;
pub use connect::{InternalConnector, InternalPorts};
