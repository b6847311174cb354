//! Configuration of a peer.

use crate::{BindingChoice, Credential, RetryLimits};
use baton_types::AgentName;
use std::{path::PathBuf, time::Duration};

/// Configuration of a peer, as given by the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerConfig {
    /// Its name in this Baton; defaults to the name in its card.
    pub name: Option<AgentName>,
    /// URL of its card, or of the agent.
    pub url: String,
    /// The binding to use; defaults to the best one that both sides support.
    pub binding: Option<BindingChoice>,
    /// Credential for requests to it.
    pub credential: Credential,
    /// Client certificate for mutual TLS.
    pub client_identity: Option<ClientIdentity>,
    /// Additional hosts that serve the peer and may receive its credential.
    pub hosts: Vec<String>,
    /// Private addresses and names that may be called for it, as in `push.allow`.
    pub allow: Vec<String>,
    /// Trusted signers of its card: key ids (RFC 7638 thumbprints), or URLs of JWK sets.
    pub signers: Vec<String>,
    /// Whether a card without a trusted signature is refused.
    pub require_signature: bool,
    /// Whether it is listed in the catalog of this Baton.
    pub listed: bool,
    /// Whether push notifications are requested from it.
    pub push: bool,
    /// Timeouts of a request.
    pub timeouts: Timeouts,
    /// How long to follow a task without any sign of life.
    pub patience: Duration,
}

impl PeerConfig {
    /// A peer at a URL, with defaults for all other settings.
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
            patience: RetryLimits::default().silence_timeout,
        }
    }
}

/// PEM files of a client certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientIdentity {
    /// The certificate, followed by intermediate certificates.
    pub certificate: PathBuf,
    /// Private key.
    pub key: PathBuf,
}

/// Timeouts of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Timeout of the connection.
    pub connect: Duration,
    /// Timeout until the head of the reply, or until its end if it is not a stream.
    pub answer: Duration,
    /// Idle timeout of a stream.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(5), answer: Duration::from_secs(60), idle: Duration::from_secs(60) }
    }
}
