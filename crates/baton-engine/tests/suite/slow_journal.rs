//! A journal with delayed commits: appends queue in order and are committed a little later, as on a disk.

use baton_ports::{
    Blob, BoxFuture, Claim, Commit, CommitObserver, ConversationPage, ConversationQuery, DeleteOutcome, Journal,
    JournalError, Lease, LoadedStream, OutboxEntry, OutboxProgress, Receipt, RetentionPolicy, StoredEvent, StreamHead,
    StreamPage, StreamQuery,
};
use baton_types::{AgentName, BudgetUsage, ContextId, Digest, Principal, StreamId, Timestamp};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::sync::{mpsc, oneshot};

type Job = Box<dyn FnOnce() -> BoxFuture<'static, ()> + Send>;

/// Reads see committed state; writes and leases are queued.
pub(crate) struct SlowJournal {
    inner: Arc<dyn Journal>,
    jobs: mpsc::Sender<Job>,
    /// While set, outbox entries can be neither read nor advanced.
    pub(crate) outbox_down: Arc<AtomicBool>,
    /// Delay of event reads.
    pub(crate) read_delay: Duration,
    /// Delay of reads of handoff records.
    pub(crate) record_delay: Duration,
}

impl SlowJournal {
    /// Must be called inside a runtime; the queue ends with the runtime.
    pub(crate) fn new(inner: Arc<dyn Journal>, sync: Duration) -> Self {
        let (jobs, mut queue) = mpsc::channel::<Job>(1024);
        tokio::spawn(async move {
            let mut group = Vec::new();
            while queue.recv_many(&mut group, 64).await > 0 {
                tokio::time::sleep(sync).await;
                for job in group.drain(..) {
                    job().await;
                }
            }
        });
        Self { inner, jobs, outbox_down: Arc::default(), read_delay: Duration::ZERO, record_delay: Duration::ZERO }
    }

    fn check_outbox(&self) -> Result<(), JournalError> {
        if self.outbox_down.load(Ordering::Relaxed) {
            return Err(JournalError::Unavailable("away".to_owned()));
        }
        Ok(())
    }

    fn enqueue<T: Send + 'static>(
        &self,
        job: impl FnOnce(Arc<dyn Journal>) -> BoxFuture<'static, Result<T, JournalError>> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, JournalError>> {
        let (reply, response) = oneshot::channel();
        let inner = Arc::clone(&self.inner);
        let job: Job = Box::new(move || {
            Box::pin(async move {
                let _ = reply.send(job(inner).await);
            })
        });
        let queued = self.jobs.try_send(job);
        Box::pin(async move {
            queued.map_err(|_| JournalError::Busy)?;
            response.await.unwrap_or_else(|_| Err(JournalError::Unavailable("the journal is gone".to_owned())))
        })
    }
}

impl Journal for SlowJournal {
    fn observe(&self, observer: Arc<dyn CommitObserver>) {
        self.inner.observe(observer);
    }

    fn append(&self, commit: Commit) -> Receipt {
        self.enqueue(|inner| inner.append(commit))
    }

    fn acquire<'a>(
        &'a self,
        stream: &'a StreamId,
        holder: &'a str,
        now: Timestamp,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Lease, JournalError>> {
        let (stream, holder) = (stream.clone(), holder.to_owned());
        self.enqueue(move |inner| Box::pin(async move { inner.acquire(&stream, &holder, now, ttl).await }))
    }

    fn load<'a>(
        &'a self,
        principal: Option<&'a Principal>,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<Option<LoadedStream>, JournalError>> {
        Box::pin(async move {
            let found = self.inner.load(principal, stream).await;
            if matches!(stream, StreamId::Handoff(_)) && !self.record_delay.is_zero() {
                tokio::time::sleep(self.record_delay).await;
            }
            found
        })
    }

    fn events<'a>(
        &'a self,
        stream: &'a StreamId,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<StoredEvent>>, JournalError>> {
        Box::pin(async move {
            let found = self.inner.events(stream, after, limit).await;
            if !self.read_delay.is_zero() {
                tokio::time::sleep(self.read_delay).await;
            }
            found
        })
    }

    fn tail(&self, after: u64, limit: usize) -> BoxFuture<'_, Result<Vec<Arc<StoredEvent>>, JournalError>> {
        self.inner.tail(after, limit)
    }

    fn list<'a>(
        &'a self,
        principal: &'a Principal,
        query: &'a StreamQuery,
    ) -> BoxFuture<'a, Result<StreamPage, JournalError>> {
        self.inner.list(principal, query)
    }

    fn active_streams(
        &self,
        after: Option<StreamId>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StreamHead>, JournalError>> {
        self.inner.active_streams(after, limit)
    }

    fn put_blob(&self, bytes: Blob) -> BoxFuture<'_, Result<Digest, JournalError>> {
        self.inner.put_blob(bytes)
    }

    fn blob<'a>(&'a self, digest: &'a Digest) -> BoxFuture<'a, Result<Option<Blob>, JournalError>> {
        self.inner.blob(digest)
    }

    fn outbox<'a>(
        &'a self,
        channel: &'a str,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<Vec<OutboxEntry>, JournalError>> {
        Box::pin(async move {
            self.check_outbox()?;
            self.inner.outbox(channel, stream).await
        })
    }

    fn outbox_open<'a>(
        &'a self,
        channel: &'a str,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<OutboxEntry>, JournalError>> {
        Box::pin(async move {
            self.check_outbox()?;
            self.inner.outbox_open(channel, after, limit).await
        })
    }

    fn outbox_advance<'a>(
        &'a self,
        id: &'a str,
        progress: OutboxProgress,
    ) -> BoxFuture<'a, Result<bool, JournalError>> {
        let id = id.to_owned();
        let up = self.check_outbox();
        self.enqueue(move |inner| {
            Box::pin(async move {
                up?;
                inner.outbox_advance(&id, progress).await
            })
        })
    }

    fn outbox_remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, JournalError>> {
        let id = id.to_owned();
        self.enqueue(move |inner| Box::pin(async move { inner.outbox_remove(&id).await }))
    }

    fn claim<'a>(
        &'a self,
        principal: &'a Principal,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Claim>, JournalError>> {
        self.inner.claim(principal, key)
    }

    fn tally<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<BudgetUsage, JournalError>> {
        self.inner.tally(key)
    }

    fn conversations<'a>(
        &'a self,
        principal: &'a Principal,
        query: &'a ConversationQuery,
    ) -> BoxFuture<'a, Result<ConversationPage, JournalError>> {
        self.inner.conversations(principal, query)
    }

    fn delete_conversation<'a>(
        &'a self,
        principal: &'a Principal,
        agent: &'a AgentName,
        context: &'a ContextId,
    ) -> BoxFuture<'a, Result<DeleteOutcome, JournalError>> {
        let (principal, agent, context) = (principal.clone(), agent.clone(), context.clone());
        self.enqueue(move |inner| {
            Box::pin(async move { inner.delete_conversation(&principal, &agent, &context).await })
        })
    }

    fn apply_retention(&self, policy: RetentionPolicy) -> BoxFuture<'_, Result<u64, JournalError>> {
        self.inner.apply_retention(policy)
    }

    fn healthy(&self) -> bool {
        self.inner.healthy()
    }
}
