//! Jobs of the writer and their replies.

use super::{
    blobs::RawDigest,
    conversations::ConversationKey,
    encode::EncodedCommit,
    error::{JobError, closed_error},
};
use baton_ports::{Blob, BoxFuture, CommitObserver, DeleteOutcome, JournalError, Lease, OutboxProgress, TokenRecord};
use baton_types::{StreamId, Timestamp};
use std::time::Duration;
use tokio::sync::oneshot;

/// One operation for the next transaction, with its reply channel.
pub(super) enum WriterJob {
    Append(EncodedCommit, PendingReply<u64>),
    Acquire(LeaseRequest, PendingReply<Lease>),
    PutBlob(RawDigest, Blob, PendingReply<()>),
    Advance(String, OutboxProgress, PendingReply<bool>),
    RemoveOutboxEntry(String, PendingReply<bool>),
    PutToken(Box<TokenRecord>, PendingReply<()>),
    RemoveStreams(Vec<i64>, PendingReply<u64>),
    DeleteConversation(ConversationKey, PendingReply<DeleteOutcome>),
    /// Removes those of these blobs that nothing refers to.
    Sweep(Vec<RawDigest>, PendingReply<()>),
    Probe(PendingReply<()>),
}

/// Parameters of a lease acquisition.
pub(super) struct LeaseRequest {
    pub(super) stream: StreamId,
    pub(super) holder: String,
    pub(super) now: Timestamp,
    pub(super) ttl: Duration,
}

/// A reply channel and the result to send once the transaction is on disk.
pub(super) struct PendingReply<T> {
    sender: oneshot::Sender<Result<T, JournalError>>,
    result: Option<Result<T, JournalError>>,
}

impl<T: Send + 'static> PendingReply<T> {
    /// The reply channel and its future; if the writer dies, the future resolves with an error.
    pub(super) fn new() -> (Self, BoxFuture<'static, Result<T, JournalError>>) {
        let (answer, value) = oneshot::channel();
        let value = async move { value.await.unwrap_or_else(|_| Err(closed_error())) };
        (Self { sender: answer, result: None }, Box::pin(value))
    }

    /// Stores the result until the transaction ends; a database error is returned immediately.
    pub(super) fn set_result(&mut self, result: Result<T, JobError>) -> rusqlite::Result<()> {
        self.result = match result {
            Ok(value) => Some(Ok(value)),
            Err(JobError::Refused(error)) => Some(Err(error)),
            Err(JobError::Sql(error)) => return Err(error),
        };
        Ok(())
    }

    fn succeeded(&self) -> bool {
        matches!(self.result, Some(Ok(_)))
    }

    /// Sends the stored result. The receiver may be gone; the change remains.
    pub(super) fn settle(self) {
        drop(self.sender.send(self.result.unwrap_or_else(|| Err(closed_error()))));
    }

    fn fail(self, error: JournalError) {
        self.reply(Err(error));
    }

    /// Sends another result than the stored one.
    pub(super) fn reply(self, result: Result<T, JournalError>) {
        drop(self.sender.send(result));
    }
}

impl PendingReply<DeleteOutcome> {
    /// Whether the conversation is deleted, not unfinished.
    pub(super) fn is_deleted(&self) -> bool {
        matches!(self.result, Some(Ok(DeleteOutcome::Deleted(_))))
    }
}

impl WriterJob {
    /// Approximate size, for the queue's byte limit.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Append(encoded, _) => encoded.bytes,
            Self::PutBlob(_, bytes, _) => bytes.len(),
            Self::RemoveStreams(keys, _) => keys.len() * size_of::<i64>(),
            Self::Sweep(digests, _) => digests.len() * size_of::<RawDigest>(),
            Self::PutToken(token, _) => super::tokens::bytes(token),
            Self::Acquire(..)
            | Self::DeleteConversation(..)
            | Self::Advance(..)
            | Self::RemoveOutboxEntry(..)
            | Self::Probe(_) => 256,
        }
    }

    /// Whether the job was executed, not refused.
    pub(super) fn succeeded(&self) -> bool {
        match self {
            Self::Append(_, reply) | Self::RemoveStreams(_, reply) => reply.succeeded(),
            Self::Acquire(_, reply) => reply.succeeded(),
            Self::DeleteConversation(_, reply) => reply.succeeded(),
            Self::Advance(.., reply) | Self::RemoveOutboxEntry(_, reply) => reply.succeeded(),
            Self::PutBlob(.., reply) | Self::PutToken(_, reply) | Self::Sweep(_, reply) | Self::Probe(reply) => {
                reply.succeeded()
            }
        }
    }

    /// Notifies the observer, then sends the reply; the transaction is on disk.
    pub(super) fn settle(self, observer: Option<&dyn CommitObserver>) {
        match self {
            Self::Append(encoded, reply) => {
                if let (Some(observer), Some(Ok(last_seq))) = (observer, &reply.result) {
                    let events = encoded.into_events(*last_seq);
                    if !events.is_empty() {
                        observer.on_commit(&events);
                    }
                }
                reply.settle();
            }
            Self::RemoveStreams(_, reply) => reply.settle(),
            Self::Acquire(_, reply) => reply.settle(),
            Self::DeleteConversation(_, reply) => reply.settle(),
            Self::Advance(.., reply) | Self::RemoveOutboxEntry(_, reply) => reply.settle(),
            Self::PutBlob(.., reply) | Self::PutToken(_, reply) | Self::Sweep(_, reply) | Self::Probe(reply) => {
                reply.settle();
            }
        }
    }

    /// Replies that nothing was done.
    pub(super) fn fail(self, error: JournalError) {
        match self {
            Self::Append(_, reply) | Self::RemoveStreams(_, reply) => reply.fail(error),
            Self::Acquire(_, reply) => reply.fail(error),
            Self::DeleteConversation(_, reply) => reply.fail(error),
            Self::Advance(.., reply) | Self::RemoveOutboxEntry(_, reply) => reply.fail(error),
            Self::PutBlob(.., reply) | Self::PutToken(_, reply) | Self::Sweep(_, reply) | Self::Probe(reply) => {
                reply.fail(error);
            }
        }
    }
}
