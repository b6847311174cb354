//! Provider models behind the model port: OpenAI, Anthropic, Gemini, Bedrock, Ollama and OpenAI-compatible servers.
//!
//! This crate must never read a setting from the environment (except the proxy) or from a file, never retry a request
//! and never show a secret: settings are resolved before a provider is configured, and retries, fallbacks and prices
//! are layers around this crate.
//!
//! Read first: [`Provider`] (settings, ready for requests), `protocol` (one file per protocol, behind the trait
//! `ProviderProtocol`), `request` (outgoing requests), `answer` (incoming answers) and `library` (their exchange).

mod address;
mod answer;
mod client;
mod embed;
mod exchange;
mod failure;
mod library;
mod list;
mod log_suppressor;
mod model;
mod names;
mod protocol;
mod provider;
mod redact;
mod replay;
mod request;
mod schema;
mod secret;
mod sign;

pub use model::ProviderModel;
pub use provider::{ListedModel, Provider, ProviderTimeouts};
pub use secret::Secret;
pub use sign::KeyPair;
