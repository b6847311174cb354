//! Jobs of the writer and their replies.

use super::{
    blobs::RawDigest,
    conversations::Whose,
    encode::Encoded,
    error::{Failure, stopped},
};
use baton_ports::{Blob, BoxFuture, CommitObserver, Forgotten, JournalError, Lease, OutboxProgress, TokenRecord};
use baton_types::{StreamId, Timestamp};
use std::time::Duration;
use tokio::sync::oneshot;

/// One operation for the next transaction, with its reply channel.
pub(super) enum Job {
    Append(Encoded, Asked<u64>),
    Acquire(Take, Asked<Lease>),
    PutBlob(RawDigest, Blob, Asked<()>),
    Advance(String, OutboxProgress, Asked<bool>),
    RemoveOrder(String, Asked<bool>),
    PutToken(Box<TokenRecord>, Asked<()>),
    Forget(Vec<i64>, Asked<u64>),
    ForgetConversation(Whose, Asked<Forgotten>),
    /// Removes those of these blobs that nothing refers to.
    Sweep(Vec<RawDigest>, Asked<()>),
    Probe(Asked<()>),
}

/// Parameters of a lease acquisition.
pub(super) struct Take {
    pub(super) stream: StreamId,
    pub(super) holder: String,
    pub(super) now: Timestamp,
    pub(super) ttl: Duration,
}

/// A reply channel and the result to send once the transaction is on disk.
pub(super) struct Asked<T> {
    answer: oneshot::Sender<Result<T, JournalError>>,
    result: Option<Result<T, JournalError>>,
}

impl<T: Send + 'static> Asked<T> {
    /// The reply channel and its future; if the writer dies, the future resolves with an error.
    pub(super) fn new() -> (Self, BoxFuture<'static, Result<T, JournalError>>) {
        let (answer, value) = oneshot::channel();
        let value = async move { value.await.unwrap_or_else(|_| Err(stopped())) };
        (Self { answer, result: None }, Box::pin(value))
    }

    /// Stores the result until the transaction ends; a database error is returned immediately.
    pub(super) fn keep(&mut self, result: Result<T, Failure>) -> rusqlite::Result<()> {
        self.result = match result {
            Ok(value) => Some(Ok(value)),
            Err(Failure::Refused(error)) => Some(Err(error)),
            Err(Failure::Sql(error)) => return Err(error),
        };
        Ok(())
    }

    fn succeeded(&self) -> bool {
        matches!(self.result, Some(Ok(_)))
    }

    /// Sends the stored result. The receiver may be gone; the change remains.
    pub(super) fn settle(self) {
        drop(self.answer.send(self.result.unwrap_or_else(|| Err(stopped()))));
    }

    fn fail(self, error: JournalError) {
        self.answer(Err(error));
    }

    /// Sends another result than the stored one.
    pub(super) fn answer(self, result: Result<T, JournalError>) {
        drop(self.answer.send(result));
    }
}

impl Asked<Forgotten> {
    /// Whether the conversation is deleted, not unfinished.
    pub(super) fn is_forgotten(&self) -> bool {
        matches!(self.result, Some(Ok(Forgotten::Streams(_))))
    }
}

impl Job {
    /// Approximate size, for the queue's byte limit.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Append(encoded, _) => encoded.bytes,
            Self::PutBlob(_, bytes, _) => bytes.len(),
            Self::Forget(keys, _) => keys.len() * size_of::<i64>(),
            Self::Sweep(digests, _) => digests.len() * size_of::<RawDigest>(),
            Self::PutToken(token, _) => super::tokens::bytes(token),
            Self::Acquire(..)
            | Self::ForgetConversation(..)
            | Self::Advance(..)
            | Self::RemoveOrder(..)
            | Self::Probe(_) => 256,
        }
    }

    /// Whether the job was executed, not refused.
    pub(super) fn succeeded(&self) -> bool {
        match self {
            Self::Append(_, asked) | Self::Forget(_, asked) => asked.succeeded(),
            Self::Acquire(_, asked) => asked.succeeded(),
            Self::ForgetConversation(_, asked) => asked.succeeded(),
            Self::Advance(.., asked) | Self::RemoveOrder(_, asked) => asked.succeeded(),
            Self::PutBlob(.., asked) | Self::PutToken(_, asked) | Self::Sweep(_, asked) | Self::Probe(asked) => {
                asked.succeeded()
            }
        }
    }

    /// Notifies the observer, then sends the reply; the transaction is on disk.
    pub(super) fn settle(self, observer: Option<&dyn CommitObserver>) {
        match self {
            Self::Append(encoded, asked) => {
                if let (Some(observer), Some(Ok(last_seq))) = (observer, &asked.result) {
                    let events = encoded.into_events(*last_seq);
                    if !events.is_empty() {
                        observer.committed(&events);
                    }
                }
                asked.settle();
            }
            Self::Forget(_, asked) => asked.settle(),
            Self::Acquire(_, asked) => asked.settle(),
            Self::ForgetConversation(_, asked) => asked.settle(),
            Self::Advance(.., asked) | Self::RemoveOrder(_, asked) => asked.settle(),
            Self::PutBlob(.., asked) | Self::PutToken(_, asked) | Self::Sweep(_, asked) | Self::Probe(asked) => {
                asked.settle();
            }
        }
    }

    /// Replies that nothing was done.
    pub(super) fn fail(self, error: JournalError) {
        match self {
            Self::Append(_, asked) | Self::Forget(_, asked) => asked.fail(error),
            Self::Acquire(_, asked) => asked.fail(error),
            Self::ForgetConversation(_, asked) => asked.fail(error),
            Self::Advance(.., asked) | Self::RemoveOrder(_, asked) => asked.fail(error),
            Self::PutBlob(.., asked) | Self::PutToken(_, asked) | Self::Sweep(_, asked) | Self::Probe(asked) => {
                asked.fail(error);
            }
        }
    }
}
