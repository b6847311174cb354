//! Authentication and authorization: the only place in the HTTP server that creates principals.
//!
//! `gate.rs` is in front of every route and inserts a [`Caller`] into each request; operations check access with the
//! caller. Denials are written to the audit log.

mod bearer;
mod caller;
mod card_access;
mod gate;
mod limits;
mod network;
mod options;
mod public_paths;
mod rejection;
mod request_origin;

pub use bearer::has_owner_token;
pub use caller::{Caller, LimitKey};
pub(crate) use card_access::guard_card;
pub use gate::AdminNote;
pub(crate) use gate::GateLayer;
pub use limits::PrincipalRateLimiter;
pub use options::AccessOptions;
pub use rejection::RESOURCE_METADATA_PATH;
pub use request_origin::RequestOrigin;
