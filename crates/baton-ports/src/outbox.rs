//! Outbox entries and idempotency keys.

use baton_types::{Digest, Json, Principal, StreamId, Timestamp};
use std::sync::Arc;

/// A durable subscription of an external receiver to a stream's events, delivered in order.
///
/// The events themselves are the queue: the entry stores only a cursor, so nothing is written per event before its
/// delivery, and nothing can be pending that is not in the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxEntry {
    /// Unique in the journal; a second entry with the same id replaces the first.
    pub id: String,
    /// Name of the worker that delivers it.
    pub channel: String,
    /// The stream. It must exist once the commit is written; otherwise the commit is rejected as `Missing`.
    pub stream: StreamId,
    /// Receiver and delivery options, in the worker's own format.
    pub body: Json,
    /// Delivery progress.
    pub progress: OutboxProgress,
}

/// Delivery progress of an outbox entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxProgress {
    /// Number of the last event that needs no further delivery.
    pub cursor: u64,
    /// Earliest time of the next attempt.
    pub due_at: Timestamp,
    /// Failed attempts since the last successful delivery.
    pub attempts: u32,
    /// Time of the first of these failures.
    pub failing_since: Option<Timestamp>,
    /// Whether deliveries can still be pending: false once the stream has ended and its last event was delivered.
    pub open: bool,
}

/// An idempotency key with the events of the request that used it first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Owner of the key; `scopes` is ignored.
    pub principal: Arc<Principal>,
    /// The key, unique per principal.
    pub key: String,
    /// Digest of the request, to detect a different request with the same key.
    pub request: Digest,
    /// The stream of the request's events, which exists once the commit is written.
    pub stream: StreamId,
    /// Number of its first event in the stream.
    pub number: u64,
}
