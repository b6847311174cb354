//! Outbox entries by id.

use baton_ports::{OutboxEntry, OutboxProgress};
use baton_types::StreamId;
use std::collections::{BTreeMap, HashSet};

#[derive(Default)]
pub(super) struct Outbox(BTreeMap<String, OutboxEntry>);

impl Outbox {
    pub(super) fn put(&mut self, entry: OutboxEntry) {
        self.0.insert(entry.id.clone(), entry);
    }

    pub(super) fn stream_entries(&self, channel: &str, stream: &StreamId) -> Vec<OutboxEntry> {
        self.0.values().filter(|entry| entry.channel == channel && entry.stream == *stream).cloned().collect()
    }

    pub(super) fn open_entries(&self, channel: &str, after: Option<&str>, limit: usize) -> Vec<OutboxEntry> {
        let after = after.unwrap_or_default();
        let later = self.0.values().filter(|entry| entry.id.as_str() > after);
        later.filter(|entry| entry.channel == channel && entry.progress.open).take(limit).cloned().collect()
    }

    /// Records progress, unless the cursor is behind the recorded one: such progress is outdated.
    pub(super) fn advance(&mut self, id: &str, progress: OutboxProgress) -> bool {
        let Some(entry) = self.0.get_mut(id) else { return false };
        if progress.cursor >= entry.progress.cursor {
            entry.progress = progress;
        }
        true
    }

    pub(super) fn remove(&mut self, id: &str) -> bool {
        self.0.remove(id).is_some()
    }

    /// Streams with pending deliveries.
    pub(super) fn pending_streams(&self) -> HashSet<StreamId> {
        self.0.values().filter(|entry| entry.progress.open).map(|entry| entry.stream.clone()).collect()
    }

    pub(super) fn remove_streams(&mut self, streams: &HashSet<StreamId>) {
        self.0.retain(|_, entry| !streams.contains(&entry.stream));
    }
}
