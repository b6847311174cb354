//! Models behind one trait: the playbook (deterministic rules in a file) and layers around provider models: retry,
//! concurrency and rate limits, fallback chain, timeouts, recovery of tool calls written as text, cassettes, prices and
//! token counts.
//!
//! This crate must never run a tool, write a journal event or remember a conversation: a model reads the messages of
//! one call and answers, so every replica gives the same answer. The only state kept between calls is the limits of a
//! provider and the token correction of a model; neither changes an answer. The only files read or written are
//! cassettes; the text of the rules comes with the agent.
//!
//! Read first: [`PlaybookModels`] (resolves the playbook of an agent), [`ModelLayers`] (the layers around a model,
//! their order and the reasons), [`ModelCatalog`] (context windows and prices).

mod cassette;
mod catalog;
mod layers;
mod playbook;
mod rescue;
mod schema;
mod tokens;

pub use cassette::{Cassette, CassetteError, RecorderModel, ReplayModel, call_key};
pub use catalog::{ModelCatalog, TokenCorrection, TokenRates, UNKNOWN_WINDOW};
pub use layers::{
    DeadlineModel, FallbackModel, GateLimits, GatedModel, JitterSource, MeteredModel, ModelLayers, ProviderGate,
    RetryCondition, RetryModel, RetryPolicy, StreamTimeouts, TimeoutModel, chain,
};
pub use playbook::{Playbook, PlaybookMiss, PlaybookModels, PlaybookReport, RuleReport, check_playbook};
pub use rescue::RescueModel;
pub use schema::sample_value;
pub use tokens::estimate_tokens;
