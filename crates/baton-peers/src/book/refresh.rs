//! Keeping cards fresh.

use super::{Book, CardRead, agent::slug, entry::Entry, keep::no_card};
use crate::PeerConfig;
use baton_ports::PeerBookError;
use baton_types::AgentName;
use std::{sync::Arc, time::Duration};
use tokio::time::sleep;

/// How often cards are read anew.
const EVERY: Duration = Duration::from_secs(600);

impl Book {
    /// Reads every card now and then every ten minutes, for as long as it is polled.
    pub async fn keep_fresh(self: Arc<Self>) {
        loop {
            self.refresh_all().await;
            sleep(EVERY).await;
        }
    }

    /// Reads every card once; peers that cannot be reached stay as they were.
    pub async fn refresh_all(&self) {
        let names: Vec<AgentName> = self.entries.read().named.keys().cloned().collect();
        for name in names {
            if let Err(error) = self.refresh(&name).await {
                tracing::debug!(peer = %name, %error, "the card of a remote agent could not be read");
            }
        }
        let nameless = self.entries.read().nameless.clone();
        for config in nameless {
            let url = config.url.clone();
            if let Err(error) = self.meet(config).await {
                tracing::warn!(%url, %error, "a configured remote agent is not known yet");
            }
        }
    }

    /// Reads one card.
    pub(super) async fn refresh(&self, name: &AgentName) -> Result<(), PeerBookError> {
        let entry = self.entry(name)?;
        let last = entry.card.as_deref();
        let CardRead::Read(card) = self.reach.read_card(&entry.config, last).await? else { return Ok(()) };
        let _writing = self.writing.lock().await;
        let mut entries = self.entries.read().clone();
        // It may have been removed, or added anew at another address, meanwhile.
        let Some(now) = entries.named.get(name).filter(|now| now.config == entry.config).cloned() else {
            return Ok(());
        };
        entries.named.insert(name.clone(), now.renewed(card, &*self.reach));
        self.change(entries).await
    }

    /// Gives a configured peer the name of its card.
    async fn meet(&self, config: PeerConfig) -> Result<(), PeerBookError> {
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
