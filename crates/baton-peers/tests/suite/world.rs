//! What tests need besides a peer.

use crate::fake::{Kind, Server, Shared};
use baton_peers::{
    CallError, CardReadOutcome, LocalPeerRegistry, PeerCapabilities, PeerClient, PeerConfig, PeerHub, PeerInterface,
    PeerRegistryOptions, RetryLimits,
};
use baton_peers::{FetchedCard, PeerConnector};
use baton_ports::{BoxFuture, PeerRegistryError, PeerRequest};
use baton_types::{Message, Part, Role};
use baton_wire::a2a::v1::{AgentCard, AgentExtension, IDEMPOTENCY};
use std::{future::ready, sync::Arc};

/// Runs to the end in a time of its own, which passes as soon as everybody waits.
pub(crate) fn paused<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(work)
}

pub(crate) fn ask(text: &str) -> PeerRequest {
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

pub(crate) fn abilities(kind: Kind) -> PeerCapabilities {
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
    able(server, abilities(server.kind))
}

pub(crate) fn able(server: &Arc<Server>, abilities: PeerCapabilities) -> PeerClient {
    PeerClient::new(Arc::new(Shared(Arc::clone(server))), abilities, RetryLimits::default())
}

/// A way to one scripted peer, whose card says what it can do.
pub(crate) struct Scripted {
    pub(crate) server: Arc<Server>,
    pub(crate) abilities: PeerCapabilities,
    pub(crate) name: String,
}

impl PeerConnector for Scripted {
    fn read_card<'a>(
        &'a self,
        config: &'a PeerConfig,
        _: Option<&'a FetchedCard>,
    ) -> BoxFuture<'a, Result<CardReadOutcome, PeerRegistryError>> {
        let mut card = AgentCard { name: self.name.clone(), ..AgentCard::default() };
        card.capabilities.streaming = Some(self.abilities.streaming);
        card.capabilities.push_notifications = Some(self.abilities.push);
        if self.abilities.idempotent {
            let extension = AgentExtension { uri: IDEMPOTENCY.to_owned(), ..AgentExtension::default() };
            card.capabilities.extensions.push(extension);
        }
        let read = FetchedCard { card, url: config.url.clone(), etag: None, signed_by: None };
        Box::pin(ready(Ok(CardReadOutcome::Read(Box::new(read)))))
    }

    fn bind(&self, config: &PeerConfig, _: &AgentCard) -> Result<PeerInterface, PeerRegistryError> {
        Ok(PeerInterface {
            binding: Arc::new(Shared(Arc::clone(&self.server))),
            endpoint: config.url.clone(),
            protocol: "JSONRPC".to_owned(),
            version: if self.abilities.lists_tasks { "1.0" } else { "0.3" }.to_owned(),
        })
    }
}

pub(crate) fn hub(server: &Arc<Server>) -> PeerHub {
    hub_of(server, abilities(server.kind), None)
}

/// A hub that knows the scripted peer as `peer`.
pub(crate) fn hub_of(server: &Arc<Server>, abilities: PeerCapabilities, public_url: Option<&str>) -> PeerHub {
    let config = PeerConfig {
        name: Some("peer".into()),
        push: public_url.is_some(),
        ..PeerConfig::at("https://peer.example/agents/peer")
    };
    let reach = Scripted { server: Arc::clone(server), abilities, name: "Peer".to_owned() };
    let options =
        PeerRegistryOptions { configured: vec![config], file: None, locals: None, connector: Arc::new(reach) };
    PeerHub::new(Arc::new(LocalPeerRegistry::open(options).expect("a book")), public_url)
}
