//! What is owed to the outside, and which requests were seen before.

use baton_types::{Digest, Json, Principal, StreamId, Timestamp};
use std::sync::Arc;

/// A standing order to tell somebody outside of a stream's events, in order.
///
/// The events themselves are the queue: the order only remembers how far it got, so nothing is written per event until
/// it was delivered, and nothing can be owed that the journal does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxEntry {
    /// Unique in the journal; a second one with the same id replaces the first.
    pub id: String,
    /// Which worker carries it out.
    pub channel: String,
    /// The stream it is about, which exists once the commit is written; otherwise the commit is refused as `Missing`.
    pub stream: StreamId,
    /// Whom to tell and how, as the worker wrote it.
    pub body: Json,
    /// How far it was carried out.
    pub progress: OutboxProgress,
}

/// How far a standing order was carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxProgress {
    /// The last event that needs no more telling.
    pub cursor: u64,
    /// The next try is not before this moment.
    pub due_at: Timestamp,
    /// Failed tries since the receiver last took anything.
    pub attempts: u32,
    /// When the first of them failed.
    pub failing_since: Option<Timestamp>,
    /// Whether anything can still be owed: closed when the stream has ended and its last event was told.
    pub open: bool,
}

/// An idempotency key, and the events that came of the request which used it first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Whose key it is; `scopes` does not matter.
    pub principal: Arc<Principal>,
    /// The key, unique for its principal.
    pub key: String,
    /// What the request said, so that another one under the same key is noticed.
    pub request: Digest,
    /// The stream that it wrote to, which exists once the commit is written.
    pub stream: StreamId,
    /// The number of its first event there.
    pub number: u64,
}
