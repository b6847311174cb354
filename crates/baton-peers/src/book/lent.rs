//! Peers referenced by agent definitions: known as long as they are referenced, never stored.

use super::{
    Book, Door, ReadCard,
    entry::Entry,
    keep::{MOST, refusal},
};
use crate::PeerConfig;
use baton_agentdir::is_agent_name;
use baton_ports::PeerRegistryError;
use baton_types::{AgentName, ErrorCode, McpTransport};
use std::{collections::BTreeMap, time::Duration};

impl Book {
    /// Replaces the referenced peers, each under the name in its configuration. A registered peer takes precedence over
    /// a referenced one of the same name.
    pub fn lend(&self, peers: impl IntoIterator<Item = PeerConfig>) {
        let mut lent = self.lent.write();
        let mut known = std::mem::take(&mut *lent);
        for config in peers {
            let config = self.as_known(config);
            if let Err(error) = put(&mut lent, &mut known, config) {
                tracing::warn!(%error, "a remote agent named by an agent definition cannot be used");
            }
        }
    }

    /// Adds a referenced peer.
    pub fn lend_also(&self, peer: PeerConfig) -> Result<(), PeerRegistryError> {
        let peer = self.as_known(peer);
        let mut lent = self.lent.write();
        let mut known = match &peer.name {
            Some(name) => lent.remove(name).map(|entry| (name.clone(), entry)).into_iter().collect(),
            None => BTreeMap::new(),
        };
        put(&mut lent, &mut known, peer)
    }

    /// A peer whose URL is configured under another name uses that configuration.
    fn as_known(&self, config: PeerConfig) -> PeerConfig {
        let address = |url: &str| url.trim().trim_end_matches('/').to_owned();
        let entries = self.entries.read();
        let mut known = entries.named.values().map(|entry| &entry.config).chain(&entries.nameless);
        match known.find(|known| address(&known.url) == address(&config.url)) {
            Some(known) => PeerConfig { name: config.name, listed: config.listed, ..known.clone() },
            None => config,
        }
    }

    /// Access to a peer's Environment, with this request timeout.
    pub fn door(&self, name: &AgentName, longest: Duration) -> Result<Door, PeerRegistryError> {
        self.reach.door(&self.entry(name)?.config, longest)
    }

    /// URL of a peer's Environment.
    pub fn environment(&self, name: &AgentName) -> Option<String> {
        let kit = self.entry(name).ok()?.kit;
        kit.servers.first().and_then(|server| match &server.transport {
            McpTransport::Http { url, .. } => Some(url.clone()),
            _ => None,
        })
    }

    /// Stores a new card if the configuration of the peer is unchanged; returns `false` if the peer is not referenced.
    pub(super) fn renew_lent(&self, name: &AgentName, config: &PeerConfig, card: &ReadCard) -> bool {
        let mut lent = self.lent.write();
        let Some(entry) = lent.get_mut(name).filter(|entry| entry.config == *config) else { return false };
        *entry = entry.clone().renewed(Box::new(card.clone()), &*self.reach);
        true
    }
}

/// Adds a peer; one that is already known keeps its card.
fn put(
    lent: &mut BTreeMap<AgentName, Entry>,
    known: &mut BTreeMap<AgentName, Entry>,
    config: PeerConfig,
) -> Result<(), PeerRegistryError> {
    let name = config.name.clone().filter(|name| is_agent_name(name.as_str())).ok_or_else(|| {
        let detail =
            format!("the remote agent at {} needs a name of lower-case letters, digits and dashes", config.url);
        refusal(ErrorCode::INVALID_REQUEST, detail)
    })?;
    if lent.contains_key(&name) {
        let detail = format!("'{name}' has two URLs; the first one is used");
        return Err(refusal(ErrorCode::ALREADY_EXISTS, detail));
    }
    if lent.len() >= MOST {
        return Err(refusal(ErrorCode::BUSY, format!("{MOST} remote agents are already named, which is the limit")));
    }
    let kept = known.remove(&name).filter(|entry| entry.config == config);
    let entry = kept.unwrap_or_else(|| Entry::new(&name, config, None, true));
    lent.insert(name, entry);
    Ok(())
}
