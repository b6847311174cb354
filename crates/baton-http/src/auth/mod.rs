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

pub(crate) use bearer::shows_owner;
pub(crate) use caller::{Caller, LimitKey};
pub(crate) use came::Came;
pub(crate) use form::{openai_refusal, refusal_for};
pub(crate) use gate::{AdminNote, GateLayer};
pub(crate) use introduce::introduce;
pub(crate) use limits::Rates;
pub use options::AccessOptions;
pub(crate) use refused::RESOURCE_METADATA;
