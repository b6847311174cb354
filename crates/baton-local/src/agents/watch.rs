//! Polls for changes in the background.

use super::DirectoryAgents;
use baton_ports::{AgentSource as _, UnusableEntry};
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio::{task::spawn_blocking, time::Instant};

/// Polling interval while scans are fast.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Ratio of idle time to scan time: full scans become rarer with more agents. Recently used agents are few and are
/// checked in every interval.
const IDLE_RATIO: u32 = 100;

impl DirectoryAgents {
    /// Polls for changes and logs changed agents and unusable entries; never returns.
    pub async fn watch(&self) {
        let mut previous = by_entry(self.unusable());
        let mut due = Instant::now();
        loop {
            tokio::time::sleep(POLL_INTERVAL).await;
            let (catalog, is_due) = (Arc::clone(&self.catalog), due <= Instant::now());
            let started = Instant::now();
            let scan = spawn_blocking(move || (is_due || catalog.has_changes()).then(|| catalog.reload_stamped()));
            let Ok(Some(reload)) = scan.await else { continue };
            due = Instant::now() + started.elapsed() * IDLE_RATIO;
            for name in &reload.changed {
                match self.has(name) {
                    true => tracing::info!(agent = %name, "the definition has changed"),
                    false => tracing::info!(agent = %name, "the agent was removed"),
                }
            }
            let now = by_entry(reload.unusable);
            for (entry, reason) in now.iter().filter(|(entry, reason)| previous.get(*entry) != Some(reason)) {
                tracing::warn!(%entry, %reason, "the entry is unusable; the previous version is still served");
            }
            for entry in previous.keys().filter(|entry| !now.contains_key(*entry)) {
                tracing::info!(%entry, "the entry is usable again or was removed");
            }
            previous = now;
        }
    }
}

fn by_entry(unusable: Vec<UnusableEntry>) -> BTreeMap<String, String> {
    unusable.into_iter().map(|unusable| (unusable.entry, unusable.reason)).collect()
}
