//! Models of providers behind the model port: OpenAI, Anthropic, Gemini, Bedrock, Ollama, and servers compatible with
//! OpenAI's. Never reads a setting from the environment (but for the proxy) or from a file, never asks twice, never shows
//! a secret: who configures a provider resolves its settings first, and retries, fallbacks and prices are layers around
//! what is here.
//!
//! Read first: [`Provider`] (settings, ready to be asked), [`ProviderKind`] (protocols), `request` (what is sent),
//! `answer` (what is heard) and `relay` (how it is signed).

mod address;
mod answer;
mod client;
mod embed;
mod exchange;
mod failure;
mod kind;
mod list;
mod model;
mod names;
mod provider;
mod quiet;
mod redact;
mod relay;
mod replay;
mod request;
mod schema;
mod secret;
mod sign;

pub use kind::ProviderKind;
pub use model::ProviderModel;
pub use provider::{ListedModel, Patience, Provider};
pub use secret::Secret;
pub use sign::KeyPair;
