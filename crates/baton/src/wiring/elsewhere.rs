//! Agents that live elsewhere.

use super::agents::{Loaded, LocalAgents, Wanted, load};
use crate::{config::Settings, failure::Failure};
use baton_orchestrator::{Limits, Orchestrator};
use baton_outbound::Target;
use baton_peers::{Book, BookOptions, Credential, PeerConfig, SecretRef, TypedHosts};
use baton_ports::{AgentSource, BoxFuture, Changes, KnownPeer, NewPeer, PeerBook as _, PeerBookError, Unusable};
use baton_types::{AgentKit, AgentListing, AgentName, AgentSpec, ErrorCode, ModelSpec};
use baton_wire::api::{AgentDetails, RemoteEntry};
use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// How long whoever wants a list waits for cards.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long somebody who asks an agent elsewhere may wait for it.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Where added agents are kept, below the data directory.
const FILE: &str = "peers.json";

/// The book of a data directory: what the configuration names and what was added. Nobody is asked for anything.
pub(super) fn book(settings: &Settings, locals: &Arc<LocalAgents>) -> Result<Book, Failure> {
    for name in settings.peers.iter().filter_map(|peer| peer.name.as_ref()) {
        if locals.has(name) {
            let message = format!("peers: an agent that lives here is called '{name}' too");
            return Err(Failure::new(ErrorCode::CONFIG_INVALID, message).hint("Give the peer another name."));
        }
    }
    open(settings.peers.clone(), Some(&settings.data.join(FILE)), Some(Arc::clone(locals)))
}

/// A book that is gone with the process, of what the configuration names.
pub(super) fn passing_book(configured: Vec<PeerConfig>, locals: &Arc<LocalAgents>) -> Result<Book, Failure> {
    open(configured, None, Some(Arc::clone(locals)))
}

fn open(configured: Vec<PeerConfig>, file: Option<&Path>, locals: Option<Arc<LocalAgents>>) -> Result<Book, Failure> {
    let options = BookOptions {
        configured,
        file: file.map(Path::to_owned),
        locals: locals.map(|locals| locals as Arc<dyn AgentSource>),
        reach: Arc::new(TypedHosts::new()),
    };
    Book::open(options).map_err(failure)
}

/// When the cards of agents elsewhere are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fresh {
    /// Every few minutes.
    Kept,
    /// Whenever somebody looks.
    WhenAsked,
}

/// The agents that live here and those that live elsewhere.
pub(super) struct AllAgents {
    pub(super) fresh: Fresh,
    pub(super) locals: Arc<LocalAgents>,
    pub(super) book: Arc<Book>,
    /// How often definitions had changed when the book was told their addresses.
    seen: Mutex<Option<u64>>,
}

impl AllAgents {
    /// Of these two.
    pub(super) fn new(fresh: Fresh, locals: Arc<LocalAgents>, book: Arc<Book>) -> Self {
        Self { fresh, locals, book, seen: Mutex::default() }
    }
}

impl AgentSource for AllAgents {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.lend();
        let mut agents = self.locals.agents();
        let elsewhere = self.book.agents();
        // One that was added before an agent of its name came to live here is hidden by it.
        agents.extend(elsewhere.into_iter().filter(|agent| !self.locals.has(&agent.name)));
        agents
    }

    fn listed(&self) -> Vec<Arc<AgentListing>> {
        self.lend();
        let mut agents = self.locals.listed();
        agents.extend(self.book.listed().into_iter().filter(|agent| !self.locals.has(&agent.name)));
        agents
    }

    fn has(&self, name: &AgentName) -> bool {
        self.locals.has(name) || {
            self.lend();
            self.book.has(name)
        }
    }

    fn sole(&self) -> Option<Arc<AgentSpec>> {
        self.locals.sole()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        self.locals.agent(name).or_else(|| {
            self.lend();
            AgentSource::agent(&*self.book, name)
        })
    }

    fn kit(&self, name: &AgentName) -> Arc<AgentKit> {
        if self.locals.has(name) {
            return self.locals.kit(name);
        }
        self.lend();
        self.book.kit(name)
    }

    fn refresh(&self) -> BoxFuture<'_, Vec<Unusable>> {
        Box::pin(async {
            let (mut unusable, elsewhere) = tokio::join!(self.locals.refresh(), self.met_again());
            unusable.extend(elsewhere);
            unusable
        })
    }

    fn changes(&self) -> Changes {
        self.locals.changes()
    }
}

impl AllAgents {
    /// Lets the book know the agents that definitions hand work to by their addresses, as the definitions are now. One
    /// that lives here counts more than an address.
    fn lend(&self) {
        // Asked before the definitions are looked at: what changes meanwhile is told the next time.
        let now = Some(self.locals.changed());
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if *seen == now {
            return;
        }
        let targets = self.locals.away();
        let away = targets.iter().filter(|target| !self.locals.has(&target.agent));
        let mut peers: Vec<PeerConfig> = Vec::new();
        for (target, url) in away.filter_map(|target| Some((target, target.url.as_ref()?))) {
            let peer = PeerConfig { name: Some(target.agent.clone()), ..PeerConfig::at(url) };
            if !peers.contains(&peer) {
                peers.push(peer);
            }
        }
        self.book.lend(peers);
        *seen = now;
    }

    /// Reads the cards of entries anew, and says which of them cannot be used. What takes longer than a person waits
    /// for a list goes on for the next one.
    async fn met_again(&self) -> Vec<Unusable> {
        if self.fresh == Fresh::Kept {
            return Vec::new();
        }
        let book = Arc::clone(&self.book);
        let reading = tokio::spawn(async move { book.refresh_all().await });
        match tokio::time::timeout(PATIENCE, reading).await {
            Ok(Ok(unmet)) => unmet,
            _ => self.book.unmet(),
        }
    }
}

/// The agents that a Baton with these settings would serve, wherever they live. Nobody is asked for anything.
pub(crate) fn known(settings: &Settings) -> Result<Loaded, Failure> {
    let (source, diagnostics, nobody) = match load(Wanted::all(settings)) {
        Ok(loaded) => (loaded.source, loaded.diagnostics, None),
        Err(failure) => (LocalAgents::none(), Vec::new(), Some(failure)),
    };
    let locals = Arc::new(source);
    let book = Arc::new(book(settings, &locals)?);
    let agents = AllAgents::new(Fresh::Kept, locals, book).listed();
    match nobody {
        Some(failure) if agents.is_empty() => Err(failure),
        _ => Ok(Loaded { agents, diagnostics, source: LocalAgents::none() }),
    }
}

/// Whether an agent is named by its address.
pub(crate) fn is_address(agent: &str) -> bool {
    agent.starts_with("http://") || agent.starts_with("https://")
}

/// Who asks the agent at an address and runs the tools that it leaves to its caller, with what the configuration says
/// about that address. Its tools may hand work to the agents that are allowed, by the name of a configured peer or by
/// address, and to those on its own origin that no credential is configured for.
pub(crate) fn elsewhere(
    url: &str,
    bearer: Option<SecretRef>,
    allowed: &[String],
    settings: &Settings,
) -> Result<Orchestrator, Failure> {
    let mut config = configured(url, settings);
    if let Some(bearer) = bearer {
        config.credential = Credential::Bearer(bearer);
    }
    config.credential.check().map_err(|error| Failure::new(error.code(), error.to_string()))?;
    // The first one that fits counts: what was typed now, before what stands in the configuration.
    let peers = std::iter::once(config).chain(settings.peers.iter().cloned());
    let limits = Limits { deadline: LONGEST, ..Limits::default() };
    let orchestrator = peers.fold(Orchestrator::new().limits(limits), Orchestrator::peer);
    allowed.iter().try_fold(orchestrator, |orchestrator, peer| Ok(orchestrator.allow(peer_address(peer, settings)?)))
}

/// The address that `--allow-peer` means.
fn peer_address(written: &str, settings: &Settings) -> Result<String, Failure> {
    if is_address(written) {
        return match Target::parse(written) {
            Ok(_) => Ok(written.to_owned()),
            Err(error) => Err(Failure::new(ErrorCode::USAGE, format!("--allow-peer {written}: {error}"))
                .hint("Give the address of the agent, or that of its origin.")),
        };
    }
    let named = settings.peers.iter().find(|peer| peer.name.as_ref().is_some_and(|name| name.as_str() == written));
    named.map(|peer| peer.url.clone()).ok_or_else(|| {
        Failure::new(ErrorCode::USAGE, format!("--allow-peer {written}: no peer of baton.yaml has this name"))
            .hint("Name an entry under peers, or give the address of the agent.")
    })
}

/// What an address offers.
pub(crate) async fn discover(url: &str, settings: &Settings) -> Result<AgentDetails, Failure> {
    let config = configured(url, settings);
    let peer = match config.name.clone() {
        Some(name) => {
            let book = open(vec![config], None, None)?;
            book.client(&name).await.map_err(failure)?;
            book.peer(&name)
        }
        None => {
            let book = open(Vec::new(), None, None)?;
            Some(book.add(NewPeer { url: url.to_owned(), ..NewPeer::default() }).await.map_err(failure)?)
        }
    };
    let peer = peer.ok_or_else(|| Failure::new(ErrorCode::PEER_CARD_INVALID, format!("{url} gave no card")))?;
    Ok(details(&peer))
}

pub(super) fn configured(url: &str, settings: &Settings) -> PeerConfig {
    let same = |peer: &&PeerConfig| peer.url.trim_end_matches('/') == url.trim_end_matches('/');
    settings.peers.iter().find(same).cloned().unwrap_or_else(|| PeerConfig::at(url))
}

/// An agent that is not served here takes requests where it lives.
fn details(peer: &KnownPeer) -> AgentDetails {
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
            spoken: peer.spoken.clone(),
            endpoint: peer.endpoint.clone(),
            security: peer.security.clone(),
            signatures: peer.signatures.clone(),
            signed_by: peer.signed_by.clone(),
            configured: peer.configured,
        }),
        ..AgentDetails::of(&peer.agent, "")
    }
}

pub(super) fn failure(error: PeerBookError) -> Failure {
    let failure = Failure::new(error.code, error.detail);
    match error.code {
        ErrorCode::PEER_UNREACHABLE => failure.exit(crate::failure::Exit::Server),
        _ => failure,
    }
}
