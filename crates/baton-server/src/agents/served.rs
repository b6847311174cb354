//! Local and remote agents as one source.

use super::LocalAgents;
use crate::CardRefresh;
use baton_peers::{LocalPeerRegistry, PeerConfig};
use baton_ports::{AgentSource, BoxFuture, ChangeStream, UnusableEntry};
use baton_types::{AgentListing, AgentName, AgentResources, AgentSpec};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// Timeout of a card refresh before a listing.
const CARD_REFRESH_TIMEOUT: Duration = Duration::from_secs(3);

/// Local and remote agents.
pub(crate) struct AllAgents {
    card_refresh: CardRefresh,
    locals: Arc<LocalAgents>,
    peer_registry: Arc<LocalPeerRegistry>,
    /// Revision of the definitions whose handoff targets are in the peer registry.
    synced_revision: Mutex<Option<u64>>,
}

impl AllAgents {
    pub(crate) fn new(
        card_refresh: CardRefresh,
        locals: Arc<LocalAgents>,
        peer_registry: Arc<LocalPeerRegistry>,
    ) -> Self {
        Self { card_refresh, locals, peer_registry, synced_revision: Mutex::default() }
    }
}

impl AgentSource for AllAgents {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.sync_handoff_targets();
        let mut agents = self.locals.agents();
        let elsewhere = self.peer_registry.agents();
        // A local agent hides a peer of the same name that was added earlier.
        agents.extend(elsewhere.into_iter().filter(|agent| !self.locals.has(&agent.name)));
        agents
    }

    fn listings(&self) -> Vec<Arc<AgentListing>> {
        self.sync_handoff_targets();
        let mut agents = self.locals.listings();
        agents.extend(self.peer_registry.listings().into_iter().filter(|agent| !self.locals.has(&agent.name)));
        agents
    }

    fn has(&self, name: &AgentName) -> bool {
        self.locals.has(name) || {
            self.sync_handoff_targets();
            self.peer_registry.has(name)
        }
    }

    fn sole_local_agent(&self) -> Option<Arc<AgentSpec>> {
        self.locals.sole_local_agent()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        self.locals.agent(name).or_else(|| {
            self.sync_handoff_targets();
            AgentSource::agent(&*self.peer_registry, name)
        })
    }

    fn agent_resources(&self, name: &AgentName) -> Arc<AgentResources> {
        if self.locals.has(name) {
            return self.locals.agent_resources(name);
        }
        self.sync_handoff_targets();
        self.peer_registry.agent_resources(name)
    }

    fn refresh(&self) -> BoxFuture<'_, Vec<UnusableEntry>> {
        Box::pin(async {
            let (mut unusable, elsewhere) = tokio::join!(self.locals.refresh(), self.refresh_cards());
            unusable.extend(elsewhere);
            unusable
        })
    }

    fn changes(&self) -> ChangeStream {
        self.locals.changes()
    }
}

impl AllAgents {
    /// Registers the remote handoff targets of the current definitions as peers. A local agent takes precedence over an
    /// address.
    fn sync_handoff_targets(&self) {
        // The revision is read before the definitions, so that a concurrent change is picked up by the next call.
        let now = Some(self.locals.revision());
        let mut seen = self.synced_revision.lock().unwrap_or_else(PoisonError::into_inner);
        if *seen == now {
            return;
        }
        let targets = self.locals.remote_targets();
        let away = targets.iter().filter(|target| !self.locals.has(&target.agent));
        let mut peers: Vec<PeerConfig> = Vec::new();
        for (target, url) in away.filter_map(|target| Some((target, target.url.as_ref()?))) {
            let peer = PeerConfig { name: Some(target.agent.clone()), ..PeerConfig::at(url) };
            if !peers.contains(&peer) {
                peers.push(peer);
            }
        }
        self.peer_registry.set_referenced(peers);
        *seen = now;
    }

    /// Reads the cards again and returns unusable entries. After the timeout the refresh continues in the background
    /// for the next listing.
    async fn refresh_cards(&self) -> Vec<UnusableEntry> {
        if self.card_refresh == CardRefresh::Periodic {
            return Vec::new();
        }
        let registry = Arc::clone(&self.peer_registry);
        let reading = tokio::spawn(async move { registry.refresh_all().await });
        match tokio::time::timeout(CARD_REFRESH_TIMEOUT, reading).await {
            Ok(Ok(unmet)) => unmet,
            _ => self.peer_registry.peers_without_card(),
        }
    }
}
