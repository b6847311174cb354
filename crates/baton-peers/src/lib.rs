//! Client for remote A2A agents (peers): discovery by agent card, choice of binding and dialect, and task streams that
//! survive lost connections without gaps or duplicates.
//!
//! This crate must never send a message twice unless the peer supports idempotency, never send a credential to an
//! origin that the operator did not configure for it, and never connect to an address that the policy did not check.
//!
//! Read first: [`Binding`] (the operations of a peer, one request each), [`TaskTracker`] (deduplication of received
//! events), [`PeerClient`] (sends a message and follows its task), [`LocalPeerRegistry`] (the registry of peers),
//! [`PeerHub`] (the port used by the engine).

mod authorize;
mod binding;
mod bindings;
mod cancel;
mod choose;
mod client;
mod config;
mod credentials;
mod discover;
mod environment;
mod error;
pub mod error_codes;
mod follow;
mod hub;
mod network;
mod owned;
mod push;
mod registry;
mod resume;
mod retry;
mod send;
mod settle;
mod traced;

pub use authorize::{Anonymous, Authorize};
pub use binding::{Binding, BindingEvent, BindingEventStream, RequestMetadata};
pub use bindings::connect;
pub use choose::{A2aDialect, BindingChoice, ChosenInterface, UnsupportedInterfaces, choose_interface};
pub use client::{PeerCapabilities, PeerClient, RetryLimits};
pub use config::{ClientIdentity, PeerConfig, Timeouts};
pub use credentials::{
    ApiKeyLocation, Authorizer, ClientCredentials, ClientSecretLocation, Credential, Secret, SecretError, SecretRef,
    TokenEndpoint,
};
pub use discover::{DiscoverError, DiscoveredCard, DiscoveryOptions, discover, refresh};
pub use environment::environment_url;
pub use error::CallError;
pub use follow::{PeerTaskStream, TaskTracker};
pub use hub::PeerHub;
pub use network::{NetworkConnector, TypedHostConnector};
pub use registry::{
    CardReadOutcome, FetchedCard, LocalPeerRegistry, PeerConnector, PeerInterface, PeerRegistryOptions,
};
pub use settle::SettledTask;
