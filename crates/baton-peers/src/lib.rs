//! Client for remote A2A agents (peers): discovery by agent card, choice of binding and dialect, and task streams that
//! survive lost connections without gaps or duplicates.
//!
//! This crate must never send a message twice unless the peer supports idempotency, never send a credential to an
//! origin that the operator did not configure for it, and never connect to an address that the policy did not check.
//!
//! Read first: [`Binding`] (the operations of a peer, one request each), [`Seen`] (deduplication of received events),
//! [`PeerClient`] (sends a message and follows its task), [`Book`] (the registry of peers), [`PeerHub`] (the port used
//! by the engine).

mod ask;
mod authorize;
mod binding;
mod bindings;
mod book;
mod cancel;
mod choose;
mod client;
mod config;
mod credentials;
mod discover;
mod environment;
mod error;
mod follow;
mod hub;
mod network;
mod owned;
mod push;
mod resume;
mod retry;
mod settle;
mod traced;

pub use authorize::{Anonymous, Authorize};
pub use binding::{Binding, Heard, Hearing, With};
pub use bindings::connect;
pub use book::{Book, BookOptions, Bound, CardRead, Door, Reach, ReadCard};
pub use choose::{BindingChoice, Chosen, Dialect, NothingToChoose, choose};
pub use client::{Abilities, Patience, PeerClient};
pub use config::{ClientIdentity, PeerConfig, Timeouts};
pub use credentials::{
    Authorizer, ClientCredentials, Credential, KeyPlace, Secret, SecretError, SecretPlace, SecretRef, TokenEndpoint,
};
pub use discover::{DiscoverError, Discovered, Looking, discover, refresh};
pub use environment::environment_url;
pub use error::CallError;
pub use follow::{Followed, Seen};
pub use hub::PeerHub;
pub use network::{Network, TypedHosts};
pub use settle::Settled;
