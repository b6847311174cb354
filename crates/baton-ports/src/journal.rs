//! The journal: append-only events per stream, the only place where a fact becomes true.
//!
//! Appends are pipelined: [`Journal::append`] queues and returns at once, commits happen in queue order, and a
//! [`Receipt`] resolves when its commit is on disk. A later append to the same stream expects the version that the
//! earlier one makes, so if one fails all after it fail too.

mod list;

pub use list::{
    Conversation, ConversationCursor, ConversationPage, ConversationQuery, Forgotten, ListPage, ListQuery, PageCursor,
};

use crate::{BoxFuture, Claim, OutboxEntry, OutboxProgress};
use baton_types::{
    AgentName, ContextId, Digest, ErrorCode, Fact, Json, Principal, RunId, Spent, StreamId, TaskId, Timestamp,
};
use std::{sync::Arc, time::Duration};

/// What is written together or not at all; may span several streams.
#[derive(Clone, Debug, Default)]
pub struct Commit {
    /// The writes.
    pub writes: Vec<Write>,
    /// Standing orders to tell the outside; one with a known id replaces the earlier.
    pub outbox: Vec<OutboxEntry>,
    /// Idempotency keys that are taken with the writes; one that is taken already refuses the whole commit.
    pub claims: Vec<Claim>,
    /// What is added to running totals with the writes.
    pub tallies: Vec<Tally>,
}

/// Something used up, counted under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Which total.
    pub key: String,
    /// How much more.
    pub spent: Spent,
}

impl Commit {
    /// Writes and nothing else.
    pub fn of(writes: Vec<Write>) -> Self {
        Self { writes, ..Self::default() }
    }
}

/// Events for one stream.
#[derive(Clone, Debug)]
pub struct Write {
    /// Which stream.
    pub stream: StreamId,
    /// The number of its last event; 0 creates the stream.
    pub expected_version: u64,
    /// The writer's epoch; refused when the stream has a newer one. A new stream starts with it.
    pub epoch: u64,
    /// Who caused the events; the owner of a new stream.
    pub principal: Arc<Principal>,
    /// The run that the events belong to.
    pub run: Option<RunId>,
    /// W3C trace context in force.
    pub trace: Option<Arc<str>>,
    /// When they became true.
    pub at: Timestamp,
    /// The events, numbered from `expected_version + 1`; never empty.
    pub facts: Vec<Fact>,
    /// The stream's summary after the events.
    pub head: HeadUpdate,
    /// The folded state after the events, when the writer wants later loads to start from it.
    pub snapshot: Option<Json>,
}

/// The summary that lists and recovery read; computed by the writer, because the journal does not interpret events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadUpdate {
    /// The agent concerned (the receiver, for a handoff).
    pub agent: AgentName,
    /// The conversation.
    pub context: ContextId,
    /// The state's name.
    pub state: &'static str,
    /// When the status last changed.
    pub status_at: Timestamp,
    /// Whether Baton itself owes work on the stream; recovery finds these.
    pub active: bool,
    /// Whether the stream has ended; retention may remove only these.
    pub terminal: bool,
}

/// The stored summary of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Which stream.
    pub stream: StreamId,
    /// Its owner; `scopes` is empty.
    pub owner: Arc<Principal>,
    /// The agent concerned.
    pub agent: AgentName,
    /// The conversation.
    pub context: ContextId,
    /// The state's name.
    pub state: String,
    /// The number of the last event.
    pub version: u64,
    /// The newest epoch.
    pub epoch: u64,
    /// When the stream was created.
    pub created_at: Timestamp,
    /// When the status last changed.
    pub status_at: Timestamp,
    /// Whether Baton owes work.
    pub active: bool,
    /// Whether it has ended.
    pub terminal: bool,
}

/// One stored event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// Position among all events of the journal.
    pub seq: u64,
    /// Which stream.
    pub stream: StreamId,
    /// Position in the stream, from 1, without holes.
    pub number: u64,
    /// The run it belongs to.
    pub run: Option<RunId>,
    /// The epoch it was written under.
    pub epoch: u64,
    /// When it became true.
    pub at: Timestamp,
    /// Who caused it.
    pub subject: Arc<str>,
    /// W3C trace context in force.
    pub trace: Option<Arc<str>>,
    /// What became true.
    pub fact: Fact,
}

/// A folded state and the version it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The last event folded in.
    pub version: u64,
    /// The state, as its writer stored it.
    pub state: Json,
}

/// Everything needed to continue a stream.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Its summary.
    pub head: Head,
    /// Where folding may start.
    pub snapshot: Option<Snapshot>,
    /// The events after the snapshot, all of them.
    pub events: Vec<Arc<StoredEvent>>,
}

/// Resolves when the commit is on disk, with the sequence of its last event.
pub type Receipt = BoxFuture<'static, Result<u64, JournalError>>;

/// The right to advance a stream until somebody takes a newer one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Which stream.
    pub stream: StreamId,
    /// Appends with a lower epoch are refused from now on.
    pub epoch: u64,
    /// Until when nobody else may take it.
    pub expires_at: Timestamp,
}

/// Content-addressed bytes.
pub type Blob = Arc<[u8]>;

/// What to forget; unfinished streams and those with an open standing order always stay.
#[derive(Clone, Debug, Default)]
pub struct RetentionPolicy {
    /// Ended streams whose status is older than this.
    pub ended_before: Option<Timestamp>,
    /// Ended streams older than this many ended tasks.
    pub keep_ended: Option<u64>,
    /// Whatever ended at this moment or later stays: the one who waits for it may not have read it yet.
    pub spare_from: Option<Timestamp>,
}

/// How much a journal holds, and how much waits for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalStats {
    /// Commits that wait for the disk.
    pub waiting: u64,
    /// Bytes on disk.
    pub bytes: u64,
}

/// Is told of every commit, in order, after it is on disk and before its receipt resolves.
pub trait CommitObserver: Send + Sync + 'static {
    /// The events of one commit; must not block.
    fn committed(&self, events: &[Arc<StoredEvent>]);
}

/// Why the journal refused or failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// The stream is not at the expected version.
    #[error("stream {stream:?} is at version {actual}, not {expected}")]
    Conflict {
        /// Which stream.
        stream: StreamId,
        /// What the writer thought.
        expected: u64,
        /// What is true.
        actual: u64,
    },
    /// Somebody else has taken the stream over.
    #[error("stream {stream:?} is held under epoch {actual}, not {epoch}")]
    StaleEpoch {
        /// Which stream.
        stream: StreamId,
        /// The writer's epoch.
        epoch: u64,
        /// The newest epoch.
        actual: u64,
    },
    /// The lease is held by somebody else.
    #[error("stream {stream:?} is leased to another holder")]
    Leased {
        /// Which stream.
        stream: StreamId,
    },
    /// There is no such stream for this principal.
    #[error("stream {stream:?} does not exist")]
    Missing {
        /// Which stream.
        stream: StreamId,
    },
    /// The idempotency key is taken.
    #[error("the idempotency key '{key}' is taken")]
    Claimed {
        /// Which key.
        key: String,
    },
    /// The queue is full.
    #[error("the journal's queue is full")]
    Busy,
    /// Nothing was (or can be proved to have been) written; look before trying again.
    #[error("the journal is unavailable: {0}")]
    Unavailable(String),
    /// Another process owns the data directory.
    #[error("another process owns {0}")]
    Locked(String),
    /// The file is damaged or not a journal.
    #[error("the journal is damaged: {0}")]
    Corrupt(String),
    /// Something that is stored of a stream cannot be decoded; the rest of the journal is not affected.
    #[error("what is stored of {} {} cannot be read{}: {reason}", .stream.noun(), .stream.id(),
            .number.map(|number| format!(" (event {number})")).unwrap_or_default())]
    Damaged {
        /// Which stream.
        stream: StreamId,
        /// The number of the event; none for the summary of the stream.
        number: Option<u64>,
        /// What is wrong with it.
        reason: String,
    },
    /// The data directory holds other data, but no journal.
    #[error("there is no journal in {0}, but other data that belongs to one")]
    Lost(String),
    /// The file was written by a newer version.
    #[error("the journal has schema {found}; this Baton knows {known}")]
    Newer {
        /// In the file.
        found: u32,
        /// In this binary.
        known: u32,
    },
}

impl JournalError {
    /// The code that people see.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Conflict { .. } | Self::StaleEpoch { .. } | Self::Leased { .. } | Self::Claimed { .. } => {
                ErrorCode::JOURNAL_CONFLICT
            }
            Self::Missing { .. } => ErrorCode::TASK_NOT_FOUND,
            Self::Busy => ErrorCode::BUSY,
            Self::Unavailable(_) => ErrorCode::JOURNAL_UNAVAILABLE,
            Self::Locked(_) => ErrorCode::JOURNAL_LOCKED,
            Self::Corrupt(_) => ErrorCode::JOURNAL_CORRUPT,
            Self::Damaged { .. } => ErrorCode::RECORD_DAMAGED,
            Self::Lost(_) => ErrorCode::JOURNAL_MISSING,
            Self::Newer { .. } => ErrorCode::JOURNAL_NEWER,
        }
    }
}

/// Durable events, summaries, blobs and owed deliveries.
///
/// Reads with a principal see only its own streams; a foreign stream looks missing. Reads without one are the
/// engine's own.
pub trait Journal: Send + Sync + 'static {
    /// Registers who is told of commits; called once, before the first append.
    fn observe(&self, observer: Arc<dyn CommitObserver>);

    /// Queues a commit; never blocks. A full queue resolves at once with [`JournalError::Busy`].
    fn append(&self, commit: Commit) -> Receipt;

    /// A stream's summary and the events to continue it from.
    fn load<'a>(
        &'a self,
        principal: Option<&'a Principal>,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<Option<Loaded>, JournalError>>;

    /// Events of one stream with numbers above `after`, at most `limit`.
    fn events<'a>(
        &'a self,
        stream: &'a StreamId,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<StoredEvent>>, JournalError>>;

    /// Events of all streams with sequences above `after`, at most `limit`.
    fn tail(&self, after: u64, limit: usize) -> BoxFuture<'_, Result<Vec<Arc<StoredEvent>>, JournalError>>;

    /// The principal's streams that match.
    fn list<'a>(
        &'a self,
        principal: &'a Principal,
        query: &'a ListQuery,
    ) -> BoxFuture<'a, Result<ListPage, JournalError>>;

    /// Streams with `active` set, in creation order, starting after `after`.
    fn active(&self, after: Option<StreamId>, limit: usize) -> BoxFuture<'_, Result<Vec<Head>, JournalError>>;

    /// Takes a stream over under a new epoch; refused while another holder's lease is unexpired.
    fn acquire<'a>(
        &'a self,
        stream: &'a StreamId,
        holder: &'a str,
        now: Timestamp,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Lease, JournalError>>;

    /// Stores bytes under their digest; storing twice is storing once.
    fn put_blob(&self, bytes: Blob) -> BoxFuture<'_, Result<Digest, JournalError>>;

    /// Bytes by digest.
    fn blob<'a>(&'a self, digest: &'a Digest) -> BoxFuture<'a, Result<Option<Blob>, JournalError>>;

    /// The standing orders of a channel for one stream, by id.
    fn outbox<'a>(
        &'a self,
        channel: &'a str,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<Vec<OutboxEntry>, JournalError>>;

    /// The open standing orders of a channel, by id, starting after `after`.
    fn outbox_open<'a>(
        &'a self,
        channel: &'a str,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<OutboxEntry>, JournalError>>;

    /// Records how far a standing order was carried out; `false` when it is gone. Progress with a cursor behind the
    /// recorded one is out of date and changes nothing.
    fn outbox_advance<'a>(&'a self, id: &'a str, progress: OutboxProgress)
    -> BoxFuture<'a, Result<bool, JournalError>>;

    /// Forgets a standing order; `false` when there was none.
    fn outbox_remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, JournalError>>;

    /// What the principal used an idempotency key for.
    fn claim<'a>(
        &'a self,
        principal: &'a Principal,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Claim>, JournalError>>;

    /// A running total; nothing when nobody counted under the name.
    fn tally<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Spent, JournalError>>;

    /// The principal's conversations that match: those with a task or a session.
    fn conversations<'a>(
        &'a self,
        principal: &'a Principal,
        query: &'a ConversationQuery,
    ) -> BoxFuture<'a, Result<ConversationPage, JournalError>>;

    /// Forgets everything about one conversation of the principal's: tasks, handoffs to it that have ended, what was said
    /// about it as a whole, and with them their standing orders and claims. One commit hides all of it or nothing; what is
    /// hidden may be removed later, also by the next process.
    fn forget<'a>(
        &'a self,
        principal: &'a Principal,
        agent: &'a AgentName,
        context: &'a ContextId,
    ) -> BoxFuture<'a, Result<Forgotten, JournalError>>;

    /// Forgets what the policy allows and returns how many streams went. What was said about a conversation as a whole
    /// goes after the last of its tasks.
    fn retain(&self, policy: RetentionPolicy) -> BoxFuture<'_, Result<u64, JournalError>>;

    /// Whether appends can be expected to succeed.
    fn healthy(&self) -> bool;

    /// How much there is; nothing where nobody measures it.
    fn stats(&self) -> Option<JournalStats> {
        None
    }

    /// Tasks that have not ended, with the names of their states, at most `limit`: to be read once, at the start. None
    /// where nobody keeps any.
    fn open_tasks(&self, _limit: usize) -> BoxFuture<'_, Result<Vec<(TaskId, String)>, JournalError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

impl Head {
    /// The task id, when the stream is a task's.
    pub fn task(&self) -> Option<&TaskId> {
        match &self.stream {
            StreamId::Task(id) => Some(id),
            StreamId::Handoff(_) | StreamId::Session(_) => None,
        }
    }
}
