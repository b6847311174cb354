//! Peer client without remote agents.

use baton_ports::{BoxFuture, PeerError, PeerGateway, PeerRequest, PeerStream};
use baton_types::{AgentName, ErrorCode};
use std::future::ready;

/// A [`PeerGateway`] implementation without any remote agent.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoPeers;

impl PeerGateway for NoPeers {
    fn send_message<'a>(&'a self, peer: &'a AgentName, _: PeerRequest) -> BoxFuture<'a, Result<PeerStream, PeerError>> {
        Box::pin(ready(Err(unknown(peer))))
    }

    fn resume<'a>(
        &'a self,
        peer: &'a AgentName,
        _: PeerRequest,
        _: Option<String>,
    ) -> BoxFuture<'a, Result<PeerStream, PeerError>> {
        Box::pin(ready(Err(unknown(peer))))
    }

    fn find_task<'a>(
        &'a self,
        peer: &'a AgentName,
        _: PeerRequest,
    ) -> BoxFuture<'a, Result<Option<String>, PeerError>> {
        Box::pin(ready(Err(unknown(peer))))
    }

    fn cancel<'a>(&'a self, peer: &'a AgentName, _: &'a str) -> BoxFuture<'a, Result<(), PeerError>> {
        Box::pin(ready(Err(unknown(peer))))
    }

    fn handle_notification<'a>(&'a self, _: &'a str, _: Option<&'a str>) -> BoxFuture<'a, bool> {
        Box::pin(ready(false))
    }
}

fn unknown(peer: &AgentName) -> PeerError {
    PeerError::Unreachable { code: ErrorCode::AGENT_NOT_FOUND, detail: format!("there is no remote agent '{peer}'") }
}
