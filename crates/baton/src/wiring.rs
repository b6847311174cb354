//! The only module that knows engine, journal, models and this machine: it puts them together.

mod agents;
mod baton;
mod server;

pub(crate) use agents::load;
pub(crate) use baton::{Baton, Strictness, fresh_id};
pub(crate) use baton_journal::is_owned;
pub(crate) use server::{PortChoice, Server};
