//! The peer registry at run time.

use super::{CardRead, Reach, ReadCard, agent::slug, entry::Entry, file::Page};
use crate::{Credential, PeerClient, PeerConfig, SecretError, SecretRef};
use baton_agentdir::is_agent_name;
use baton_ports::{AgentSource, BoxFuture, NewPeer, PeerRecord, PeerRegistry, PeerRegistryError};
use baton_types::{AgentName, AgentResources, AgentSpec, ErrorCode};
use parking_lot::RwLock;
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};
use tokio::sync::Mutex;

/// Maximum number of peers.
pub(super) const MOST: usize = 1024;

/// Registry of peers, which are also served as agents.
pub struct Book {
    pub(super) entries: RwLock<Entries>,
    /// Referenced by agent definitions, never stored.
    pub(super) lent: RwLock<BTreeMap<AgentName, Entry>>,
    file: Option<PathBuf>,
    locals: Option<Arc<dyn AgentSource>>,
    pub(super) reach: Arc<dyn Reach>,
    /// Held during a change until it is on disk.
    pub(super) writing: Mutex<()>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Entries {
    pub(super) named: BTreeMap<AgentName, Entry>,
    /// Configured without a name, and their card was never read.
    pub(super) nameless: Vec<PeerConfig>,
}

impl Book {
    pub(super) fn of(
        entries: Entries,
        file: Option<PathBuf>,
        locals: Option<Arc<dyn AgentSource>>,
        reach: Arc<dyn Reach>,
    ) -> Self {
        Self { entries: RwLock::new(entries), lent: RwLock::default(), file, locals, reach, writing: Mutex::new(()) }
    }

    /// The registered peers as agents, by name. Referenced peers are not listed; they are only found by name.
    pub fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.entries.read().named.values().map(|entry| Arc::clone(&entry.agent)).collect()
    }

    /// Maps every peer, in order of name.
    fn all<T>(&self, of: impl Fn(&Entry) -> T) -> Vec<T> {
        let (own, lent) = (self.entries.read(), self.lent.read());
        let lent = lent.iter().filter(|(name, _)| !own.named.contains_key(*name));
        let all: BTreeMap<_, _> = own.named.iter().chain(lent).collect();
        all.into_values().map(of).collect()
    }

    /// A client of a peer with its configuration; reads the card first if it is unknown.
    pub async fn client(&self, name: &AgentName) -> Result<(PeerClient, PeerConfig), PeerRegistryError> {
        let entry = self.entry(name)?;
        if let Some(client) = entry.client(&*self.reach) {
            return Ok((client?, entry.config));
        }
        self.refresh(name).await?;
        let entry = self.entry(name)?;
        match entry.client(&*self.reach) {
            Some(client) => Ok((client?, entry.config)),
            None => Err(refusal(ErrorCode::PEER_CARD_INVALID, format!("the card of '{name}' is not known"))),
        }
    }

    pub(super) fn entry(&self, name: &AgentName) -> Result<Entry, PeerRegistryError> {
        let entry = self.entries.read().named.get(name).cloned();
        let entry = entry.or_else(|| self.lent.read().get(name).cloned());
        entry.ok_or_else(|| refusal(ErrorCode::AGENT_NOT_FOUND, format!("there is no remote agent named '{name}'")))
    }

    /// Rejects a name that is invalid or in use.
    pub(super) fn check_name(&self, name: &AgentName) -> Result<(), PeerRegistryError> {
        if !is_agent_name(name.as_str()) {
            let detail = format!("'{name}' is not a valid agent name: use lower-case letters, digits and dashes");
            return Err(refusal(ErrorCode::INVALID_REQUEST, detail));
        }
        let local = self.locals.as_ref().is_some_and(|locals| locals.has(name));
        if local || self.entries.read().named.contains_key(name) {
            return Err(refusal(ErrorCode::ALREADY_EXISTS, format!("an agent named '{name}' already exists")));
        }
        Ok(())
    }

    /// Commits a change: first to disk, then in memory.
    pub(super) async fn change(&self, entries: Entries) -> Result<(), PeerRegistryError> {
        if let Some(path) = self.file.clone() {
            let page = Page::of(entries.named.values());
            let shown = path.display().to_string();
            let written = tokio::task::spawn_blocking(move || page.write(&path)).await;
            written
                .map_err(std::io::Error::other)
                .and_then(|written| written)
                .map_err(|error| refusal(ErrorCode::JOURNAL_UNAVAILABLE, format!("cannot write {shown}: {error}")))?;
        }
        *self.entries.write() = entries;
        Ok(())
    }

    async fn add_peer(&self, peer: NewPeer) -> Result<PeerRecord, PeerRegistryError> {
        let mut config = PeerConfig { listed: peer.listed, ..PeerConfig::at(peer.url.trim()) };
        if let Some(bearer) = &peer.bearer {
            let secret = bearer.parse().and_then(|secret: SecretRef| secret.resolve().map(|_| secret));
            let secret = secret.map_err(|error: SecretError| refusal(error.code(), error.to_string()))?;
            config.credential = Credential::Bearer(secret);
        }
        if let Some(name) = &peer.name {
            self.check_name(name)?;
        }
        let card = match self.reach.read_card(&config, None).await? {
            CardRead::Read(card) => card,
            CardRead::Unchanged => return Err(no_card(&config)),
        };
        let name = peer.name.or_else(|| slug(&card.card, &config.url)).ok_or_else(|| {
            refusal(ErrorCode::INVALID_REQUEST, "no agent name can be derived from the card; give one".to_owned())
        })?;
        config.name = Some(name.clone());
        // An agent without a usable interface is not added.
        self.reach.bind(&config, &card.card)?;
        let entry = Entry::new(&name, config, peer.bearer, false).with_card(Arc::from(card), &*self.reach);
        let known = entry.known();
        let _writing = self.writing.lock().await;
        self.check_name(&name)?;
        let mut entries = self.entries.read().clone();
        if entries.named.len() >= MOST {
            return Err(refusal(
                ErrorCode::BUSY,
                format!("{MOST} remote agents are already known, which is the limit"),
            ));
        }
        entries.named.insert(name, entry);
        self.change(entries).await?;
        Ok(known)
    }

    async fn remove_peer(&self, name: &AgentName) -> Result<(), PeerRegistryError> {
        let _writing = self.writing.lock().await;
        if self.entry(name)?.configured {
            let detail = format!("'{name}' is in the configuration; remove it there");
            return Err(refusal(ErrorCode::INVALID_REQUEST, detail));
        }
        let mut entries = self.entries.read().clone();
        entries.named.remove(name);
        self.change(entries).await
    }
}

impl PeerRegistry for Book {
    fn add(&self, peer: NewPeer) -> BoxFuture<'_, Result<PeerRecord, PeerRegistryError>> {
        Box::pin(self.add_peer(peer))
    }

    fn remove<'a>(&'a self, name: &'a AgentName) -> BoxFuture<'a, Result<(), PeerRegistryError>> {
        Box::pin(self.remove_peer(name))
    }

    fn peer(&self, name: &AgentName) -> Option<PeerRecord> {
        self.entry(name).ok().as_ref().map(Entry::known)
    }

    fn peers(&self) -> Vec<PeerRecord> {
        self.all(Entry::known)
    }
}

impl AgentSource for Book {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        Self::agents(self)
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        self.entry(name).ok().map(|entry| entry.agent)
    }

    fn agent_resources(&self, name: &AgentName) -> Arc<AgentResources> {
        self.entry(name).map(|entry| entry.kit).unwrap_or_default()
    }
}

pub(super) fn refusal(code: ErrorCode, detail: String) -> PeerRegistryError {
    PeerRegistryError { code, detail }
}

pub(super) fn no_card(config: &PeerConfig) -> PeerRegistryError {
    let detail = format!("{} answered that its card has not changed, but never sent it", config.url);
    refusal(ErrorCode::PEER_CARD_INVALID, detail)
}

impl Entry {
    /// The same peer with a new card.
    pub(super) fn renewed(self, card: Box<ReadCard>, reach: &dyn Reach) -> Self {
        self.with_card(Arc::from(card), reach)
    }
}
