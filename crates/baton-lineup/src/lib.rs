//! Which model answers for an agent, through which provider, with which key.
//!
//! This crate must never fall back to the playbook where a model was asked for, never read the process's environment or
//! a file by itself, and never show the value of a setting: whoever asks is told its name and where it was written.
//!
//! Read first: [`ProviderSettings`] (what is known about a provider, from the agent, `baton.yaml` and the environment),
//! [`Found`] (what answers when nobody was asked for), [`Lineup`] (the `Models` port over all of it).

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
