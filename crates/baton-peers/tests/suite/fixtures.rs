//! Shared fixtures: requests, clients and hubs for the scripted peer.

use crate::fake::{Kind, Server, SharedServer};
use baton_peers::{
    CallError, CardReadOutcome, FetchedCard, LocalPeerRegistry, PeerCapabilities, PeerClient, PeerConfig,
    PeerConnector, PeerHub, PeerInterface, PeerRegistryOptions, RetryLimits,
};
use baton_ports::{BoxFuture, PeerRegistryError, PeerRequest};
use baton_types::{Message, Part, Role};
use baton_wire::a2a::v1::{AgentCard, AgentExtension, IDEMPOTENCY};
use std::{future::ready, sync::Arc};

/// Runs the future with paused time, which advances when every task is idle.
pub(crate) fn block_on_paused<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(work)
}

pub(crate) fn peer_request(text: &str) -> PeerRequest {
    PeerRequest {
        message: Message::new("our-words".into(), Role::User, vec![Part::text(text)]),
        context: "context".to_owned(),
        task: None,
        trace: None,
        depth: 1,
    }
}

pub(crate) fn refusal(code: i32, status: u16) -> CallError {
    CallError::Refused { code, status, message: "no".to_owned(), retry_after: None }
}

pub(crate) fn capabilities(kind: Kind) -> PeerCapabilities {
    let current = !matches!(kind, Kind::Old | Kind::Clock);
    PeerCapabilities {
        streaming: kind != Kind::Silent,
        push: false,
        idempotent: false,
        lists_tasks: current,
        snapshots: current,
        streams_text: false,
        reports_tool_calls: false,
    }
}

pub(crate) fn client(server: &Arc<Server>) -> PeerClient {
    client_with(server, capabilities(server.kind))
}

pub(crate) fn client_with(server: &Arc<Server>, capabilities: PeerCapabilities) -> PeerClient {
    PeerClient::new(Arc::new(SharedServer(Arc::clone(server))), capabilities, RetryLimits::default())
}

/// Connector to one scripted peer; its card declares the capabilities.
pub(crate) struct ScriptedConnector {
    pub(crate) server: Arc<Server>,
    pub(crate) capabilities: PeerCapabilities,
    pub(crate) name: String,
}

impl PeerConnector for ScriptedConnector {
    fn read_card<'a>(
        &'a self,
        config: &'a PeerConfig,
        _: Option<&'a FetchedCard>,
    ) -> BoxFuture<'a, Result<CardReadOutcome, PeerRegistryError>> {
        let mut card = AgentCard { name: self.name.clone(), ..AgentCard::default() };
        card.capabilities.streaming = Some(self.capabilities.streaming);
        card.capabilities.push_notifications = Some(self.capabilities.push);
        if self.capabilities.idempotent {
            let extension = AgentExtension { uri: IDEMPOTENCY.to_owned(), ..AgentExtension::default() };
            card.capabilities.extensions.push(extension);
        }
        let read = FetchedCard { card, url: config.url.clone(), etag: None, signed_by: None };
        Box::pin(ready(Ok(CardReadOutcome::Read(Box::new(read)))))
    }

    fn bind(&self, config: &PeerConfig, _: &AgentCard) -> Result<PeerInterface, PeerRegistryError> {
        Ok(PeerInterface {
            binding: Arc::new(SharedServer(Arc::clone(&self.server))),
            endpoint: config.url.clone(),
            protocol: "JSONRPC".to_owned(),
            version: if self.capabilities.lists_tasks { "1.0" } else { "0.3" }.to_owned(),
        })
    }
}

pub(crate) fn hub(server: &Arc<Server>) -> PeerHub {
    hub_of(server, capabilities(server.kind), None)
}

/// A hub that has the scripted peer under the name `peer`.
pub(crate) fn hub_of(server: &Arc<Server>, capabilities: PeerCapabilities, public_url: Option<&str>) -> PeerHub {
    let config = PeerConfig {
        name: Some("peer".into()),
        push: public_url.is_some(),
        ..PeerConfig::at("https://peer.example/agents/peer")
    };
    let reach = ScriptedConnector { server: Arc::clone(server), capabilities, name: "Peer".to_owned() };
    let options =
        PeerRegistryOptions { configured: vec![config], file: None, locals: None, connector: Arc::new(reach) };
    PeerHub::new(Arc::new(LocalPeerRegistry::open(options).expect("a registry")), public_url)
}
