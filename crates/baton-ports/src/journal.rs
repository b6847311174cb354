//! The journal: append-only events per stream, the single source of truth.
//!
//! Appends are pipelined: [`Journal::append`] queues and returns immediately, commits happen in queue order, and a
//! [`Receipt`] resolves when its commit is on disk. A later append to the same stream expects the version that the
//! earlier one produces, so if one fails, all later ones fail too.

mod list;

pub use list::{
    ConversationCursor, ConversationPage, ConversationQuery, ConversationSummary, DeleteOutcome, StreamCursor,
    StreamPage, StreamQuery,
};

use crate::{BoxFuture, Claim, OutboxEntry, OutboxProgress, error_codes};
use baton_types::{
    AgentName, BudgetUsage, ContextId, Digest, ErrorCode, JournalEvent, Json, Principal, RunId, StreamId, TaskId,
    Timestamp,
};
use std::{sync::Arc, time::Duration};

/// An atomic set of writes; may span several streams.
#[derive(Clone, Debug, Default)]
pub struct Commit {
    /// The writes.
    pub writes: Vec<Write>,
    /// Outbox entries, upserted by id.
    pub outbox: Vec<OutboxEntry>,
    /// Idempotency keys claimed with the writes; a key that is already in use rejects the whole commit.
    pub claims: Vec<Claim>,
    /// Amounts added to running totals with the writes.
    pub tallies: Vec<Tally>,
}

/// An amount to add to a running total.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Key of the running total.
    pub key: String,
    /// The amount to add.
    pub spent: BudgetUsage,
}

impl Commit {
    /// A commit with these writes only.
    pub fn from_writes(writes: Vec<Write>) -> Self {
        Self { writes, ..Self::default() }
    }
}

/// Events for one stream.
#[derive(Clone, Debug)]
pub struct Write {
    /// The stream.
    pub stream: StreamId,
    /// The number of its last event; 0 creates the stream.
    pub expected_version: u64,
    /// The writer's epoch; rejected if the stream has a newer one. A new stream starts with it.
    pub epoch: u64,
    /// The principal that caused the events; the owner of a new stream.
    pub principal: Arc<Principal>,
    /// The run that the events belong to.
    pub run: Option<RunId>,
    /// The active W3C trace context.
    pub trace: Option<Arc<str>>,
    /// Time of the events.
    pub at: Timestamp,
    /// The events, numbered from `expected_version + 1`; never empty.
    pub facts: Vec<JournalEvent>,
    /// The stream's summary after the events.
    pub head: StreamHeadUpdate,
    /// The folded state after the events, if later loads shall start from it.
    pub snapshot: Option<Json>,
}

/// The summary for lists and recovery; computed by the writer, because the journal does not interpret events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamHeadUpdate {
    /// The agent concerned (the receiver, for a handoff).
    pub agent: AgentName,
    /// The conversation.
    pub context: ContextId,
    /// Name of the state.
    pub state: &'static str,
    /// Time of the last status change.
    pub status_at: Timestamp,
    /// Whether Baton has pending work on the stream; recovery loads these.
    pub active: bool,
    /// Whether the stream has ended; retention may remove only these.
    pub terminal: bool,
}

/// The stored summary of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamHead {
    /// The stream.
    pub stream: StreamId,
    /// Its owner; `scopes` is empty.
    pub owner: Arc<Principal>,
    /// The agent concerned.
    pub agent: AgentName,
    /// The conversation.
    pub context: ContextId,
    /// Name of the state.
    pub state: String,
    /// The number of the last event.
    pub version: u64,
    /// The newest epoch.
    pub epoch: u64,
    /// Creation time.
    pub created_at: Timestamp,
    /// Time of the last status change.
    pub status_at: Timestamp,
    /// Whether Baton has pending work.
    pub active: bool,
    /// Whether the stream has ended.
    pub terminal: bool,
}

/// One stored event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// Position among all events of the journal.
    pub seq: u64,
    /// The stream.
    pub stream: StreamId,
    /// Position in the stream, from 1, without gaps.
    pub number: u64,
    /// The run it belongs to.
    pub run: Option<RunId>,
    /// The epoch of the write.
    pub epoch: u64,
    /// Time of the event.
    pub at: Timestamp,
    /// Subject of the principal that caused the event.
    pub subject: Arc<str>,
    /// The active W3C trace context.
    pub trace: Option<Arc<str>>,
    /// The event data.
    pub fact: JournalEvent,
}

/// A folded state and its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The last event folded in.
    pub version: u64,
    /// The state, as its writer stored it.
    pub state: Json,
}

/// Everything needed to continue a stream.
#[derive(Clone, Debug)]
pub struct LoadedStream {
    /// Its summary.
    pub head: StreamHead,
    /// The state to start folding from.
    pub snapshot: Option<Snapshot>,
    /// All events after the snapshot.
    pub events: Vec<Arc<StoredEvent>>,
}

/// Resolves with the sequence number of the last event when the commit is on disk.
pub type Receipt = BoxFuture<'static, Result<u64, JournalError>>;

/// The right to advance a stream until a newer lease is acquired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The stream.
    pub stream: StreamId,
    /// Appends with a lower epoch are rejected.
    pub epoch: u64,
    /// No other holder may acquire the lease before this time.
    pub expires_at: Timestamp,
}

/// Content-addressed bytes.
pub type Blob = Arc<[u8]>;

/// Selects the streams to delete; unfinished streams and those with an open outbox entry are always kept.
#[derive(Clone, Debug, Default)]
pub struct RetentionPolicy {
    /// Deletes ended streams whose last status change is older than this.
    pub ended_before: Option<Timestamp>,
    /// Deletes ended streams beyond this number of most recently ended tasks.
    pub keep_ended: Option<u64>,
    /// Keeps streams that ended at or after this time, because a client may not have read the result yet.
    pub keep_since: Option<Timestamp>,
}

/// Size and queue length of a journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalStats {
    /// Queued commits.
    pub queued_commits: u64,
    /// Bytes on disk.
    pub bytes: u64,
}

/// Receives every commit, in order, after it is on disk and before its receipt resolves.
pub trait CommitObserver: Send + Sync + 'static {
    /// Receives the events of one commit; must not block.
    fn on_commit(&self, events: &[Arc<StoredEvent>]);
}

/// Error of a journal operation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// The stream is not at the expected version.
    #[error("stream {stream:?} is at version {actual}, not {expected}")]
    Conflict {
        /// The stream.
        stream: StreamId,
        /// The version that the writer expected.
        expected: u64,
        /// The actual version.
        actual: u64,
    },
    /// Another holder has taken over the stream.
    #[error("stream {stream:?} is held under epoch {actual}, not {epoch}")]
    StaleEpoch {
        /// The stream.
        stream: StreamId,
        /// The writer's epoch.
        epoch: u64,
        /// The newest epoch.
        actual: u64,
    },
    /// Another holder has the lease.
    #[error("stream {stream:?} is leased to another holder")]
    Leased {
        /// The stream.
        stream: StreamId,
    },
    /// The stream does not exist for this principal.
    #[error("stream {stream:?} does not exist")]
    Missing {
        /// The stream.
        stream: StreamId,
    },
    /// The idempotency key is already in use.
    #[error("the idempotency key '{key}' is taken")]
    Claimed {
        /// The key.
        key: String,
    },
    /// The queue is full.
    #[error("the journal's queue is full")]
    Busy,
    /// Nothing was written, or it is unknown whether it was; check before a retry.
    #[error("the journal is unavailable: {0}")]
    Unavailable(String),
    /// Another process owns the data directory.
    #[error("another process owns {0}")]
    Locked(String),
    /// The file is damaged or not a journal.
    #[error("the journal is damaged: {0}")]
    Corrupt(String),
    /// A stored record of a stream cannot be decoded; the rest of the journal is not affected.
    #[error("the stored record of {} {} cannot be read{}: {reason}", .stream.kind(), .stream.id(),
            .number.map(|number| format!(" (event {number})")).unwrap_or_default())]
    Damaged {
        /// The stream.
        stream: StreamId,
        /// Number of the event; `None` for the summary of the stream.
        number: Option<u64>,
        /// The decoding error.
        reason: String,
    },
    /// The data directory contains other data, but no journal.
    #[error("there is no journal in {0}, but there is other data that belongs to one")]
    Lost(String),
    /// The file was written by a newer version.
    #[error("the journal has schema {found}; this Baton supports {known}")]
    NewerSchema {
        /// Schema version of the file.
        found: u32,
        /// Schema version of this binary.
        known: u32,
    },
}

impl JournalError {
    /// The public error code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Conflict { .. } | Self::StaleEpoch { .. } | Self::Leased { .. } | Self::Claimed { .. } => {
                error_codes::JOURNAL_CONFLICT
            }
            Self::Missing { .. } => ErrorCode::TASK_NOT_FOUND,
            Self::Busy => ErrorCode::BUSY,
            Self::Unavailable(_) => error_codes::JOURNAL_UNAVAILABLE,
            Self::Locked(_) => error_codes::JOURNAL_LOCKED,
            Self::Corrupt(_) => error_codes::JOURNAL_CORRUPT,
            Self::Damaged { .. } => error_codes::RECORD_DAMAGED,
            Self::Lost(_) => error_codes::JOURNAL_MISSING,
            Self::NewerSchema { .. } => error_codes::JOURNAL_NEWER,
        }
    }
}

/// Durable events, stream summaries, blobs and outbox entries.
///
/// Reads with a principal return only its own streams; other streams are reported as missing. Reads without a principal
/// are reserved for the engine.
pub trait Journal: Send + Sync + 'static {
    /// Registers the commit observer; called once, before the first append.
    fn observe(&self, observer: Arc<dyn CommitObserver>);

    /// Queues a commit; never blocks. If the queue is full, the receipt resolves immediately with
    /// [`JournalError::Busy`].
    fn append(&self, commit: Commit) -> Receipt;

    /// A stream's summary and the events to continue it from.
    fn load<'a>(
        &'a self,
        principal: Option<&'a Principal>,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<Option<LoadedStream>, JournalError>>;

    /// Events of one stream with numbers above `after`, at most `limit`.
    fn events<'a>(
        &'a self,
        stream: &'a StreamId,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<StoredEvent>>, JournalError>>;

    /// Events of all streams with sequences above `after`, at most `limit`.
    fn tail(&self, after: u64, limit: usize) -> BoxFuture<'_, Result<Vec<Arc<StoredEvent>>, JournalError>>;

    /// The principal's streams that match the query.
    fn list<'a>(
        &'a self,
        principal: &'a Principal,
        query: &'a StreamQuery,
    ) -> BoxFuture<'a, Result<StreamPage, JournalError>>;

    /// Streams with `active` set, in creation order, starting after `after`.
    fn active_streams(
        &self,
        after: Option<StreamId>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StreamHead>, JournalError>>;

    /// Takes over a stream under a new epoch; fails while the lease of another holder is valid.
    fn acquire<'a>(
        &'a self,
        stream: &'a StreamId,
        holder: &'a str,
        now: Timestamp,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Lease, JournalError>>;

    /// Stores bytes under their digest; idempotent.
    fn put_blob(&self, bytes: Blob) -> BoxFuture<'_, Result<Digest, JournalError>>;

    /// Bytes by digest.
    fn blob<'a>(&'a self, digest: &'a Digest) -> BoxFuture<'a, Result<Option<Blob>, JournalError>>;

    /// The outbox entries of a channel for one stream, by id.
    fn outbox<'a>(
        &'a self,
        channel: &'a str,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<Vec<OutboxEntry>, JournalError>>;

    /// The open outbox entries of a channel, by id, starting after `after`.
    fn outbox_open<'a>(
        &'a self,
        channel: &'a str,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<OutboxEntry>, JournalError>>;

    /// Records the progress of an outbox entry; `false` if it no longer exists. Progress with a cursor behind the
    /// recorded one is outdated and ignored.
    fn outbox_advance<'a>(&'a self, id: &'a str, progress: OutboxProgress)
    -> BoxFuture<'a, Result<bool, JournalError>>;

    /// Removes an outbox entry; `false` if there was none.
    fn outbox_remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, JournalError>>;

    /// The claim of a principal's idempotency key.
    fn claim<'a>(
        &'a self,
        principal: &'a Principal,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Claim>, JournalError>>;

    /// A running total; zero if nothing was counted under the key.
    fn tally<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<BudgetUsage, JournalError>>;

    /// The principal's conversations that match: those with a task or a session.
    fn conversations<'a>(
        &'a self,
        principal: &'a Principal,
        query: &'a ConversationQuery,
    ) -> BoxFuture<'a, Result<ConversationPage, JournalError>>;

    /// Deletes one conversation of the principal: its tasks, the ended handoffs to it, its session stream, and their
    /// outbox entries and claims. One commit hides all of it or nothing; the hidden records may be removed later, also
    /// by the next process.
    fn delete_conversation<'a>(
        &'a self,
        principal: &'a Principal,
        agent: &'a AgentName,
        context: &'a ContextId,
    ) -> BoxFuture<'a, Result<DeleteOutcome, JournalError>>;

    /// Deletes the streams that the policy selects and returns their number. The session stream of a conversation is
    /// deleted after the last of its tasks.
    fn apply_retention(&self, policy: RetentionPolicy) -> BoxFuture<'_, Result<u64, JournalError>>;

    /// Whether appends are expected to succeed.
    fn healthy(&self) -> bool;

    /// Size and queue length; `None` if not measured.
    fn stats(&self) -> Option<JournalStats> {
        None
    }

    /// Unfinished tasks with the names of their states, at most `limit`; read once, at startup. The default is empty.
    fn open_tasks(&self, _limit: usize) -> BoxFuture<'_, Result<Vec<(TaskId, String)>, JournalError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

impl StreamHead {
    /// The task id, when the stream is a task's.
    pub fn task(&self) -> Option<&TaskId> {
        match &self.stream {
            StreamId::Task(id) => Some(id),
            StreamId::Handoff(_) | StreamId::Session(_) => None,
        }
    }
}
