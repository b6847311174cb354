//! Periodic refresh of cards.

use super::{CardReadOutcome, LocalPeerRegistry, agent::slug, entry::PeerEntry, local::no_card};
use crate::PeerConfig;
use baton_ports::{PeerRegistryError, UnusableEntry};
use baton_types::AgentName;
use futures_util::{StreamExt as _, stream};
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use tokio::time::sleep;

/// Interval between refreshes.
const REFRESH_INTERVAL: Duration = Duration::from_secs(600);
/// Maximum number of cards read concurrently.
const MAX_CONCURRENT_REFRESHES: usize = 8;

impl LocalPeerRegistry {
    /// Refreshes all cards now and then every ten minutes, for as long as the future is polled.
    pub async fn refresh_periodically(self: Arc<Self>) {
        loop {
            drop(self.refresh_all().await);
            sleep(REFRESH_INTERVAL).await;
        }
    }

    /// Refreshes every card once and returns the failures. Unreachable peers keep their last card.
    pub async fn refresh_all(&self) -> Vec<UnusableEntry> {
        let (names, unnamed_configs) = {
            let (entries, referenced) = (self.entries.read(), self.referenced.read());
            let names = entries.named.keys().chain(referenced.keys()).cloned().collect::<BTreeSet<_>>();
            (names, entries.unnamed.clone())
        };
        let known = stream::iter(names).map(|name| async move {
            let error = self.refresh(&name).await.err()?;
            tracing::debug!(peer = %name, %error, "the card of a remote agent could not be read");
            let entry = self.entry(&name).map_or_else(|_| name.to_string(), |entry| entry.config.url);
            Some(UnusableEntry { entry, reason: error.to_string() })
        });
        let mut failed: Vec<Option<UnusableEntry>> = known.buffered(MAX_CONCURRENT_REFRESHES).collect().await;
        let unnamed = stream::iter(unnamed_configs).map(|config| async move {
            let url = config.url.clone();
            let error = self.register_unnamed(config).await.err()?;
            tracing::warn!(%url, %error, "a configured remote agent is not known yet");
            Some(UnusableEntry { entry: url, reason: error.to_string() })
        });
        failed.extend(unnamed.buffered(MAX_CONCURRENT_REFRESHES).collect::<Vec<_>>().await);
        failed.into_iter().flatten().collect()
    }

    /// Peers whose card was never read.
    pub fn peers_without_card(&self) -> Vec<UnusableEntry> {
        let entries = self.entries.read();
        let named = entries.named.values().filter(|entry| entry.card.is_none()).map(|entry| &entry.config);
        let unmet = |config: &PeerConfig| UnusableEntry {
            entry: config.url.clone(),
            reason: "its agent card has not been read yet; ask again in a moment".to_owned(),
        };
        named.chain(&entries.unnamed).map(unmet).collect()
    }

    /// Refreshes one card.
    pub(super) async fn refresh(&self, name: &AgentName) -> Result<(), PeerRegistryError> {
        let entry = self.entry(name)?;
        let last = entry.card.as_deref();
        let CardReadOutcome::Read(card) = self.connector.read_card(&entry.config, last).await? else { return Ok(()) };
        if !self.entries.read().named.contains_key(name) && self.update_referenced_card(name, &entry.config, &card) {
            return Ok(());
        }
        let _writing = self.write_lock.lock().await;
        let mut entries = self.entries.read().clone();
        // Meanwhile the peer may have been removed, or added again with another URL.
        let Some(now) = entries.named.get(name).filter(|now| now.config == entry.config).cloned() else {
            return Ok(());
        };
        entries.named.insert(name.clone(), now.with_new_card(card, &*self.connector));
        self.commit_entries(entries).await
    }

    /// Registers an unnamed configured peer under the name in its card.
    async fn register_unnamed(&self, config: PeerConfig) -> Result<(), PeerRegistryError> {
        let CardReadOutcome::Read(card) = self.connector.read_card(&config, None).await? else {
            return Err(no_card(&config));
        };
        let name = slug(&card.card, &config.url).ok_or_else(|| no_card(&config))?;
        let _writing = self.write_lock.lock().await;
        self.check_name(&name)?;
        let mut entries = self.entries.read().clone();
        entries.unnamed.retain(|other| *other != config);
        entries
            .named
            .insert(name.clone(), PeerEntry::new(&name, config, None, true).with_new_card(card, &*self.connector));
        self.commit_entries(entries).await
    }
}
