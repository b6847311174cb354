//! Remote agents.

use super::agents::{AgentSelection, LoadedAgents, LocalAgents, load};
use crate::{config::BatonSettings, failure::CliError};
use baton_api::{AgentDetails, RemoteEntry};
use baton_orchestrator::{Orchestrator, OrchestratorLimits};
use baton_outbound::Target;
use baton_peers::{Credential, LocalPeerRegistry, PeerConfig, PeerRegistryOptions, SecretRef, TypedHostConnector};
use baton_ports::{
    AgentSource, BoxFuture, ChangeStream, NewPeer, PeerRecord, PeerRegistry as _, PeerRegistryError, UnusableEntry,
};
use baton_types::{AgentListing, AgentName, AgentResources, AgentSpec, ErrorCode, ModelSpec};
use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// Timeout of a card refresh before a listing.
const CARD_REFRESH_TIMEOUT: Duration = Duration::from_secs(3);

/// Time limit of a call to a remote agent.
const MAX_REMOTE_CALL_DURATION: Duration = Duration::from_secs(24 * 60 * 60);

/// File of added peers, below the data directory.
const PEERS_FILE: &str = "peers.json";

/// Peer registry of a data directory: configured and added peers. Sends no requests.
pub(super) fn peer_registry(
    settings: &BatonSettings,
    locals: &Arc<LocalAgents>,
) -> Result<LocalPeerRegistry, CliError> {
    for name in settings.peers.iter().filter_map(|peer| peer.name.as_ref()) {
        if locals.has(name) {
            let message = format!("peers: '{name}' is also the name of a local agent");
            return Err(CliError::new(ErrorCode::CONFIG_INVALID, message).hint("Rename the peer."));
        }
    }
    open(settings.peers.clone(), Some(&settings.data.join(PEERS_FILE)), Some(Arc::clone(locals)))
}

/// In-memory peer registry of the configured peers.
pub(super) fn in_memory_peer_registry(
    configured: Vec<PeerConfig>,
    locals: &Arc<LocalAgents>,
) -> Result<LocalPeerRegistry, CliError> {
    open(configured, None, Some(Arc::clone(locals)))
}

fn open(
    configured: Vec<PeerConfig>,
    file: Option<&Path>,
    locals: Option<Arc<LocalAgents>>,
) -> Result<LocalPeerRegistry, CliError> {
    let options = PeerRegistryOptions {
        configured,
        file: file.map(Path::to_owned),
        locals: locals.map(|locals| locals as Arc<dyn AgentSource>),
        connector: Arc::new(TypedHostConnector::new()),
    };
    LocalPeerRegistry::open(options).map_err(peer_failure)
}

/// When the cards of remote agents are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CardRefresh {
    /// Every few minutes.
    Periodic,
    /// At every refresh.
    OnDemand,
}

/// Local and remote agents.
pub(super) struct AllAgents {
    pub(super) card_refresh: CardRefresh,
    pub(super) locals: Arc<LocalAgents>,
    pub(super) peer_registry: Arc<LocalPeerRegistry>,
    /// Revision of the definitions whose handoff targets are in the peer registry.
    synced_revision: Mutex<Option<u64>>,
}

impl AllAgents {
    pub(super) fn new(
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
        let book = Arc::clone(&self.peer_registry);
        let reading = tokio::spawn(async move { book.refresh_all().await });
        match tokio::time::timeout(CARD_REFRESH_TIMEOUT, reading).await {
            Ok(Ok(unmet)) => unmet,
            _ => self.peer_registry.peers_without_card(),
        }
    }
}

/// Local and remote agents that a Baton with these settings would serve. Sends no requests.
pub(crate) fn load_known_agents(settings: &BatonSettings) -> Result<LoadedAgents, CliError> {
    let (source, diagnostics, load_failure) = match load(AgentSelection::all(settings)) {
        Ok(loaded) => (loaded.source, loaded.diagnostics, None),
        Err(failure) => (LocalAgents::none(), Vec::new(), Some(failure)),
    };
    let locals = Arc::new(source);
    let book = Arc::new(peer_registry(settings, &locals)?);
    let agents = AllAgents::new(CardRefresh::Periodic, locals, book).listings();
    match load_failure {
        Some(failure) if agents.is_empty() => Err(failure),
        _ => Ok(LoadedAgents { agents, diagnostics, source: LocalAgents::none() }),
    }
}

/// Whether an agent is given by URL.
pub(crate) fn is_address(agent: &str) -> bool {
    agent.starts_with("http://") || agent.starts_with("https://")
}

/// Orchestrator that calls the agent at a URL and runs the tools that it delegates to its caller, with the peer
/// configuration for that URL. Its tools may hand work to allowed agents (by name of a configured peer or by URL) and
/// to agents of the same origin without a configured credential.
pub(crate) fn remote_orchestrator(
    url: &str,
    bearer: Option<SecretRef>,
    allowed: &[String],
    settings: &BatonSettings,
) -> Result<Orchestrator, CliError> {
    let mut config = peer_config(url, settings);
    if let Some(bearer) = bearer {
        config.credential = Credential::Bearer(bearer);
    }
    config.credential.check().map_err(|error| CliError::new(error.code(), error.to_string()))?;
    // The first match wins: the credential of the command line takes precedence over the configuration.
    let peers = std::iter::once(config).chain(settings.peers.iter().cloned());
    let limits = OrchestratorLimits { deadline: MAX_REMOTE_CALL_DURATION, ..OrchestratorLimits::default() };
    let orchestrator = peers.fold(Orchestrator::new().limits(limits), Orchestrator::peer);
    allowed.iter().try_fold(orchestrator, |orchestrator, peer| Ok(orchestrator.allow(peer_address(peer, settings)?)))
}

/// Resolves a value of `--allow-peer` to a URL.
fn peer_address(written: &str, settings: &BatonSettings) -> Result<String, CliError> {
    if is_address(written) {
        return match Target::parse(written) {
            Ok(_) => Ok(written.to_owned()),
            Err(error) => Err(CliError::new(ErrorCode::USAGE, format!("--allow-peer {written}: {error}"))
                .hint("Give the URL of the agent or of its origin.")),
        };
    }
    let named = settings.peers.iter().find(|peer| peer.name.as_ref().is_some_and(|name| name.as_str() == written));
    named.map(|peer| peer.url.clone()).ok_or_else(|| {
        CliError::new(ErrorCode::USAGE, format!("--allow-peer {written}: no peer of baton.yaml has this name"))
            .hint("Name an entry of peers, or give the URL of the agent.")
    })
}

/// Reads the agent card at a URL.
pub(crate) async fn discover(url: &str, settings: &BatonSettings) -> Result<AgentDetails, CliError> {
    let config = peer_config(url, settings);
    let peer = match config.name.clone() {
        Some(name) => {
            let book = open(vec![config], None, None)?;
            book.client(&name).await.map_err(peer_failure)?;
            book.peer(&name)
        }
        None => {
            let book = open(Vec::new(), None, None)?;
            Some(book.add(NewPeer { url: url.to_owned(), ..NewPeer::default() }).await.map_err(peer_failure)?)
        }
    };
    let peer =
        peer.ok_or_else(|| CliError::new(ErrorCode::PEER_CARD_INVALID, format!("{url} returned no agent card")))?;
    Ok(details(&peer))
}

pub(super) fn peer_config(url: &str, settings: &BatonSettings) -> PeerConfig {
    let same = |peer: &&PeerConfig| peer.url.trim_end_matches('/') == url.trim_end_matches('/');
    settings.peers.iter().find(same).cloned().unwrap_or_else(|| PeerConfig::at(url))
}

/// The endpoint is that of the remote agent, because it is not served here.
fn details(peer: &PeerRecord) -> AgentDetails {
    let url = match &peer.agent.model {
        ModelSpec::Peer { url, .. } => url.clone(),
        ModelSpec::Playbook { .. } => peer.card_url.clone(),
    };
    AgentDetails {
        url: peer.endpoint.clone(),
        card_url: peer.card_url.clone(),
        remote: Some(RemoteEntry {
            url,
            card_url: peer.card_url.clone(),
            binding: peer.protocol.clone(),
            endpoint: peer.endpoint.clone(),
            security: peer.security.clone(),
            signatures: peer.signatures.clone(),
            signed_by: peer.signed_by.clone(),
            configured: peer.configured,
        }),
        ..AgentDetails::from_spec(&peer.agent, "")
    }
}

pub(super) fn peer_failure(error: PeerRegistryError) -> CliError {
    let failure = CliError::new(error.code, error.detail);
    match error.code {
        ErrorCode::PEER_UNREACHABLE => failure.exit(crate::failure::Exit::Server),
        _ => failure,
    }
}
