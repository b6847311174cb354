//! Sending a message to a peer: once, unless the peer supports idempotency.

use crate::{
    CallError, Heard, PeerClient, Seen, With,
    client::{clipped, refused, request, unreached},
    follow::{Begin, Follow},
    retry::Backoff,
};
use baton_ports::{PeerError, PeerRequest};
use baton_wire::a2a::v1::{SendMessageRequest, StreamResponse};
use futures_util::StreamExt as _;
use tokio::time::{Instant, sleep};

/// Whether an earlier send of the same message may have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// Nothing was sent.
    NotSaid,
    /// It may have arrived.
    Perhaps,
}

impl PeerClient {
    /// Sends the message for the first time and follows the resulting task.
    pub(crate) async fn say(&self, ask: &PeerRequest) -> Result<Follow, PeerError> {
        self.say_after(ask, Before::NotSaid).await
    }

    /// Sends the message. [`Before::Perhaps`] is only valid for peers that support idempotency.
    pub(crate) async fn say_after(&self, ask: &PeerRequest, mut before: Before) -> Result<Follow, PeerError> {
        let (request, mut with) = (request(ask), self.with(ask));
        if self.abilities().idempotent {
            with.idempotency_key = Some(ask.message.id.as_str().to_owned());
        }
        let began = Instant::now();
        let mut backoff = Backoff::connections();
        loop {
            let error = match self.say_once(request.clone(), &with).await {
                Ok(begin) => {
                    let seen = Seen::new(Some(ask.message.id.as_str()));
                    let seen = if ask.task.is_some() { seen.continuing() } else { seen };
                    return Ok(Follow::new(self.clone(), self.with(ask), seen, begin));
                }
                Err(error) => error,
            };
            tracing::debug!(%error, "a remote agent was not reached");
            if error.leaves_doubt() {
                before = Before::Perhaps;
            }
            let idempotent = self.abilities().idempotent;
            match (&error, before) {
                (error, Before::Perhaps) if error.leaves_doubt() && !idempotent => {
                    let found = self.find(ask).await;
                    return found.ok_or_else(|| PeerError::InDoubt(clipped(&error.to_string())));
                }
                (CallError::Forbidden(_), Before::NotSaid) => return Err(unreached(&error)),
                (error, _) if error.is_refusal() => return Err(refused(error)),
                _ => {}
            }
            let patience = match before {
                Before::NotSaid => self.patience().reach,
                Before::Perhaps => self.patience().silence,
            };
            let wait = backoff.next(error.retry_after());
            if began.elapsed() + wait > patience {
                return Err(match before {
                    Before::NotSaid => unreached(&error),
                    Before::Perhaps => PeerError::InDoubt(clipped(&error.to_string())),
                });
            }
            sleep(wait).await;
        }
    }

    /// Sends one request and returns the first item of the reply.
    async fn say_once(&self, request: SendMessageRequest<'static>, with: &With) -> Result<Begin, CallError> {
        if self.abilities().streaming {
            let mut hearing = self.binding().stream(request, with).await?;
            return match hearing.next().await {
                Some(first) => Ok(Begin::Stream(first?, hearing)),
                None => Err(CallError::Broken("the stream ended before its first event".to_owned())),
            };
        }
        let response = self.binding().send(request, with).await?;
        match (response.task, response.message) {
            (Some(task), _) => Ok(Begin::Answer(task.into())),
            (None, Some(message)) => {
                let item = StreamResponse { message: Some(message), ..StreamResponse::default() };
                Ok(Begin::Answer(item))
            }
            (None, None) => Err(CallError::Unintelligible("the answer is neither a task nor a message".to_owned())),
        }
    }
}

impl Heard {
    /// An item without an event id.
    pub(crate) fn unnamed(item: StreamResponse<'static>) -> Self {
        Self { cursor: None, item }
    }
}
