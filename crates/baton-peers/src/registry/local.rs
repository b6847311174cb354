//! The peer registry at run time.

use super::{CardReadOutcome, FetchedCard, PeerConnector, agent::slug, entry::PeerEntry, file::PeerFile};
use crate::{Credential, PeerClient, PeerConfig, SecretError, SecretRef, error_codes};
use baton_ports::{AgentSource, BoxFuture, NewPeer, PeerRecord, PeerRegistry, PeerRegistryError};
use baton_types::{AgentName, AgentResources, AgentSpec, ErrorCode, is_agent_name};
use parking_lot::RwLock;
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};
use tokio::sync::Mutex;

/// Maximum number of peers.
pub(super) const MAX_PEERS: usize = 1024;

/// Registry of peers, which are also served as agents.
pub struct LocalPeerRegistry {
    pub(super) entries: RwLock<PeerEntries>,
    /// Referenced by agent definitions, never stored.
    pub(super) referenced: RwLock<BTreeMap<AgentName, PeerEntry>>,
    file: Option<PathBuf>,
    locals: Option<Arc<dyn AgentSource>>,
    pub(super) connector: Arc<dyn PeerConnector>,
    /// Held during a change until it is on disk.
    pub(super) write_lock: Mutex<()>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct PeerEntries {
    pub(super) named: BTreeMap<AgentName, PeerEntry>,
    /// Configured without a name, and their card was never read.
    pub(super) unnamed: Vec<PeerConfig>,
}

impl LocalPeerRegistry {
    pub(super) fn from_entries(
        entries: PeerEntries,
        file: Option<PathBuf>,
        locals: Option<Arc<dyn AgentSource>>,
        connector: Arc<dyn PeerConnector>,
    ) -> Self {
        Self {
            entries: RwLock::new(entries),
            referenced: RwLock::default(),
            file,
            locals,
            connector,
            write_lock: Mutex::new(()),
        }
    }

    /// The registered peers as agents, by name. Referenced peers are not listed; they are only found by name.
    pub fn agents(&self) -> Vec<Arc<AgentSpec>> {
        self.entries.read().named.values().map(|entry| Arc::clone(&entry.agent)).collect()
    }

    /// Maps every peer, in order of name.
    fn map_all<T>(&self, of: impl Fn(&PeerEntry) -> T) -> Vec<T> {
        let (own, referenced) = (self.entries.read(), self.referenced.read());
        let referenced = referenced.iter().filter(|(name, _)| !own.named.contains_key(*name));
        let all: BTreeMap<_, _> = own.named.iter().chain(referenced).collect();
        all.into_values().map(of).collect()
    }

    /// A client of a peer with its configuration; reads the card first if it is unknown.
    pub async fn client(&self, name: &AgentName) -> Result<(PeerClient, PeerConfig), PeerRegistryError> {
        let entry = self.entry(name)?;
        if let Some(client) = entry.client(&*self.connector) {
            return Ok((client?, entry.config));
        }
        self.refresh(name).await?;
        let entry = self.entry(name)?;
        match entry.client(&*self.connector) {
            Some(client) => Ok((client?, entry.config)),
            None => Err(refusal(error_codes::PEER_CARD_INVALID, format!("the card of '{name}' is not known"))),
        }
    }

    pub(super) fn entry(&self, name: &AgentName) -> Result<PeerEntry, PeerRegistryError> {
        let entry = self.entries.read().named.get(name).cloned();
        let entry = entry.or_else(|| self.referenced.read().get(name).cloned());
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
            return Err(refusal(error_codes::ALREADY_EXISTS, format!("an agent named '{name}' already exists")));
        }
        Ok(())
    }

    /// Commits a change: first to disk, then in memory.
    pub(super) async fn commit_entries(&self, entries: PeerEntries) -> Result<(), PeerRegistryError> {
        if let Some(path) = self.file.clone() {
            let page = PeerFile::from_entries(entries.named.values());
            let shown = path.display().to_string();
            let written = tokio::task::spawn_blocking(move || page.write(&path)).await;
            written
                .map_err(std::io::Error::other)
                .and_then(|written| written)
                .map_err(|error| refusal(error_codes::JOURNAL_UNAVAILABLE, format!("cannot write {shown}: {error}")))?;
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
        let card = match self.connector.read_card(&config, None).await? {
            CardReadOutcome::Read(card) => card,
            CardReadOutcome::Unchanged => return Err(no_card(&config)),
        };
        let name = peer.name.or_else(|| slug(&card.card, &config.url)).ok_or_else(|| {
            refusal(ErrorCode::INVALID_REQUEST, "no agent name can be derived from the card; give one".to_owned())
        })?;
        config.name = Some(name.clone());
        // An agent without a usable interface is not added.
        self.connector.bind(&config, &card.card)?;
        let entry = PeerEntry::new(&name, config, peer.bearer, false).with_card(Arc::from(card), &*self.connector);
        let known = entry.record();
        let _writing = self.write_lock.lock().await;
        self.check_name(&name)?;
        let mut entries = self.entries.read().clone();
        if entries.named.len() >= MAX_PEERS {
            return Err(refusal(
                ErrorCode::BUSY,
                format!("{MAX_PEERS} remote agents are already known, which is the limit"),
            ));
        }
        entries.named.insert(name, entry);
        self.commit_entries(entries).await?;
        Ok(known)
    }

    async fn remove_peer(&self, name: &AgentName) -> Result<(), PeerRegistryError> {
        let _writing = self.write_lock.lock().await;
        if self.entry(name)?.configured {
            let detail = format!("'{name}' is in the configuration; remove it there");
            return Err(refusal(ErrorCode::INVALID_REQUEST, detail));
        }
        let mut entries = self.entries.read().clone();
        entries.named.remove(name);
        self.commit_entries(entries).await
    }
}

impl PeerRegistry for LocalPeerRegistry {
    fn add(&self, peer: NewPeer) -> BoxFuture<'_, Result<PeerRecord, PeerRegistryError>> {
        Box::pin(self.add_peer(peer))
    }

    fn remove<'a>(&'a self, name: &'a AgentName) -> BoxFuture<'a, Result<(), PeerRegistryError>> {
        Box::pin(self.remove_peer(name))
    }

    fn peer(&self, name: &AgentName) -> Option<PeerRecord> {
        self.entry(name).ok().as_ref().map(PeerEntry::record)
    }

    fn peers(&self) -> Vec<PeerRecord> {
        self.map_all(PeerEntry::record)
    }
}

impl AgentSource for LocalPeerRegistry {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        Self::agents(self)
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        self.entry(name).ok().map(|entry| entry.agent)
    }

    fn agent_resources(&self, name: &AgentName) -> Arc<AgentResources> {
        self.entry(name).map(|entry| entry.resources).unwrap_or_default()
    }
}

pub(super) fn refusal(code: ErrorCode, detail: String) -> PeerRegistryError {
    PeerRegistryError { code, detail }
}

pub(super) fn no_card(config: &PeerConfig) -> PeerRegistryError {
    let detail = format!("{} answered that its card has not changed, but never sent it", config.url);
    refusal(error_codes::PEER_CARD_INVALID, detail)
}

impl PeerEntry {
    /// The same peer with a new card.
    pub(super) fn with_new_card(self, card: Box<FetchedCard>, reach: &dyn PeerConnector) -> Self {
        self.with_card(Arc::from(card), reach)
    }
}
