//! Sending a message to a peer: once, unless the peer supports idempotency.

use crate::{
    BindingEvent, CallError, PeerClient, RequestMetadata, TaskTracker,
    client::{refused_error, request, truncate_error, unreachable_error},
    follow::{FollowStart, TaskFollower},
    retry::{RECONNECTS, next_delay},
};
use baton_ports::{PeerError, PeerRequest};
use baton_types::Backoff;
use baton_wire::a2a::v1::{SendMessageRequest, StreamResponse};
use futures_util::StreamExt as _;
use tokio::time::{Instant, sleep};

/// Whether an earlier send of the same message may have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PriorPeerSend {
    /// Nothing was sent.
    NotSent,
    /// It may have arrived.
    Possible,
}

impl PeerClient {
    /// Sends the message for the first time and follows the resulting task.
    pub(crate) async fn send(&self, ask: &PeerRequest) -> Result<TaskFollower, PeerError> {
        self.send_after(ask, PriorPeerSend::NotSent).await
    }

    /// Sends the message. [`PriorPeerSend::Possible`] is only valid for peers that support idempotency.
    pub(crate) async fn send_after(
        &self,
        ask: &PeerRequest,
        mut before: PriorPeerSend,
    ) -> Result<TaskFollower, PeerError> {
        let (request, mut with) = (request(ask), self.message_metadata(ask));
        if self.capabilities().idempotent {
            with.idempotency_key = Some(ask.message.id.as_str().to_owned());
        }
        let began = Instant::now();
        let mut backoff = Backoff::new(RECONNECTS);
        loop {
            let error = match self.send_once(request.clone(), &with).await {
                Ok(begin) => {
                    let seen = TaskTracker::new(Some(ask.message.id.as_str()));
                    let seen = if ask.task.is_some() { seen.continuing() } else { seen };
                    return Ok(TaskFollower::new(self.clone(), self.message_metadata(ask), seen, begin));
                }
                Err(error) => error,
            };
            tracing::debug!(%error, "a remote agent was not reached");
            if error.may_have_taken_effect() {
                before = PriorPeerSend::Possible;
            }
            let idempotent = self.capabilities().idempotent;
            match (&error, before) {
                (error, PriorPeerSend::Possible) if error.may_have_taken_effect() && !idempotent => {
                    let found = self.find_message(ask).await;
                    return found.ok_or_else(|| PeerError::InDoubt(truncate_error(&error.to_string())));
                }
                (CallError::Forbidden(_), PriorPeerSend::NotSent) => return Err(unreachable_error(&error)),
                (error, _) if error.is_refusal() => return Err(refused_error(error)),
                _ => {}
            }
            let patience = match before {
                PriorPeerSend::NotSent => self.retry_limits().reach_timeout,
                PriorPeerSend::Possible => self.retry_limits().silence_timeout,
            };
            let wait = next_delay(&mut backoff, error.retry_after());
            if began.elapsed() + wait > patience {
                return Err(match before {
                    PriorPeerSend::NotSent => unreachable_error(&error),
                    PriorPeerSend::Possible => PeerError::InDoubt(truncate_error(&error.to_string())),
                });
            }
            sleep(wait).await;
        }
    }

    /// Sends one request and returns the first item of the reply.
    async fn send_once(
        &self,
        request: SendMessageRequest<'static>,
        with: &RequestMetadata,
    ) -> Result<FollowStart, CallError> {
        if self.capabilities().streaming {
            let mut stream = self.binding().stream(request, with).await?;
            return match stream.next().await {
                Some(first) => Ok(FollowStart::Stream(first?, stream)),
                None => Err(CallError::ConnectionLost("the stream ended before its first event".to_owned())),
            };
        }
        let response = self.binding().send(request, with).await?;
        match (response.task, response.message) {
            (Some(task), _) => Ok(FollowStart::Answer(task.into())),
            (None, Some(message)) => {
                let item = StreamResponse { message: Some(message), ..StreamResponse::default() };
                Ok(FollowStart::Answer(item))
            }
            (None, None) => Err(CallError::InvalidReply("the answer is neither a task nor a message".to_owned())),
        }
    }
}

impl BindingEvent {
    /// An item without an event id.
    pub(crate) fn unnamed(item: StreamResponse<'static>) -> Self {
        Self { cursor: None, item }
    }
}
