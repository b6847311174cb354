//! Authentication and authorization: the only place in the HTTP server that creates principals.
//!
//! `gate.rs` is in front of every route and inserts a [`Caller`] into each request; operations check access with the
//! caller. Denials are written to the audit log.

mod bearer;
mod caller;
mod card_access;
mod error_format;
mod gate;
mod limits;
mod network;
mod options;
mod public_paths;
mod rejection;
mod request_origin;

pub(crate) use bearer::has_owner_token;
pub(crate) use caller::{Caller, LimitKey};
pub(crate) use card_access::guard_card;
pub(crate) use error_format::{error_response_for, openai_error_response};
pub(crate) use gate::{AdminNote, GateLayer};
pub(crate) use limits::PrincipalRateLimiter;
pub use options::AccessOptions;
pub(crate) use rejection::RESOURCE_METADATA_PATH;
pub(crate) use request_origin::RequestOrigin;
