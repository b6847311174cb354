//! Composition root: the only module that knows engine, journal, models and this machine.

mod access;
mod agents;
mod baton;
mod entries;
mod export;
mod keys;
mod login;
mod mcp;
mod models;
mod persistence;
mod providers;
mod remote_agents;
mod repair;
mod server;
mod telemetry;
mod tempo;
mod tools;
mod warm;

pub(crate) use agents::{AgentSelection, LoadedAgents, load};
pub(crate) use baton::{AgentRequirement, Baton, Strictness, fresh_id, now};
pub(crate) use baton_journal::is_owned;
pub(crate) use baton_system::write_private;
pub(crate) use baton_toolhost::reap_groups;
pub(crate) use login::login;
pub(crate) use persistence::Persistence;
pub(crate) use providers::{ModelReport, ModelsReport, ProviderQuery, ProviderReport, Readiness, report};
pub(crate) use remote_agents::{discover, is_address, load_known_agents, remote_orchestrator};
pub(crate) use repair::{RepairStep, damaged_span_files, repair};
pub(crate) use server::{PortChoice, RunningServer};
