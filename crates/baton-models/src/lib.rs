//! Models behind one trait: the playbook, deterministic rules in a file, and the layers around models of others: another
//! try, a gate, a chain, time limits, calls written as text, cassettes, prices and counts of tokens.
//!
//! This crate must never run a tool, write a fact or remember a conversation: a model sees the messages of one call
//! and answers, so that every replica answers the same. What it remembers between calls are limits of a provider and how a
//! model counts, which change no answer. It reads and writes no file but cassettes; the rules' text comes with the agent.
//!
//! Read first: [`PlaybookModels`] (finds the playbook of an agent), [`Layers`] (what is put around a model, in which order
//! and why), [`Catalog`] (windows and prices).

mod cassette;
mod catalog;
mod layers;
mod playbook;
mod rescue;
mod schema;
mod tokens;

pub use cassette::{CassetteError, Recorder, Replay, Tape, call_key};
pub use catalog::{Catalog, Correction, Rates, UNKNOWN_WINDOW};
pub use layers::{
    Chance, Fallback, Gate, GateLimits, Gated, Layers, Metered, Retry, RetryPolicy, Timeout, Timeouts, Total, chain,
};
pub use playbook::{Miss, Playbook, PlaybookModels, PlaybookReport, RuleReport, check};
pub use rescue::Rescue;
pub use schema::sample;
pub use tokens::estimate;
