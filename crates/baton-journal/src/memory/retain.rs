//! Retention: deletion of ended streams.

use super::state::MemoryState;
use baton_ports::{RetentionPolicy, StreamHead};
use baton_types::{AgentName, ContextId, StreamId, Timestamp};
use std::{collections::HashSet, sync::Arc};

impl MemoryState {
    pub(super) fn apply_retention(&mut self, policy: &RetentionPolicy) -> u64 {
        let ended = self.streams.iter().filter(|(_, stream)| stream.head.terminal && !stream.head.active);
        let mut ended: Vec<(Timestamp, u64, bool)> =
            ended.map(|(key, stream)| (stream.head.status_at, *key, stream.head.task().is_some())).collect();
        ended.sort_unstable();
        let mut younger_tasks = ended.iter().filter(|(_, _, is_task)| *is_task).count() as u64;
        let pending_streams = self.outbox.pending_streams();
        let tasks = self.heads().filter(|head| head.task().is_some());
        let conversations_with_tasks: HashSet<_> = tasks.map(conversation_key).collect();
        let mut removed = HashSet::new();
        for (status_at, key, is_task) in ended {
            younger_tasks -= u64::from(is_task);
            let beyond = policy.keep_ended.is_some_and(|keep| younger_tasks >= keep);
            let old = policy.ended_before.is_some_and(|moment| status_at < moment);
            let is_recent = policy.keep_since.is_some_and(|moment| status_at >= moment);
            let is_kept = self.streams.get(&key).is_none_or(|stream| {
                let is_session = matches!(stream.head.stream, StreamId::Session(_));
                pending_streams.contains(&stream.head.stream)
                    || is_session && conversations_with_tasks.contains(&conversation_key(&stream.head))
            });
            if !is_recent && !is_kept && (old || beyond) {
                removed.extend(self.remove_stream(key));
            }
        }
        self.outbox.remove_streams(&removed);
        self.claims.remove_streams(&removed);
        removed.len() as u64
    }

    /// Removes a stream with its events.
    pub(super) fn remove_stream(&mut self, key: u64) -> Option<StreamId> {
        let stream = self.streams.remove(&key)?;
        self.keys.remove(&stream.head.stream);
        for event in &stream.events {
            self.events.remove(&event.seq);
        }
        Some(stream.head.stream)
    }
}

/// Identity of the stream's conversation: tenant, subject, agent and context.
fn conversation_key(head: &StreamHead) -> (Arc<str>, Arc<str>, AgentName, ContextId) {
    (head.owner.tenant.clone(), head.owner.subject.clone(), head.agent.clone(), head.context.clone())
}
