//! Parts common to all endpoints: the service around a handler, sessions, callers, sealed state.

mod caller;
mod common;
mod direct;
mod late_reply;
mod methods;
mod seal;
mod service;
mod session_calls;
mod session_handler;
mod session_store;
mod sessions;
mod streaming;

pub use caller::Caller;
pub use common::{EndpointContext, McpLimits};
pub use seal::{SealBinding, SealError, StateSeal};
pub use service::{McpReply, McpService};
pub use sessions::{McpSessionManager, SessionHolder};
pub(crate) use streaming::ensure_stream;
