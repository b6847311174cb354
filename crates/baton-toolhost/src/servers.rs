//! The MCP servers of agents: connections, statuses and protocol calls.

mod calls;
mod catalog;
mod clean;
mod connection;
mod definition;
mod entry;
mod handler;
mod handshake;
mod held_calls;
mod host;
mod in_flight_call;
mod in_flight_requests;
mod lease;
mod lists;
mod names;
mod options;
mod plain_tools;
mod redact;
mod renamed_requests;
mod reply;
mod sanitize;
mod spans;
mod subscriptions;
mod supervisor;

pub(crate) use clean::clean;
pub(crate) use handler::host_capabilities;
pub use host::McpServers;
pub use options::{CALL_META, CallObserver, CallOptions, DEPTH_META, HostSettings, TASK_META};
pub use reply::{OfferedPrompt, OfferedTool, ServerError, ServerEvent, ServerItem, ServerReply};
