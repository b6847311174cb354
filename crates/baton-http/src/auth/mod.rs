//! Authentication and authorization: the only place in the HTTP server that creates principals.
//!
//! `gate.rs` is in front of every route and inserts a [`Caller`] into each request; operations check access with the
//! caller. Denials are written to the audit log.

mod bearer;
mod caller;
mod came;
mod form;
mod gate;
mod introduce;
mod limits;
mod network;
mod open;
mod options;
mod refused;

pub(crate) use bearer::has_owner_token;
pub(crate) use caller::{Caller, LimitKey};
pub(crate) use came::RequestOrigin;
pub(crate) use form::{error_response_for, openai_error_response};
pub(crate) use gate::{AdminNote, GateLayer};
pub(crate) use introduce::guard_card;
pub(crate) use limits::PrincipalRateLimiter;
pub use options::AccessOptions;
pub(crate) use refused::RESOURCE_METADATA_PATH;
