//! The MCP servers of agents: connections, statuses and protocol calls.

mod calls;
mod catalog;
mod clean;
mod connection;
mod definition;
mod entry;
mod flights;
mod handler;
mod held;
mod hidden;
mod host;
mod keeper;
mod lease;
mod lists;
mod names;
mod opening;
mod options;
mod reply;
mod running;
mod spans;
mod subscriptions;
mod vet;

pub(crate) use clean::clean;
pub(crate) use handler::host_capabilities;
pub use host::McpServers;
pub use options::{CALL_META, CallObserver, CallOptions, DEPTH_META, HostSettings, TASK_META};
pub use reply::{OfferedPrompt, OfferedTool, ServerError, ServerEvent, ServerItem, ServerReply};
