//! The writer thread: executes all queued jobs in one transaction, syncs, notifies the observer and replies.

use super::{
    cache::{Heads, PendingHead, Principals},
    deletions::{self, Deletion},
    error::{from_sql, stopped},
    job::Job,
    open::Options,
    queue::{Queue, Wait},
};
use baton_ports::{CommitObserver, JournalError};
use baton_types::StreamId;
use parking_lot::RwLock;
use rusqlite::Connection;
use std::{
    collections::{HashMap, VecDeque},
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
pub(super) struct Shared {
    pub(super) queue: Queue<Job>,
    pub(super) observer: RwLock<Option<Arc<dyn CommitObserver>>>,
    pub(super) healthy: AtomicBool,
    /// Set when a probe is queued, cleared after every group: at most one probe per group.
    pub(super) probing: AtomicBool,
    /// The page limit for the next group; 0 for none.
    pub(super) max_pages: AtomicU32,
}

/// The writer's connection and its state between groups.
pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) heads: Heads,
    /// Summaries that the group has not written yet.
    pub(super) pending: HashMap<StreamId, PendingHead>,
    pub(super) principals: Principals,
    pub(super) last_seq: i64,
    pub(super) last_key: i64,
    /// Conversations whose rows are not removed yet, oldest first.
    pub(super) deletions: VecDeque<Deletion>,
    /// Conversations that the current group has marked for deletion.
    pub(super) marked: Vec<Deletion>,
    /// Set after a failed batch.
    pub(super) deletions_paused: bool,
    /// Pages in the WAL after the last commit.
    logged: Arc<AtomicI32>,
    checkpoint_pages: i32,
    group: usize,
    max_pages: u32,
}

/// Fails all queued jobs if the writer thread ends early.
struct Abandon<'a>(&'a Shared);

impl Drop for Abandon<'_> {
    fn drop(&mut self) {
        self.0.healthy.store(false, Ordering::Release);
        for job in self.0.queue.abandon() {
            job.fail(stopped());
        }
    }
}

impl Writer {
    pub(super) fn new(mut connection: Connection, options: &Options) -> Result<Self, JournalError> {
        let logged = Arc::new(AtomicI32::new(0));
        let pages = logged.clone();
        let hook = move |_: &mut rusqlite::hooks::Wal, count| {
            pages.store(count, Ordering::Relaxed);
            Ok(())
        };
        connection.wal_hook(Some(hook)).map_err(|error| from_sql(&error))?;
        let mut writer = Self {
            connection,
            heads: Heads::new(options.cached_heads),
            pending: HashMap::new(),
            principals: Principals::default(),
            last_seq: 0,
            last_key: 0,
            deletions: VecDeque::new(),
            marked: Vec::new(),
            deletions_paused: false,
            logged,
            checkpoint_pages: i32::try_from(options.checkpoint_pages).unwrap_or(i32::MAX),
            group: options.group.max(1),
            max_pages: 0,
        };
        writer.recount().map_err(|error| from_sql(&error))?;
        writer.deletions = deletions::load(&writer.connection).map_err(|error| from_sql(&error))?.into();
        Ok(writer)
    }

    /// Runs until the queue is closed and empty, then truncates the WAL.
    pub(super) fn run(mut self, shared: &Shared) {
        let abandon = Abandon(shared);
        let mut jobs = Vec::new();
        loop {
            // Rows are removed between groups of commits and while the queue is empty.
            let wait = if self.is_deleting() { Wait::No } else { Wait::Yes };
            if !shared.queue.take(&mut jobs, self.group, GROUP_BYTES, wait) {
                break;
            }
            self.limit_pages(shared.max_pages.load(Ordering::Acquire));
            if !jobs.is_empty() {
                self.work(shared, &mut jobs);
                shared.probing.store(false, Ordering::Release);
            }
            if self.is_deleting() {
                self.delete_batch();
            }
            self.checkpoint_when_due();
        }
        self.leave_deletions();
        drop(abandon);
        if let Err(error) = self.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)") {
            tracing::warn!(%error, "the journal was closed without a checkpoint; the next start runs it");
        }
    }

    fn work(&mut self, shared: &Shared, jobs: &mut Vec<Job>) {
        match self.commit(jobs) {
            Ok(()) => {
                // Deletions that failed because the disk was full may succeed now.
                if jobs.iter().any(Job::succeeded) && !shared.healthy.swap(true, Ordering::AcqRel) {
                    self.deletions_paused = false;
                }
                self.begin_deletions();
                let observer = shared.observer.read().clone();
                for job in jobs.drain(..) {
                    match job {
                        Job::ForgetConversation(whose, asked) => self.answer_when_deleted(&whose, asked),
                        job => job.settle(observer.as_deref()),
                    }
                }
            }
            Err(error) => {
                tracing::error!(%error, jobs = jobs.len(), "a group of commits failed");
                shared.healthy.store(false, Ordering::Release);
                self.forget_group();
                let reason = from_sql(&error);
                for job in jobs.drain(..) {
                    job.fail(reason.clone());
                }
            }
        }
    }

    /// Executes all jobs in one transaction; each job stores its result for later.
    pub(super) fn commit(&mut self, jobs: &mut [Job]) -> rusqlite::Result<()> {
        self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let alone = jobs.len() == 1;
        for job in jobs {
            // These jobs read or remove stream rows.
            if matches!(job, Job::Acquire(..) | Job::Forget(..) | Job::ForgetConversation(..)) {
                self.flush_heads()?;
            }
            match job {
                Job::Append(encoded, asked) => asked.keep(self.append(encoded))?,
                Job::Acquire(take, asked) => asked.keep(self.acquire(take))?,
                Job::PutBlob(digest, bytes, asked) => asked.keep(self.pin(digest, bytes))?,
                Job::Advance(id, progress, asked) => asked.keep(self.advance(id, progress))?,
                Job::RemoveOrder(id, asked) => asked.keep(self.remove_order(id))?,
                Job::PutToken(token, asked) => asked.keep(self.put_token(token))?,
                Job::Forget(keys, asked) => asked.keep(self.forget(keys))?,
                Job::ForgetConversation(whose, asked) => asked.keep(self.forget_conversation(whose))?,
                Job::Sweep(digests, asked) => asked.keep(self.sweep(digests))?,
                Job::Probe(asked) if alone => asked.keep(self.probe())?,
                // Together with other jobs, a probe would only put their transaction at risk.
                Job::Probe(asked) => asked.keep(Ok(()))?,
            }
        }
        self.flush_heads()?;
        self.connection.prepare_cached("COMMIT")?.execute([])?;
        Ok(())
    }

    /// Rolls back a failed group and clears all caches, which may no longer match the file.
    pub(super) fn forget_group(&mut self) {
        if !self.connection.is_autocommit()
            && let Err(error) = self.connection.execute_batch("ROLLBACK")
        {
            tracing::error!(%error, "a failed group could not be rolled back");
        }
        self.heads.clear();
        self.pending.clear();
        self.marked.clear();
        self.principals.clear();
        if let Err(error) = self.recount() {
            tracing::error!(%error, "the journal's counters could not be read again");
        }
    }

    fn recount(&mut self) -> rusqlite::Result<()> {
        (self.last_seq, self.last_key) = self.connection.query_row(
            "SELECT max(last_seq, coalesce((SELECT max(seq) FROM events), 0)), \
             max(last_key, coalesce((SELECT max(key) FROM streams), 0)) FROM floor",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        Ok(())
    }

    fn limit_pages(&mut self, wanted: u32) {
        if wanted == self.max_pages {
            return;
        }
        let pages = if wanted == 0 { NO_PAGE_LIMIT } else { wanted };
        match self.connection.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(())) {
            Ok(()) => self.max_pages = wanted,
            Err(error) => tracing::warn!(%error, "the page limit could not be set"),
        }
    }

    /// Checkpoints the WAL; readers continue meanwhile, and the replies of the group have been sent.
    fn checkpoint_when_due(&mut self) {
        if self.logged.load(Ordering::Relaxed) < self.checkpoint_pages {
            return;
        }
        self.logged.store(0, Ordering::Relaxed);
        if let Err(error) = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())) {
            tracing::warn!(%error, "a checkpoint failed; the log grows until one succeeds");
        }
    }
}
