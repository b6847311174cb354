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

pub(crate) use agents::{AgentSelection, LoadedAgents, load};
pub(crate) use baton::{AgentRequirement, Baton, Strictness, fresh_id, now};
pub(crate) use baton_journal::is_owned;
pub(crate) use baton_local::write_private;
pub(crate) use baton_toolhost::reap_groups;
pub(crate) use elsewhere::{discover, is_address, load_known_agents, remote_orchestrator};
pub(crate) use kept::Persistence;
pub(crate) use login::login;
pub(crate) use providers::{ModelReport, ModelsReport, ProviderQuery, ProviderReport, Readiness, report};
pub(crate) use repair::{RepairStep, damaged_span_files, repair};
pub(crate) use server::{PortChoice, RunningServer};
