//! Forgetting ended streams.

use super::state::State;
use baton_ports::RetentionPolicy;
use baton_types::{StreamId, Timestamp};
use std::collections::HashSet;

impl State {
    pub(super) fn retain(&mut self, policy: &RetentionPolicy) -> u64 {
        let ended = self.streams.iter().filter(|(_, stream)| stream.head.terminal && !stream.head.active);
        let mut ended: Vec<(Timestamp, u64, bool)> =
            ended.map(|(key, stream)| (stream.head.status_at, *key, stream.head.task().is_some())).collect();
        ended.sort_unstable();
        let mut younger_tasks = ended.iter().filter(|(_, _, is_task)| *is_task).count() as u64;
        let owing = self.outbox.owing();
        let mut forgotten = HashSet::new();
        for (status_at, key, is_task) in ended {
            younger_tasks -= u64::from(is_task);
            let beyond = policy.keep_ended.is_some_and(|keep| younger_tasks >= keep);
            let old = policy.ended_before.is_some_and(|moment| status_at < moment);
            let spared = policy.spare_from.is_some_and(|moment| status_at >= moment);
            if !spared && (old || beyond) {
                forgotten.extend(self.forget(key, &owing));
            }
        }
        self.outbox.forget(&forgotten);
        self.claims.forget(&forgotten);
        forgotten.len() as u64
    }

    /// Removes a stream with its events, unless it owes something.
    fn forget(&mut self, key: u64, owing: &HashSet<StreamId>) -> Option<StreamId> {
        if owing.contains(&self.streams.get(&key)?.head.stream) {
            return None;
        }
        let stream = self.streams.remove(&key)?;
        self.keys.remove(&stream.head.stream);
        for event in &stream.events {
            self.events.remove(&event.seq);
        }
        Some(stream.head.stream)
    }
}
