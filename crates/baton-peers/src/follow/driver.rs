//! Follows a task across lost connections.

use super::Seen;
use crate::{CallError, Heard, Hearing, PeerClient, With, push::Registration, retry::Backoff};
use baton_ports::PeerError;
use baton_wire::a2a::v1::StreamResponse;
use futures_core::Stream;
use futures_util::StreamExt as _;
use std::{collections::VecDeque, pin::Pin, time::Duration};
use tokio::time::{Instant, sleep, timeout};

/// Events of a peer's task without gaps or duplicates; ends when the task ends or needs input.
pub type Followed = Pin<Box<dyn Stream<Item = Result<StreamResponse<'static>, PeerError>> + Send>>;

/// Maximum number of consecutive "task not found" replies for a known task.
const MISSED: u32 = 6;

/// Time for a waiting task to process new input.
const GRACE: Duration = Duration::from_secs(10);

/// Maximum duration of the replay at the start of a stream.
const BURST: Duration = Duration::from_secs(5);

/// Starting point of a follower.
pub(crate) enum Begin {
    /// A stream whose first item was read.
    Stream(Heard, Hearing),
    /// A reply: a message, or the task at that time.
    Answer(StreamResponse<'static>),
    /// Only the id of the task.
    Task,
}

/// Follower of one task.
pub(crate) struct Follow {
    pub(super) client: PeerClient,
    pub(super) with: With,
    pub(super) seen: Seen,
    pub(super) hearing: Option<Hearing>,
    pub(super) how: How,
    ready: VecDeque<StreamResponse<'static>>,
    reconnects: Backoff,
    looks: Backoff,
    /// Time of the last sign of life of the peer.
    pub(super) alive: Instant,
    pub(super) missed: u32,
    /// Number of times the peer refused to stream the task.
    pub(super) refusals: u32,
    /// Retry delay requested by the busy peer.
    pub(super) asked_for: Option<Duration>,
    /// Since when the task has been waiting for input that was already sent.
    stale_since: Option<Instant>,
    waits: bool,
    registration: Option<Registration>,
    failed: bool,
}

/// How events are received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// By subscription.
    Streams,
    /// By polling.
    Looks,
}

impl Follow {
    pub(crate) fn new(client: PeerClient, with: With, seen: Seen, begin: Begin) -> Self {
        let how = if client.abilities().streaming { How::Streams } else { How::Looks };
        let mut follow = Self {
            client,
            with,
            seen,
            hearing: None,
            how,
            ready: VecDeque::new(),
            reconnects: Backoff::connections(),
            looks: Backoff::looks(),
            alive: Instant::now(),
            missed: 0,
            refusals: 0,
            asked_for: None,
            stale_since: None,
            waits: true,
            registration: None,
            failed: false,
        };
        match begin {
            Begin::Stream(first, hearing) => {
                follow.hearing = Some(hearing);
                follow.take(first);
            }
            Begin::Answer(item) => {
                follow.take(Heard::unnamed(item));
                // A reply is only the start; a subscription delivers the following events from the start, so no delay
                // is needed.
                follow.waits = follow.how == How::Looks;
            }
            Begin::Task => follow.waits = false,
        }
        follow
    }

    pub(crate) fn seen(&self) -> &Seen {
        &self.seen
    }

    /// The next event; `None` when the task ended or needs input.
    pub(crate) async fn next(&mut self) -> Option<Result<StreamResponse<'static>, PeerError>> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(Ok(item));
            }
            if self.failed || self.seen.settled().is_some() {
                return None;
            }
            if let Err(error) = self.advance().await {
                self.failed = true;
                return Some(Err(error));
            }
        }
    }

    /// All events as a stream.
    pub(crate) fn into_stream(mut self) -> Followed {
        Box::pin(async_stream::stream! {
            while let Some(item) = self.next().await {
                yield item;
            }
        })
    }

    async fn advance(&mut self) -> Result<(), PeerError> {
        self.register().await;
        let Some(hearing) = &mut self.hearing else { return self.reconnect().await };
        let heard = if self.seen.is_stale() {
            // A stream may stay open without reporting that the task is still waiting.
            let Ok(heard) = timeout(GRACE, hearing.next()).await else { return self.look().await };
            heard
        } else if self.seen.holds_back() {
            let Ok(heard) = timeout(BURST, hearing.next()).await else {
                self.ready.extend(self.seen.release());
                return Ok(());
            };
            heard
        } else {
            hearing.next().await
        };
        match heard {
            Some(Ok(heard)) => self.hear(heard).await,
            // Some servers open a stream before they check whether the task can be streamed.
            Some(Err(error)) if error.is_refusal() && self.seen.task().is_some() => {
                self.hearing = None;
                return self.refused(&error).await;
            }
            Some(Err(error)) => {
                tracing::debug!(%error, "a stream of a remote agent broke off");
                self.asked_for = error.retry_after();
                self.hearing = None;
            }
            None => self.hearing = None,
        }
        Ok(())
    }

    async fn reconnect(&mut self) -> Result<(), PeerError> {
        if self.seen.task().is_none() {
            let words = "the remote agent's answer was cut off before it named a task".to_owned();
            return Err(PeerError::InDoubt(words));
        }
        if std::mem::replace(&mut self.waits, true) {
            self.wait().await?;
        }
        match self.how {
            How::Streams => self.subscribe().await,
            How::Looks => self.look().await,
        }
    }

    /// Waits for the retry delay or a push notification.
    async fn wait(&mut self) -> Result<(), PeerError> {
        let patience = self.client.patience().silence;
        let left = patience.saturating_sub(self.alive.elapsed());
        if left.is_zero() {
            let words = format!("the remote agent sent nothing for {} seconds", patience.as_secs());
            return Err(PeerError::Lost(words));
        }
        let backoff = if self.how == How::Looks { &mut self.looks } else { &mut self.reconnects };
        let wait = backoff.next(self.asked_for.take()).min(left);
        match &self.registration {
            // The cause of the wake-up does not matter.
            Some(registration) => drop(timeout(wait, registration.notified()).await),
            None => sleep(wait).await,
        }
        Ok(())
    }

    /// Applies an event; before the task settles, missed content is corrected from the full task.
    pub(super) async fn hear(&mut self, heard: Heard) {
        if self.seen.is_doubtful()
            && self.seen.would_settle(&heard.item)
            && let Some(truth) = self.truth().await
        {
            let news = self.seen.correct(&truth);
            self.ready.extend(news);
        }
        self.take(heard);
    }

    pub(super) fn take(&mut self, heard: Heard) {
        self.alive = Instant::now();
        self.missed = 0;
        let news = self.seen.take(heard);
        if !news.is_empty() {
            self.reconnects.reset();
            self.looks.reset();
        }
        self.ready.extend(news);
        if !self.seen.is_stale() {
            self.stale_since = None;
        } else if self.stale_since.get_or_insert_with(Instant::now).elapsed() >= GRACE {
            self.seen.believe();
        }
    }

    /// Counts a "task not found" reply; an error once the limit is reached.
    pub(super) fn miss(&mut self, error: &CallError) -> Result<(), PeerError> {
        self.missed += 1;
        if self.missed < MISSED {
            return Ok(());
        }
        let task = self.seen.task().unwrap_or_default();
        Err(PeerError::Lost(format!("the remote agent no longer has its task '{task}': {error}")))
    }

    /// Requests push notifications if configured; the task is followed even without them.
    async fn register(&mut self) {
        if self.registration.is_some() {
            return;
        }
        let Some((desk, task)) = self.client.desk().zip(self.seen.task()) else { return };
        let Some(registration) = desk.register() else { return };
        let config = registration.config(task);
        // Kept even if the peer refuses, so that the request is not repeated.
        let registered = timeout(GRACE, self.client.binding().create_push(config, &self.with)).await;
        if let Ok(Err(error)) = registered {
            tracing::debug!(%error, "a remote agent refused push notifications");
        }
        self.registration = Some(registration);
    }
}
