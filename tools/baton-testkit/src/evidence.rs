//! What is judged: what the server wrote, what clients saw, what tools recorded.

use crate::{Execution, History, Receiver, Transcript};
use baton_types::{Effects, MessageId, TaskId, Timestamp};
use baton_wire::{a2a::v1::Task, api::EventEntry};
use std::collections::BTreeMap;

/// Everything collected about one data directory.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// What the journal holds.
    pub history: History,
    /// Tasks whose senders were told that they exist.
    pub acknowledged: Vec<TaskId>,
    /// What subscribers saw.
    pub transcripts: Vec<Transcript>,
    /// What `GetTask` said at the end.
    pub views: BTreeMap<TaskId, Task<'static>>,
    /// What the events endpoint said at the end.
    pub listed: BTreeMap<TaskId, Vec<EventEntry>>,
    /// Command tools and what they say about being repeated.
    pub effects: BTreeMap<String, Effects>,
    /// What the tools recorded.
    pub executions: Vec<Execution>,
    /// The server processes, in order.
    pub generations: Vec<Generation>,
    /// What receivers of notifications were told.
    pub receivers: Vec<Receiver>,
    /// What was sent under idempotency keys.
    pub keyed: Vec<Keyed>,
}

/// A message that was sent under an idempotency key, unchanged, until it was answered and perhaps once more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keyed {
    /// The message.
    pub message: MessageId,
    /// How often it was sent.
    pub sends: u32,
    /// The tasks that the answers named.
    pub answers: Vec<TaskId>,
}

/// One life of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generation {
    /// Its process.
    pub pid: u32,
    /// A moment before it began.
    pub started_at: Timestamp,
}
