//! The in-memory implementation of the journal port.

use super::{list, state::MemoryState};
use baton_ports::{
    Blob, BoxFuture, Claim, Commit, CommitObserver, ConversationPage, ConversationQuery, DeleteOutcome, Journal,
    JournalError, Lease, LoadedStream, OutboxEntry, OutboxProgress, Receipt, RetentionPolicy, StoredEvent, StreamHead,
    StreamPage, StreamQuery,
};
use baton_types::{AgentName, BudgetUsage, ContextId, Digest, Principal, StreamId, TaskId, Timestamp};
use parking_lot::Mutex;
use std::{future::ready, sync::Arc, time::Duration};

/// A journal in process memory, for tests and simulation.
///
/// Clones share one store, so it survives a simulated crash: drop everything else, keep a clone, and register a new
/// observer. Commits happen inside [`Journal::append`], so a receipt is ready immediately. The observer is called while
/// the store is locked and must not call back into it.
#[derive(Clone, Default)]
pub struct MemoryJournal {
    pub(super) state: Arc<Mutex<MemoryState>>,
}

impl MemoryJournal {
    /// An empty journal.
    pub fn new() -> Self {
        Self::default()
    }
}

pub(super) fn ready_result<'a, T: Send + 'a>(value: Result<T, JournalError>) -> BoxFuture<'a, Result<T, JournalError>> {
    Box::pin(ready(value))
}

impl Journal for MemoryJournal {
    fn observe(&self, observer: Arc<dyn CommitObserver>) {
        let replaced = self.state.lock().observer.replace(observer);
        drop(replaced);
    }

    fn append(&self, commit: Commit) -> Receipt {
        ready_result(self.state.lock().append(commit))
    }

    fn load<'a>(
        &'a self,
        principal: Option<&'a Principal>,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<Option<LoadedStream>, JournalError>> {
        ready_result(Ok(self.state.lock().load(principal, stream)))
    }

    fn events<'a>(
        &'a self,
        stream: &'a StreamId,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<StoredEvent>>, JournalError>> {
        ready_result(Ok(self.state.lock().events(stream, after, limit)))
    }

    fn tail(&self, after: u64, limit: usize) -> BoxFuture<'_, Result<Vec<Arc<StoredEvent>>, JournalError>> {
        ready_result(Ok(self.state.lock().tail(after, limit)))
    }

    fn list<'a>(
        &'a self,
        principal: &'a Principal,
        query: &'a StreamQuery,
    ) -> BoxFuture<'a, Result<StreamPage, JournalError>> {
        ready_result(Ok(list::page(self.state.lock().heads(), principal, query)))
    }

    fn active_streams(
        &self,
        after: Option<StreamId>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StreamHead>, JournalError>> {
        ready_result(Ok(self.state.lock().active(after.as_ref(), limit)))
    }

    fn acquire<'a>(
        &'a self,
        stream: &'a StreamId,
        holder: &'a str,
        now: Timestamp,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Lease, JournalError>> {
        ready_result(self.state.lock().acquire(stream, holder, now, ttl))
    }

    fn put_blob(&self, bytes: Blob) -> BoxFuture<'_, Result<Digest, JournalError>> {
        let digest = Digest::compute(&bytes);
        self.state.lock().blobs.insert(digest.clone(), bytes);
        ready_result(Ok(digest))
    }

    fn blob<'a>(&'a self, digest: &'a Digest) -> BoxFuture<'a, Result<Option<Blob>, JournalError>> {
        ready_result(Ok(self.state.lock().blobs.get(digest).cloned()))
    }

    fn outbox<'a>(
        &'a self,
        channel: &'a str,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<Vec<OutboxEntry>, JournalError>> {
        ready_result(Ok(self.state.lock().outbox.stream_entries(channel, stream)))
    }

    fn outbox_open<'a>(
        &'a self,
        channel: &'a str,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<OutboxEntry>, JournalError>> {
        ready_result(Ok(self.state.lock().outbox.open_entries(channel, after.as_deref(), limit)))
    }

    fn outbox_advance<'a>(
        &'a self,
        id: &'a str,
        progress: OutboxProgress,
    ) -> BoxFuture<'a, Result<bool, JournalError>> {
        ready_result(Ok(self.state.lock().outbox.advance(id, progress)))
    }

    fn outbox_remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, JournalError>> {
        ready_result(Ok(self.state.lock().outbox.remove(id)))
    }

    fn claim<'a>(
        &'a self,
        principal: &'a Principal,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Claim>, JournalError>> {
        ready_result(Ok(self.state.lock().claims.find(principal, key)))
    }

    fn tally<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<BudgetUsage, JournalError>> {
        ready_result(Ok(self.state.lock().tallies.get(key).copied().unwrap_or_default()))
    }

    fn conversations<'a>(
        &'a self,
        principal: &'a Principal,
        query: &'a ConversationQuery,
    ) -> BoxFuture<'a, Result<ConversationPage, JournalError>> {
        ready_result(Ok(self.state.lock().conversations(principal, query)))
    }

    fn delete_conversation<'a>(
        &'a self,
        principal: &'a Principal,
        agent: &'a AgentName,
        context: &'a ContextId,
    ) -> BoxFuture<'a, Result<DeleteOutcome, JournalError>> {
        ready_result(Ok(self.state.lock().delete_conversation(principal, agent, context)))
    }

    fn apply_retention(&self, policy: RetentionPolicy) -> BoxFuture<'_, Result<u64, JournalError>> {
        ready_result(Ok(self.state.lock().apply_retention(&policy)))
    }

    fn healthy(&self) -> bool {
        true
    }

    fn open_tasks(&self, limit: usize) -> BoxFuture<'_, Result<Vec<(TaskId, String)>, JournalError>> {
        let state = self.state.lock();
        let open = state.heads().filter(|head| !head.terminal);
        let tasks = open.filter_map(|head| Some((head.task()?.clone(), head.state.clone())));
        ready_result(Ok(tasks.take(limit).collect()))
    }
}
