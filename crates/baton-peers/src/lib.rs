//! Agents that live elsewhere: found by their cards, spoken to in the binding and dialect they prefer, followed through
//! broken connections without losing or repeating anything.
//!
//! This crate must never send a message a second time unless the peer promised to take it once, never send a credential
//! to an origin that its owner did not name for it, and never reach an address that the policy did not judge.

mod authorize;
mod binding;
mod error;

pub use authorize::{Anonymous, Authorize};
pub use binding::{Binding, Heard, Hearing, With};
pub use error::CallError;
