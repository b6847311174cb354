//! Model registry: resolves the model, the provider and the key of an agent.
//!
//! This crate must never fall back to the playbook where a model was configured, never read the environment of the
//! process or a file except through [`EnvironmentVariables`], and never show the value of a setting: errors and reports
//! contain only its name and its source.
//!
//! Read first: [`ProviderSettings`] (settings of a provider, from the agent, `baton.yaml` and the environment),
//! [`DetectedServers`] (local model servers for agents without a configured model), [`ModelRegistry`] (the
//! implementation of the `ModelResolver` port).

mod candidate_cache;
mod choice;
mod detect;
mod environment;
mod error;
mod keys;
mod live_check;
mod probe;
mod profile;
mod provider;
mod registry;
mod resolve;
mod settings;

pub use choice::{ModelChoice, ModelChoiceReason};
pub use detect::{DetectedServers, ModelCandidate, candidates, detect_servers};
pub use environment::{EnvironmentVariables, no_environment, process_environment};
pub use error::ModelRegistryError;
pub use probe::{LocalServer, LocalServerProbe, LoopbackProbe, PROBE_TIMEOUT, ServedModel};
pub use registry::{ModelRegistry, ModelRegistryParts, ModelSelection};
pub use resolve::{ProviderSettings, SettingValue, resolve_provider};
pub use settings::ModelSettings;
