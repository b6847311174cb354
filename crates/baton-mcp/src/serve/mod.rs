//! Parts common to all endpoints: the service around a handler, sessions, callers, sealed state.

mod caller;
mod common;
mod direct;
mod kept;
mod late;
mod methods;
mod seal;
mod service;
mod session_calls;
mod session_handler;
mod sessions;
mod streaming;

pub use caller::Caller;
pub use common::{Common, Limits};
pub use seal::{Seal, SealError, Sealed};
pub use service::{McpReply, McpService};
pub use sessions::{SessionHolder, Sessions};
pub(crate) use streaming::on_stream;
