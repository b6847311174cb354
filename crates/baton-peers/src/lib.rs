//! Agents that live elsewhere: found by their cards, spoken to in the binding and dialect they prefer, followed through
//! broken connections without losing or repeating anything.
//!
//! This crate must never send a message a second time unless the peer promised to take it once, never send a credential
//! to an origin that its owner did not name for it, and never reach an address that the policy did not judge.
//!
//! Read first: [`Binding`] (what can be asked of a peer, one request each), [`Seen`] (what of all that is heard is new),
//! [`PeerClient`] (says something once and stays with it), [`Book`] (which peers there are), [`PeerHub`] (the engine's way
//! to them).

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
