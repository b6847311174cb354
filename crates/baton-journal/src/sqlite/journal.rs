//! The SQLite implementation of the journal port.

use super::{
    blobs,
    checkpoint::Checkpointer,
    claims,
    conversations::{self, ConversationKey},
    encode::EncodedCommit,
    error::closed_error,
    job::{LeaseRequest, PendingReply, WriterJob},
    list, load,
    open::{JournalOptions, LockedDirectory, lock_or_create, open_writer},
    outbox,
    queue::{JobQueue, PushError},
    readers::Readers,
    retain::{self, UnpinnedBlobPage},
    tallies,
    writer::{JournalWriter, WriterSharedState},
};
use baton_ports::{
    Blob, BoxFuture, Claim, Commit, CommitObserver, ConversationPage, ConversationQuery, DeleteOutcome, Journal,
    JournalError, JournalStats, Lease, LoadedStream, OutboxEntry, OutboxProgress, Receipt, RetentionPolicy,
    StoredEvent, StreamHead, StreamPage, StreamQuery,
};
use baton_types::{AgentName, BudgetUsage, ContextId, Digest, Principal, StreamId, TaskId, Timestamp};
use parking_lot::{Mutex, RwLock};
use std::{
    fs::File,
    future::ready,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

/// The durable journal; owns its data directory until it is closed or dropped.
pub struct SqliteJournal {
    shared: Arc<WriterSharedState>,
    pub(super) readers: Readers,
    writer: Mutex<Option<JoinHandle<()>>>,
    lock: Mutex<Option<File>>,
    file: PathBuf,
}

impl SqliteJournal {
    /// Opens (or creates) `journal.db` in `directory`, which one process at a time can own.
    #[expect(clippy::needless_pass_by_value, reason = "options are created for one journal")]
    pub fn open(directory: &Path, options: JournalOptions) -> Result<Self, JournalError> {
        let possession = lock_or_create(directory, options.if_absent)?;
        let writer = JournalWriter::new(open_writer(&possession.file, options.if_absent)?, &options)?;
        let shared = Arc::new(WriterSharedState {
            queue: JobQueue::new(options.queue.max(1), options.queue_bytes),
            observer: RwLock::new(None),
            healthy: AtomicBool::new(true),
            probing: AtomicBool::new(false),
            max_pages: AtomicU32::new(options.max_pages.unwrap_or(0)),
        });
        let no_thread = |error| JournalError::Unavailable(format!("cannot start a thread: {error}"));
        let readers = Readers::start(&possession.file, options.readers).map_err(no_thread)?;
        let checkpointer = Checkpointer::start(&possession.file).map_err(no_thread)?;
        let working = shared.clone();
        let thread = thread::Builder::new().name("journal-writer".to_owned());
        let thread = thread.spawn(move || writer.run(&working, checkpointer)).map_err(no_thread)?;
        let LockedDirectory { lock, file } = possession;
        Ok(Self { shared, readers, writer: Mutex::new(Some(thread)), lock: Mutex::new(Some(lock)), file })
    }

    /// Limits the size of the file from the next commit on; `None` removes the limit.
    pub fn set_max_pages(&self, pages: Option<u32>) {
        self.shared.max_pages.store(pages.unwrap_or(0), Ordering::Release);
    }

    /// Commits the queue, checkpoints the WAL and releases the directory; later calls fail with `Unavailable`.
    pub fn close(&self) {
        self.shared.queue.close();
        // Only a connection that can write removes the WAL, so the writer's connection closes last.
        self.readers.stop();
        let writer = self.writer.lock().take();
        if let Some(writer) = writer
            // The observer may drop the last handle on the writer's own thread.
            && writer.thread().id() != thread::current().id()
        {
            drop(writer.join());
        }
        let observer = self.shared.observer.write().take();
        drop(observer);
        drop(self.lock.lock().take());
    }

    /// Removes unreferenced blobs. Readers find them, so that the writer never scans.
    async fn sweep(&self) -> Result<(), JournalError> {
        let mut after = None;
        loop {
            let UnpinnedBlobPage { orphans, next } =
                self.readers.read(move |connection| retain::unpinned_blobs(connection, after)).await?;
            if !orphans.is_empty() {
                self.submit(|reply| WriterJob::Sweep(orphans, reply)).await?;
            }
            match next {
                Some(digest) => after = Some(digest),
                None => return Ok(()),
            }
        }
    }

    pub(super) fn submit<T: Send + 'static>(
        &self,
        job: impl FnOnce(PendingReply<T>) -> WriterJob,
    ) -> BoxFuture<'static, Result<T, JournalError>> {
        let (reply, answer) = PendingReply::new();
        let job = job(reply);
        let bytes = job.bytes();
        match self.shared.queue.push(job, bytes) {
            Ok(()) => {}
            Err(PushError::Full(job)) => job.fail(JournalError::Busy),
            Err(PushError::Closed(job)) => job.fail(closed_error()),
        }
        answer
    }
}

impl Drop for SqliteJournal {
    fn drop(&mut self) {
        self.close();
    }
}

impl Journal for SqliteJournal {
    fn observe(&self, observer: Arc<dyn CommitObserver>) {
        let replaced = self.shared.observer.write().replace(observer);
        drop(replaced);
    }

    fn append(&self, commit: Commit) -> Receipt {
        match EncodedCommit::new(commit) {
            Ok(encoded) => self.submit(|reply| WriterJob::Append(encoded, reply)),
            Err(error) => Box::pin(ready(Err(error))),
        }
    }

    fn load<'a>(
        &'a self,
        principal: Option<&'a Principal>,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<Option<LoadedStream>, JournalError>> {
        let (principal, stream) = (principal.cloned(), stream.clone());
        self.readers.read(move |connection| load::load(connection, principal.as_ref(), &stream))
    }

    fn events<'a>(
        &'a self,
        stream: &'a StreamId,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<StoredEvent>>, JournalError>> {
        let stream = stream.clone();
        self.readers.read(move |connection| load::stream_events(connection, &stream, after, limit))
    }

    fn tail(&self, after: u64, limit: usize) -> BoxFuture<'_, Result<Vec<Arc<StoredEvent>>, JournalError>> {
        self.readers.read(move |connection| load::tail(connection, after, limit))
    }

    fn list<'a>(
        &'a self,
        principal: &'a Principal,
        query: &'a StreamQuery,
    ) -> BoxFuture<'a, Result<StreamPage, JournalError>> {
        let (principal, query) = (principal.clone(), query.clone());
        self.readers.read(move |connection| list::page(connection, &principal, &query))
    }

    fn active_streams(
        &self,
        after: Option<StreamId>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StreamHead>, JournalError>> {
        self.readers.read(move |connection| load::active_streams(connection, after.as_ref(), limit))
    }

    fn acquire<'a>(
        &'a self,
        stream: &'a StreamId,
        holder: &'a str,
        now: Timestamp,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Lease, JournalError>> {
        let request = LeaseRequest { stream: stream.clone(), holder: holder.to_owned(), now, ttl };
        self.submit(|reply| WriterJob::Acquire(request, reply))
    }

    fn put_blob(&self, bytes: Blob) -> BoxFuture<'_, Result<Digest, JournalError>> {
        let digest = Digest::compute(&bytes);
        let Some(raw) = blobs::raw_digest(&digest) else {
            return Box::pin(ready(Err(JournalError::Unavailable("the digest is not SHA-256".to_owned()))));
        };
        let stored = self.submit(|reply| WriterJob::PutBlob(raw, bytes, reply));
        Box::pin(async move { stored.await.map(|()| digest) })
    }

    fn blob<'a>(&'a self, digest: &'a Digest) -> BoxFuture<'a, Result<Option<Blob>, JournalError>> {
        match blobs::raw_digest(digest) {
            Some(raw) => self.readers.read(move |connection| blobs::find(connection, &raw)),
            None => Box::pin(ready(Ok(None))),
        }
    }

    fn outbox<'a>(
        &'a self,
        channel: &'a str,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<Vec<OutboxEntry>, JournalError>> {
        let (channel, stream) = (channel.to_owned(), stream.clone());
        self.readers.read(move |connection| outbox::stream_entries(connection, &channel, &stream))
    }

    fn outbox_open<'a>(
        &'a self,
        channel: &'a str,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<OutboxEntry>, JournalError>> {
        let channel = channel.to_owned();
        self.readers.read(move |connection| outbox::open_entries(connection, &channel, after.as_deref(), limit))
    }

    fn outbox_advance<'a>(
        &'a self,
        id: &'a str,
        progress: OutboxProgress,
    ) -> BoxFuture<'a, Result<bool, JournalError>> {
        let id = id.to_owned();
        self.submit(|reply| WriterJob::Advance(id, progress, reply))
    }

    fn outbox_remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, JournalError>> {
        let id = id.to_owned();
        self.submit(|reply| WriterJob::RemoveOutboxEntry(id, reply))
    }

    fn claim<'a>(
        &'a self,
        principal: &'a Principal,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Claim>, JournalError>> {
        let (principal, key) = (principal.clone(), key.to_owned());
        self.readers.read(move |connection| claims::find(connection, &principal, &key))
    }

    fn tally<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<BudgetUsage, JournalError>> {
        let key = key.to_owned();
        self.readers.read(move |connection| tallies::find(connection, &key))
    }

    fn conversations<'a>(
        &'a self,
        principal: &'a Principal,
        query: &'a ConversationQuery,
    ) -> BoxFuture<'a, Result<ConversationPage, JournalError>> {
        let (principal, query) = (principal.clone(), query.clone());
        self.readers.read(move |connection| conversations::page(connection, &principal, &query))
    }

    fn delete_conversation<'a>(
        &'a self,
        principal: &'a Principal,
        agent: &'a AgentName,
        context: &'a ContextId,
    ) -> BoxFuture<'a, Result<DeleteOutcome, JournalError>> {
        let key = ConversationKey { principal: principal.clone(), agent: agent.clone(), context: context.clone() };
        let outcome = self.submit(|reply| WriterJob::DeleteConversation(key, reply));
        Box::pin(async move {
            let outcome = outcome.await?;
            if let Err(error) = self.sweep().await {
                tracing::warn!(%error, "long texts of a deleted conversation are kept until the next sweep");
            }
            Ok(outcome)
        })
    }

    fn apply_retention(&self, policy: RetentionPolicy) -> BoxFuture<'_, Result<u64, JournalError>> {
        Box::pin(async move {
            let keys = self.readers.read(move |connection| retain::candidates(connection, &policy)).await?;
            let mut removed = 0;
            for keys in keys.chunks(retain::MAX_STREAMS_PER_TRANSACTION) {
                let keys = keys.to_vec();
                removed += self.submit(|reply| WriterJob::RemoveStreams(keys, reply)).await?;
            }
            self.sweep().await?;
            Ok(removed)
        })
    }

    /// Whether the last group of commits succeeded. After a failure this also queues a probe, so that a readiness check
    /// alone brings the journal back when there is disk space again.
    fn healthy(&self) -> bool {
        let healthy = self.shared.healthy.load(Ordering::Acquire);
        if !healthy && !self.shared.probing.swap(true, Ordering::AcqRel) {
            // The reply is not needed: the result is in `healthy` at the next call.
            drop(self.submit(WriterJob::Probe));
        }
        healthy
    }

    fn stats(&self) -> Option<JournalStats> {
        let log = self.file.with_extension("db-wal");
        let sizes = [&self.file, &log].map(|file| file.metadata().map_or(0, |data| data.len()));
        Some(JournalStats { queued_commits: self.shared.queue.len() as u64, bytes: sizes.iter().sum() })
    }

    fn open_tasks(&self, limit: usize) -> BoxFuture<'_, Result<Vec<(TaskId, String)>, JournalError>> {
        self.readers.read(move |connection| load::open_tasks(connection, limit))
    }
}
