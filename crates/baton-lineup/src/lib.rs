//! Model registry: resolves the model, the provider and the key of an agent.
//!
//! This crate must never fall back to the playbook where a model was configured, never read the environment of the
//! process or a file except through [`EnvironmentVariables`], and never show the value of a setting: errors and reports contain
//! only its name and its source.
//!
//! Read first: [`ProviderSettings`] (settings of a provider, from the agent, `baton.yaml` and the environment),
//! [`DetectedServers`] (local model servers for agents without a configured model), [`ModelRegistry`] (the implementation of the
//! `ModelResolver` port).

mod choice;
mod detect;
mod error;
mod keys;
mod lineup;
mod live;
mod place;
mod probe;
mod profile;
mod reach;
mod resolve;
mod settings;

pub use choice::{Choice, Reason};
pub use detect::{Candidate, Found, candidates, detect};
pub use error::LineupError;
pub use lineup::{Lineup, Parts, Standing};
pub use place::{Environment, no_environment, process_environment};
pub use probe::{Loopback, PROBE_LIMIT, Probe, ServedModel, Server};
pub use resolve::{Asked, ProviderSettings, resolve};
pub use settings::ModelSettings;
