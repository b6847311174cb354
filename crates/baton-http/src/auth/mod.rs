//! Who is asking, and whether they may: the only place of the surface where a principal is made.
//!
//! `gate.rs` stands before every route and puts a [`Caller`] into each request; operations ask the caller whether it
//! may. Whoever is turned away is written into the audit log.

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
