//! The writer thread: executes all queued jobs in one transaction, syncs, notifies the observer and replies.

use super::{
    cache::{HeadCache, PendingHead, PrincipalCache},
    checkpoint::Checkpointer,
    deletions::{self, ConversationDeletion},
    error::{closed_error, from_sql},
    job::WriterJob,
    open::JournalOptions,
    queue::{JobQueue, Wait},
};
use baton_ports::{CommitObserver, JournalError};
use baton_types::StreamId;
use foldhash::HashMap;
use parking_lot::RwLock;
use rusqlite::Connection;
use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering},
    },
};

/// Maximum number of bytes per transaction, so that the page cache holds most of it.
const GROUP_BYTES: usize = 8 << 20;

/// SQLite's own maximum, used as "no limit".
const NO_PAGE_LIMIT: u32 = 4_294_967_294;

/// State shared by the journal's handle and its writer.
pub(super) struct WriterSharedState {
    pub(super) queue: JobQueue<WriterJob>,
    pub(super) observer: RwLock<Option<Arc<dyn CommitObserver>>>,
    pub(super) healthy: AtomicBool,
    /// Set when a probe is queued, cleared after every group: at most one probe per group.
    pub(super) probing: AtomicBool,
    /// The page limit for the next group; 0 for none.
    pub(super) max_pages: AtomicU32,
}

/// The writer's connection and its state between groups.
pub(super) struct JournalWriter {
    pub(super) connection: Connection,
    pub(super) heads: HeadCache,
    /// Summaries that the group has not written yet.
    pub(super) pending: HashMap<StreamId, PendingHead>,
    pub(super) principals: PrincipalCache,
    pub(super) last_seq: i64,
    pub(super) last_key: i64,
    /// Conversations whose rows are not removed yet, oldest first.
    pub(super) deletions: VecDeque<ConversationDeletion>,
    /// Conversations that the current group has marked for deletion.
    pub(super) marked_deletions: Vec<ConversationDeletion>,
    /// Set after a failed batch.
    pub(super) deletions_paused: bool,
    /// Pages in the WAL after the last commit.
    wal_pages: Arc<AtomicI32>,
    /// Pages in the WAL that trigger the next checkpoint.
    due_pages: i32,
    checkpoint_pages: i32,
    group: usize,
    max_pages: u32,
}

/// Fails all queued jobs if the writer thread ends early.
struct AbandonGuard<'a>(&'a WriterSharedState);

impl Drop for AbandonGuard<'_> {
    fn drop(&mut self) {
        self.0.healthy.store(false, Ordering::Release);
        for job in self.0.queue.abandon() {
            job.fail(closed_error());
        }
    }
}

impl JournalWriter {
    pub(super) fn new(mut connection: Connection, options: &JournalOptions) -> Result<Self, JournalError> {
        let logged = Arc::new(AtomicI32::new(0));
        let pages = logged.clone();
        let hook = move |_: &mut rusqlite::hooks::Wal, count| {
            pages.store(count, Ordering::Relaxed);
            Ok(())
        };
        connection.wal_hook(Some(hook)).map_err(|error| from_sql(&error))?;
        let checkpoint_pages = i32::try_from(options.checkpoint_pages).unwrap_or(i32::MAX);
        let mut writer = Self {
            connection,
            heads: HeadCache::new(options.cached_heads),
            pending: HashMap::default(),
            principals: PrincipalCache::default(),
            last_seq: 0,
            last_key: 0,
            deletions: VecDeque::new(),
            marked_deletions: Vec::new(),
            deletions_paused: false,
            wal_pages: logged,
            due_pages: checkpoint_pages,
            checkpoint_pages,
            group: options.group.max(1),
            max_pages: 0,
        };
        writer.reload_counters().map_err(|error| from_sql(&error))?;
        writer.deletions = deletions::load(&writer.connection).map_err(|error| from_sql(&error))?.into();
        Ok(writer)
    }

    /// Runs until the queue is closed and empty, then truncates the WAL.
    pub(super) fn run(mut self, shared: &WriterSharedState, checkpointer: Checkpointer) {
        let abandon = AbandonGuard(shared);
        let mut jobs = Vec::new();
        loop {
            // Rows are removed between groups of commits and while the queue is empty.
            let wait = if self.is_deleting() { Wait::No } else { Wait::Yes };
            if !shared.queue.take(&mut jobs, self.group, GROUP_BYTES, wait) {
                break;
            }
            self.limit_pages(shared.max_pages.load(Ordering::Acquire));
            if !jobs.is_empty() {
                self.process_group(shared, &mut jobs);
                shared.probing.store(false, Ordering::Release);
            }
            if self.is_deleting() {
                self.delete_batch();
            }
            self.checkpoint_when_due(&checkpointer);
        }
        self.abort_deletions();
        drop(abandon);
        // Its connection must not be the last one: it would not truncate the WAL.
        drop(checkpointer);
        if let Err(error) = self.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)") {
            tracing::warn!(%error, "the journal was closed without a checkpoint; the next start runs it");
        }
    }

    fn process_group(&mut self, shared: &WriterSharedState, jobs: &mut Vec<WriterJob>) {
        match self.commit(jobs) {
            Ok(()) => {
                // Deletions that failed because the disk was full may succeed now.
                if jobs.iter().any(WriterJob::succeeded) && !shared.healthy.swap(true, Ordering::AcqRel) {
                    self.deletions_paused = false;
                }
                self.start_deletions();
                let observer = shared.observer.read().clone();
                for job in jobs.drain(..) {
                    match job {
                        WriterJob::DeleteConversation(key, reply) => self.reply_when_deleted(&key, reply),
                        job => job.settle(observer.as_deref()),
                    }
                }
            }
            Err(error) => {
                tracing::error!(%error, jobs = jobs.len(), "a group of commits failed");
                shared.healthy.store(false, Ordering::Release);
                self.rollback_group();
                let reason = from_sql(&error);
                for job in jobs.drain(..) {
                    job.fail(reason.clone());
                }
            }
        }
    }

    /// Executes all jobs in one transaction; each job stores its result for later.
    pub(super) fn commit(&mut self, jobs: &mut [WriterJob]) -> rusqlite::Result<()> {
        self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let is_single = jobs.len() == 1;
        for job in jobs {
            // These jobs read or remove stream rows.
            if matches!(job, WriterJob::Acquire(..) | WriterJob::RemoveStreams(..) | WriterJob::DeleteConversation(..))
            {
                self.flush_heads()?;
            }
            match job {
                WriterJob::Append(encoded, reply) => reply.set_result(self.append(encoded))?,
                WriterJob::Acquire(request, reply) => reply.set_result(self.acquire(request))?,
                WriterJob::PutBlob(digest, bytes, reply) => reply.set_result(self.pin(digest, bytes))?,
                WriterJob::Advance(id, progress, reply) => reply.set_result(self.advance_outbox(id, progress))?,
                WriterJob::RemoveOutboxEntry(id, reply) => reply.set_result(self.remove_outbox_entry(id))?,
                WriterJob::PutToken(token, reply) => reply.set_result(self.put_token(token))?,
                WriterJob::RemoveStreams(keys, reply) => reply.set_result(self.remove_streams(keys))?,
                WriterJob::DeleteConversation(key, reply) => reply.set_result(self.hide_conversation(key))?,
                WriterJob::Sweep(digests, reply) => reply.set_result(self.sweep(digests))?,
                WriterJob::Probe(reply) if is_single => reply.set_result(self.probe())?,
                // Together with other jobs, a probe would only put their transaction at risk.
                WriterJob::Probe(reply) => reply.set_result(Ok(()))?,
            }
        }
        self.flush_heads()?;
        self.connection.prepare_cached("COMMIT")?.execute([])?;
        Ok(())
    }

    /// Rolls back a failed group and clears all caches, which may no longer match the file.
    pub(super) fn rollback_group(&mut self) {
        if !self.connection.is_autocommit()
            && let Err(error) = self.connection.execute_batch("ROLLBACK")
        {
            tracing::error!(%error, "a failed group could not be rolled back");
        }
        self.heads.clear();
        self.pending.clear();
        self.marked_deletions.clear();
        self.principals.clear();
        if let Err(error) = self.reload_counters() {
            tracing::error!(%error, "the journal's counters could not be read again");
        }
    }

    fn reload_counters(&mut self) -> rusqlite::Result<()> {
        (self.last_seq, self.last_key) = self.connection.query_row(
            "SELECT max(last_seq, coalesce((SELECT max(seq) FROM events), 0)), \
             max(last_key, coalesce((SELECT max(key) FROM streams), 0)) FROM floor",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        Ok(())
    }

    fn limit_pages(&mut self, max_pages: u32) {
        if max_pages == self.max_pages {
            return;
        }
        let pages = if max_pages == 0 { NO_PAGE_LIMIT } else { max_pages };
        match self.connection.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(())) {
            Ok(()) => self.max_pages = max_pages,
            Err(error) => tracing::warn!(%error, "the page limit could not be set"),
        }
    }

    /// Checkpoints the WAL in two steps: the checkpointer copies its pages while commits continue; the writer then copies
    /// the few that were added meanwhile, after which the next commit starts the WAL anew. Both are after the replies of
    /// the group.
    fn checkpoint_when_due(&mut self, checkpointer: &Checkpointer) {
        if checkpointer.take_copied() {
            if let Err(error) = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())) {
                tracing::warn!(%error, "a checkpoint failed; the log grows until one succeeds");
            }
            // Readers of old snapshots keep the WAL; it is not checkpointed again after every commit.
            self.due_pages = self.wal_pages.swap(0, Ordering::Relaxed).saturating_add(self.checkpoint_pages);
        } else if self.wal_pages.load(Ordering::Relaxed) >= self.due_pages {
            checkpointer.request();
        } else if self.wal_pages.load(Ordering::Relaxed) < self.checkpoint_pages {
            self.due_pages = self.checkpoint_pages;
        }
    }
}
