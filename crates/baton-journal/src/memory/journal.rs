//! The in-memory implementation of the journal port.

use super::{list, state::State};
use baton_ports::{
    Blob, BoxFuture, Claim, Commit, CommitObserver, ConversationPage, ConversationQuery, Forgotten, Head, Journal,
    JournalError, Lease, ListPage, ListQuery, Loaded, OutboxEntry, OutboxProgress, Receipt, RetentionPolicy,
    StoredEvent,
};
use baton_types::{AgentName, ContextId, Digest, Principal, Spent, StreamId, TaskId, Timestamp};
use parking_lot::Mutex;
use std::{future::ready, sync::Arc, time::Duration};

/// A journal in process memory, for tests and simulation.
///
/// Clones share one store, so it survives a simulated crash: drop everything else, keep a clone, and register a new
/// observer. Commits happen inside [`Journal::append`], so a receipt is ready immediately. The observer is called while
/// the store is locked and must not call back into it.
#[derive(Clone, Default)]
pub struct MemoryJournal {
    pub(super) state: Arc<Mutex<State>>,
}

impl MemoryJournal {
    /// An empty journal.
    pub fn new() -> Self {
        Self::default()
    }
}

pub(super) fn done<'a, T: Send + 'a>(value: Result<T, JournalError>) -> BoxFuture<'a, Result<T, JournalError>> {
    Box::pin(ready(value))
}

impl Journal for MemoryJournal {
    fn observe(&self, observer: Arc<dyn CommitObserver>) {
        let replaced = self.state.lock().observer.replace(observer);
        drop(replaced);
    }

    fn append(&self, commit: Commit) -> Receipt {
        done(self.state.lock().append(commit))
    }

    fn load<'a>(
        &'a self,
        principal: Option<&'a Principal>,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<Option<Loaded>, JournalError>> {
        done(Ok(self.state.lock().load(principal, stream)))
    }

    fn events<'a>(
        &'a self,
        stream: &'a StreamId,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<StoredEvent>>, JournalError>> {
        done(Ok(self.state.lock().events(stream, after, limit)))
    }

    fn tail(&self, after: u64, limit: usize) -> BoxFuture<'_, Result<Vec<Arc<StoredEvent>>, JournalError>> {
        done(Ok(self.state.lock().tail(after, limit)))
    }

    fn list<'a>(
        &'a self,
        principal: &'a Principal,
        query: &'a ListQuery,
    ) -> BoxFuture<'a, Result<ListPage, JournalError>> {
        done(Ok(list::page(self.state.lock().heads(), principal, query)))
    }

    fn active(&self, after: Option<StreamId>, limit: usize) -> BoxFuture<'_, Result<Vec<Head>, JournalError>> {
        done(Ok(self.state.lock().active(after.as_ref(), limit)))
    }

    fn acquire<'a>(
        &'a self,
        stream: &'a StreamId,
        holder: &'a str,
        now: Timestamp,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Lease, JournalError>> {
        done(self.state.lock().acquire(stream, holder, now, ttl))
    }

    fn put_blob(&self, bytes: Blob) -> BoxFuture<'_, Result<Digest, JournalError>> {
        let digest = Digest::of(&bytes);
        self.state.lock().blobs.insert(digest.clone(), bytes);
        done(Ok(digest))
    }

    fn blob<'a>(&'a self, digest: &'a Digest) -> BoxFuture<'a, Result<Option<Blob>, JournalError>> {
        done(Ok(self.state.lock().blobs.get(digest).cloned()))
    }

    fn outbox<'a>(
        &'a self,
        channel: &'a str,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<Vec<OutboxEntry>, JournalError>> {
        done(Ok(self.state.lock().outbox.of_stream(channel, stream)))
    }

    fn outbox_open<'a>(
        &'a self,
        channel: &'a str,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<OutboxEntry>, JournalError>> {
        done(Ok(self.state.lock().outbox.open(channel, after.as_deref(), limit)))
    }

    fn outbox_advance<'a>(
        &'a self,
        id: &'a str,
        progress: OutboxProgress,
    ) -> BoxFuture<'a, Result<bool, JournalError>> {
        done(Ok(self.state.lock().outbox.advance(id, progress)))
    }

    fn outbox_remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, JournalError>> {
        done(Ok(self.state.lock().outbox.remove(id)))
    }

    fn claim<'a>(
        &'a self,
        principal: &'a Principal,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Claim>, JournalError>> {
        done(Ok(self.state.lock().claims.find(principal, key)))
    }

    fn tally<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Spent, JournalError>> {
        done(Ok(self.state.lock().tallies.get(key).copied().unwrap_or_default()))
    }

    fn conversations<'a>(
        &'a self,
        principal: &'a Principal,
        query: &'a ConversationQuery,
    ) -> BoxFuture<'a, Result<ConversationPage, JournalError>> {
        done(Ok(self.state.lock().conversations(principal, query)))
    }

    fn forget<'a>(
        &'a self,
        principal: &'a Principal,
        agent: &'a AgentName,
        context: &'a ContextId,
    ) -> BoxFuture<'a, Result<Forgotten, JournalError>> {
        done(Ok(self.state.lock().forget_conversation(principal, agent, context)))
    }

    fn retain(&self, policy: RetentionPolicy) -> BoxFuture<'_, Result<u64, JournalError>> {
        done(Ok(self.state.lock().retain(&policy)))
    }

    fn healthy(&self) -> bool {
        true
    }

    fn open_tasks(&self, limit: usize) -> BoxFuture<'_, Result<Vec<(TaskId, String)>, JournalError>> {
        let state = self.state.lock();
        let open = state.heads().filter(|head| !head.terminal);
        let tasks = open.filter_map(|head| Some((head.task()?.clone(), head.state.clone())));
        done(Ok(tasks.take(limit).collect()))
    }
}
