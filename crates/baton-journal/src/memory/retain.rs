//! Retention: deletion of ended streams.

use super::state::State;
use baton_ports::{Head, RetentionPolicy};
use baton_types::{AgentName, ContextId, StreamId, Timestamp};
use std::{collections::HashSet, sync::Arc};

impl State {
    pub(super) fn retain(&mut self, policy: &RetentionPolicy) -> u64 {
        let ended = self.streams.iter().filter(|(_, stream)| stream.head.terminal && !stream.head.active);
        let mut ended: Vec<(Timestamp, u64, bool)> =
            ended.map(|(key, stream)| (stream.head.status_at, *key, stream.head.task().is_some())).collect();
        ended.sort_unstable();
        let mut younger_tasks = ended.iter().filter(|(_, _, is_task)| *is_task).count() as u64;
        let owing = self.outbox.owing();
        let tasks = self.heads().filter(|head| head.task().is_some());
        let talked_in: HashSet<_> = tasks.map(conversation).collect();
        let mut forgotten = HashSet::new();
        for (status_at, key, is_task) in ended {
            younger_tasks -= u64::from(is_task);
            let beyond = policy.keep_ended.is_some_and(|keep| younger_tasks >= keep);
            let old = policy.ended_before.is_some_and(|moment| status_at < moment);
            let spared = policy.spare_from.is_some_and(|moment| status_at >= moment);
            let is_kept = self.streams.get(&key).is_none_or(|stream| {
                let is_session = matches!(stream.head.stream, StreamId::Session(_));
                owing.contains(&stream.head.stream) || is_session && talked_in.contains(&conversation(&stream.head))
            });
            if !spared && !is_kept && (old || beyond) {
                forgotten.extend(self.forget(key));
            }
        }
        self.outbox.forget(&forgotten);
        self.claims.forget(&forgotten);
        forgotten.len() as u64
    }

    /// Removes a stream with its events.
    pub(super) fn forget(&mut self, key: u64) -> Option<StreamId> {
        let stream = self.streams.remove(&key)?;
        self.keys.remove(&stream.head.stream);
        for event in &stream.events {
            self.events.remove(&event.seq);
        }
        Some(stream.head.stream)
    }
}

/// Identity of the stream's conversation: tenant, subject, agent and context.
fn conversation(head: &Head) -> (Arc<str>, Arc<str>, AgentName, ContextId) {
    (head.owner.tenant.clone(), head.owner.subject.clone(), head.agent.clone(), head.context.clone())
}
