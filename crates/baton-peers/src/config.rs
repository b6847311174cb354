//! A peer as its operator describes it.

use crate::{BindingChoice, Credential, Patience};
use baton_types::AgentName;
use std::{path::PathBuf, time::Duration};

/// Everything that is known about a peer before anything is asked of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerConfig {
    /// What it is called here; its card's name when not given.
    pub name: Option<AgentName>,
    /// Where its card is, or below what address.
    pub url: String,
    /// The binding to speak; the best that both know when not given.
    pub binding: Option<BindingChoice>,
    /// What is shown to it.
    pub credential: Credential,
    /// The certificate that is shown to it, for mutual TLS.
    pub client_identity: Option<ClientIdentity>,
    /// Hosts besides that of `url` at which it is served, and to which its credential may go.
    pub hosts: Vec<String>,
    /// Private addresses and names that may be called for it, as in `push.allow`.
    pub allow: Vec<String>,
    /// Whose signatures count: key ids (RFC 7638 thumbprints), or addresses of JWK sets.
    pub signers: Vec<String>,
    /// Whether a card that nobody of them signed is refused.
    pub require_signature: bool,
    /// Whether the catalog of this Baton names it.
    pub listed: bool,
    /// Whether it is asked to notify us.
    pub push: bool,
    /// How long each phase of a request may take.
    pub timeouts: Timeouts,
    /// How long to stay with a task from which nothing is heard.
    pub patience: Duration,
}

impl PeerConfig {
    /// A peer at an address, and nothing else said about it.
    pub fn at(url: impl Into<String>) -> Self {
        Self {
            name: None,
            url: url.into(),
            binding: None,
            credential: Credential::None,
            client_identity: None,
            hosts: Vec::new(),
            allow: Vec::new(),
            signers: Vec::new(),
            require_signature: false,
            listed: false,
            push: false,
            timeouts: Timeouts::default(),
            patience: Patience::default().silence,
        }
    }
}

/// PEM files with which we show who we are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientIdentity {
    /// The certificate, and those between it and its authority.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
}

/// How long each phase of a request may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// To get a connection.
    pub connect: Duration,
    /// To get the head of the answer; the whole of it, when it is no stream.
    pub answer: Duration,
    /// Between two signs of life of a stream.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(5), answer: Duration::from_secs(60), idle: Duration::from_secs(60) }
    }
}
