//! Input of the checker: journal contents, client observations and tool records.

use crate::{Execution, History, Receiver, Transcript};
use baton_api::EventEntry;
use baton_types::{Effects, MessageId, TaskId, Timestamp};
use baton_wire::a2a::v1::Task;
use std::collections::BTreeMap;

/// All evidence about one data directory.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// Contents of the journal.
    pub history: History,
    /// Tasks whose sends were acknowledged.
    pub acknowledged: Vec<TaskId>,
    /// Events received by subscribers.
    pub transcripts: Vec<Transcript>,
    /// `GetTask` results at the end of the run.
    pub views: BTreeMap<TaskId, Task<'static>>,
    /// Results of the events endpoint at the end of the run.
    pub listed_events: BTreeMap<TaskId, Vec<EventEntry>>,
    /// Command tools with their declared effects.
    pub effects: BTreeMap<String, Effects>,
    /// Executions recorded by the tools.
    pub executions: Vec<Execution>,
    /// The server processes, in order.
    pub generations: Vec<Generation>,
    /// Push receivers with the notifications they received.
    pub receivers: Vec<Receiver>,
    /// Messages sent with idempotency keys.
    pub keyed_messages: Vec<KeyedMessage>,
}

/// A message sent unchanged with an idempotency key until a response arrived, and optionally once more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyedMessage {
    /// Message id.
    pub message: MessageId,
    /// Number of sends.
    pub sends: u32,
    /// Task ids in the responses.
    pub answers: Vec<TaskId>,
}

/// One server process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generation {
    /// Process id.
    pub pid: u32,
    /// Time just before the process was started.
    pub started_at: Timestamp,
}
