//! Peers referenced by agent definitions: known as long as they are referenced, never stored.

use super::{
    FetchedCard, LocalPeerRegistry,
    entry::PeerEntry,
    local::{MAX_PEERS, refusal},
};
use crate::{PeerConfig, error_codes};
use baton_outbound::{EnvironmentAccess, EnvironmentRegistry};
use baton_ports::PeerRegistryError;
use baton_types::{AgentName, ErrorCode, McpTransport, is_agent_name};
use std::{collections::BTreeMap, time::Duration};

impl LocalPeerRegistry {
    /// Replaces the referenced peers, each under the name in its configuration. A registered peer takes precedence over
    /// a referenced one of the same name.
    pub fn set_referenced(&self, peers: impl IntoIterator<Item = PeerConfig>) {
        let mut referenced = self.referenced.write();
        let mut known = std::mem::take(&mut *referenced);
        for config in peers {
            let config = self.merge_configured(config);
            if let Err(error) = insert_referenced(&mut referenced, &mut known, config) {
                tracing::warn!(%error, "a remote agent named by an agent definition cannot be used");
            }
        }
    }

    /// Adds a referenced peer.
    pub fn add_referenced(&self, peer: PeerConfig) -> Result<(), PeerRegistryError> {
        let peer = self.merge_configured(peer);
        let mut referenced = self.referenced.write();
        let mut known = match &peer.name {
            Some(name) => referenced.remove(name).map(|entry| (name.clone(), entry)).into_iter().collect(),
            None => BTreeMap::new(),
        };
        insert_referenced(&mut referenced, &mut known, peer)
    }

    /// A peer whose URL is configured under another name uses that configuration.
    fn merge_configured(&self, config: PeerConfig) -> PeerConfig {
        let address = |url: &str| url.trim().trim_end_matches('/').to_owned();
        let entries = self.entries.read();
        let mut known = entries.named.values().map(|entry| &entry.config).chain(&entries.unnamed);
        match known.find(|known| address(&known.url) == address(&config.url)) {
            Some(known) => PeerConfig { name: config.name, listed: config.listed, ..known.clone() },
            None => config,
        }
    }

    /// Stores a new card if the configuration of the peer is unchanged; returns `false` if the peer is not referenced.
    pub(super) fn update_referenced_card(&self, name: &AgentName, config: &PeerConfig, card: &FetchedCard) -> bool {
        let mut referenced = self.referenced.write();
        let Some(entry) = referenced.get_mut(name).filter(|entry| entry.config == *config) else { return false };
        *entry = entry.clone().with_new_card(Box::new(card.clone()), &*self.connector);
        true
    }
}

impl EnvironmentRegistry for LocalPeerRegistry {
    fn environment_url(&self, agent: &AgentName) -> Option<String> {
        let resources = self.entry(agent).ok()?.resources;
        resources.servers.first().and_then(|server| match &server.transport {
            McpTransport::Http { url, .. } => Some(url.clone()),
            _ => None,
        })
    }

    fn environment_access(&self, agent: &AgentName, timeout: Duration) -> Result<EnvironmentAccess, PeerRegistryError> {
        self.connector.environment_access(&self.entry(agent)?.config, timeout)
    }
}

/// Adds a peer; one that is already known keeps its card.
fn insert_referenced(
    referenced: &mut BTreeMap<AgentName, PeerEntry>,
    known: &mut BTreeMap<AgentName, PeerEntry>,
    config: PeerConfig,
) -> Result<(), PeerRegistryError> {
    let name = config.name.clone().filter(|name| is_agent_name(name.as_str())).ok_or_else(|| {
        let detail =
            format!("the remote agent at {} needs a name of lower-case letters, digits and dashes", config.url);
        refusal(ErrorCode::INVALID_REQUEST, detail)
    })?;
    if referenced.contains_key(&name) {
        let detail = format!("'{name}' has two URLs; the first one is used");
        return Err(refusal(error_codes::ALREADY_EXISTS, detail));
    }
    if referenced.len() >= MAX_PEERS {
        return Err(refusal(
            ErrorCode::BUSY,
            format!("{MAX_PEERS} remote agents are already named, which is the limit"),
        ));
    }
    let existing = known.remove(&name).filter(|entry| entry.config == config);
    let entry = existing.unwrap_or_else(|| PeerEntry::new(&name, config, None, true));
    referenced.insert(name, entry);
    Ok(())
}
