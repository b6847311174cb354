//! Periodic refresh of cards.

use super::{Book, CardRead, agent::slug, entry::Entry, keep::no_card};
use crate::PeerConfig;
use baton_ports::{PeerRegistryError, UnusableEntry};
use baton_types::AgentName;
use futures_util::{StreamExt as _, stream};
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use tokio::time::sleep;

/// Interval between refreshes.
const EVERY: Duration = Duration::from_secs(600);
/// Maximum number of cards read concurrently.
const AT_ONCE: usize = 8;

impl Book {
    /// Refreshes all cards now and then every ten minutes, for as long as the future is polled.
    pub async fn keep_fresh(self: Arc<Self>) {
        loop {
            drop(self.refresh_all().await);
            sleep(EVERY).await;
        }
    }

    /// Refreshes every card once and returns the failures. Unreachable peers keep their last card.
    pub async fn refresh_all(&self) -> Vec<UnusableEntry> {
        let (names, nameless) = {
            let (entries, lent) = (self.entries.read(), self.lent.read());
            let names = entries.named.keys().chain(lent.keys()).cloned().collect::<BTreeSet<_>>();
            (names, entries.nameless.clone())
        };
        let known = stream::iter(names).map(|name| async move {
            let error = self.refresh(&name).await.err()?;
            tracing::debug!(peer = %name, %error, "the card of a remote agent could not be read");
            let entry = self.entry(&name).map_or_else(|_| name.to_string(), |entry| entry.config.url);
            Some(UnusableEntry { entry, reason: error.to_string() })
        });
        let mut failed: Vec<Option<UnusableEntry>> = known.buffered(AT_ONCE).collect().await;
        let strangers = stream::iter(nameless).map(|config| async move {
            let url = config.url.clone();
            let error = self.meet(config).await.err()?;
            tracing::warn!(%url, %error, "a configured remote agent is not known yet");
            Some(UnusableEntry { entry: url, reason: error.to_string() })
        });
        failed.extend(strangers.buffered(AT_ONCE).collect::<Vec<_>>().await);
        failed.into_iter().flatten().collect()
    }

    /// Peers whose card was never read.
    pub fn unmet(&self) -> Vec<UnusableEntry> {
        let entries = self.entries.read();
        let named = entries.named.values().filter(|entry| entry.card.is_none()).map(|entry| &entry.config);
        let unmet = |config: &PeerConfig| UnusableEntry {
            entry: config.url.clone(),
            reason: "its agent card has not been read yet; ask again in a moment".to_owned(),
        };
        named.chain(&entries.nameless).map(unmet).collect()
    }

    /// Refreshes one card.
    pub(super) async fn refresh(&self, name: &AgentName) -> Result<(), PeerRegistryError> {
        let entry = self.entry(name)?;
        let last = entry.card.as_deref();
        let CardRead::Read(card) = self.reach.read_card(&entry.config, last).await? else { return Ok(()) };
        if !self.entries.read().named.contains_key(name) && self.renew_lent(name, &entry.config, &card) {
            return Ok(());
        }
        let _writing = self.writing.lock().await;
        let mut entries = self.entries.read().clone();
        // Meanwhile the peer may have been removed, or added again with another URL.
        let Some(now) = entries.named.get(name).filter(|now| now.config == entry.config).cloned() else {
            return Ok(());
        };
        entries.named.insert(name.clone(), now.renewed(card, &*self.reach));
        self.change(entries).await
    }

    /// Registers an unnamed configured peer under the name in its card.
    async fn meet(&self, config: PeerConfig) -> Result<(), PeerRegistryError> {
        let CardRead::Read(card) = self.reach.read_card(&config, None).await? else { return Err(no_card(&config)) };
        let name = slug(&card.card, &config.url).ok_or_else(|| no_card(&config))?;
        let _writing = self.writing.lock().await;
        self.check_name(&name)?;
        let mut entries = self.entries.read().clone();
        entries.nameless.retain(|other| *other != config);
        entries.named.insert(name.clone(), Entry::new(&name, config, None, true).renewed(card, &*self.reach));
        self.change(entries).await
    }
}
