//! Composition root: the only module that knows engine, journal, models and this machine.

mod access;
mod agents;
mod baton;
mod elsewhere;
mod entries;
mod export;
mod kept;
mod keys;
mod login;
mod mcp;
mod models;
mod providers;
mod repair;
mod server;
mod shelf;
mod telemetry;
mod tempo;
mod tools;
mod warm;

pub(crate) use agents::{Loaded, Wanted, load};
pub(crate) use baton::{Baton, Needs, Strictness, fresh_id, now};
pub(crate) use baton_journal::is_owned;
pub(crate) use baton_local::write_private;
pub(crate) use baton_toolhost::reap_groups;
pub(crate) use elsewhere::{discover, elsewhere, is_address, known};
pub(crate) use kept::Keep;
pub(crate) use login::login;
pub(crate) use providers::{Asks, ModelReport, ProviderReport, Readiness, Report, report};
pub(crate) use repair::{RepairStep, damaged_span_files, repair};
pub(crate) use server::{PortChoice, Server};
