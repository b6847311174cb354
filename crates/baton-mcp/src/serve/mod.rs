//! What every endpoint is made of: the service around a handler, sessions, callers, sealed state.

mod caller;
mod common;
mod direct;
mod kept;
mod late;
mod seal;
mod service;
mod sessions;

pub use caller::Caller;
pub use common::{Common, Limits};
pub use seal::{Seal, SealError, Sealed};
pub use service::{McpReply, McpService};
pub use sessions::Sessions;
