//! Ports whose data every operation of the API can show.

use baton_ports::{
    BoxFuture, ExportMonitor, ExportReport, ExportState, NewPeer, PeerRecord, PeerRegistry, PeerRegistryError,
};
use baton_types::{AgentName, ErrorCode, ModelSpec};
use std::{future::ready, sync::Arc};

/// Adds every peer, and knows none.
pub(super) struct StubPeerRegistry;

impl PeerRegistry for StubPeerRegistry {
    fn add(&self, peer: NewPeer) -> BoxFuture<'_, Result<PeerRecord, PeerRegistryError>> {
        let mut agent = crate::world::agent("abroad");
        agent.model = ModelSpec::Peer { url: peer.url.clone(), listed: peer.listed };
        Box::pin(ready(Ok(PeerRecord {
            agent: Arc::new(agent),
            card_url: format!("{}/.well-known/agent-card.json", peer.url),
            protocol: "JSONRPC 1.0".to_owned(),
            endpoint: peer.url,
            security: vec!["bearer".to_owned()],
            signatures: Vec::new(),
            signed_by: None,
            configured: false,
        })))
    }

    fn remove<'a>(&'a self, _: &'a AgentName) -> BoxFuture<'a, Result<(), PeerRegistryError>> {
        Box::pin(ready(Err(PeerRegistryError { code: ErrorCode::AGENT_NOT_FOUND, detail: "nobody".to_owned() })))
    }

    fn peer(&self, _: &AgentName) -> Option<PeerRecord> {
        None
    }

    fn peers(&self) -> Vec<PeerRecord> {
        Vec::new()
    }
}

/// One report for each state.
pub(super) struct StaticExports;

impl ExportMonitor for StaticExports {
    fn reports(&self) -> Vec<ExportReport> {
        let unreachable = ExportState::Unreachable { why: "no answer".to_owned() };
        let blocked = ExportState::Blocked { why: "401".to_owned() };
        let report = |state| ExportReport {
            target: "collector".to_owned(),
            endpoint: "http://127.0.0.1:4318".to_owned(),
            signal: "traces",
            is_default: true,
            state,
            sent: 1,
            failed: 0,
            dropped: 0,
            queued_bytes: 7,
        };
        [ExportState::Idle, ExportState::Healthy, unreachable, blocked].map(report).to_vec()
    }
}
