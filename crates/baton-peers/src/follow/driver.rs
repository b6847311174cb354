//! Follows a task across lost connections.

use super::TaskTracker;
use crate::{
    BindingEvent, BindingEventStream, CallError, PeerClient, RequestMetadata,
    push::PushRegistration,
    retry::{POLLS, RECONNECTS, next_delay},
};
use baton_ports::PeerError;
use baton_types::Backoff;
use baton_wire::a2a::v1::StreamResponse;
use futures_core::Stream;
use futures_util::StreamExt as _;
use std::{collections::VecDeque, pin::Pin, time::Duration};
use tokio::time::{Instant, sleep, timeout};

/// Events of a peer's task without gaps or duplicates; ends when the task ends or needs input.
pub type PeerTaskStream = Pin<Box<dyn Stream<Item = Result<StreamResponse<'static>, PeerError>> + Send>>;

/// Maximum number of consecutive "task not found" replies for a known task.
const MAX_NOT_FOUND_REPLIES: u32 = 6;

/// Time for a waiting task to process new input.
const PEER_REACTION_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum duration of the replay at the start of a stream.
const REPLAY_WINDOW: Duration = Duration::from_secs(5);

/// Starting point of a follower.
pub(crate) enum FollowStart {
    /// A stream whose first item was read.
    Stream(BindingEvent, BindingEventStream),
    /// A reply: a message, or the task at that time.
    Answer(StreamResponse<'static>),
    /// Only the id of the task.
    Task,
}

/// Follower of one task.
pub(crate) struct TaskFollower {
    pub(super) client: PeerClient,
    pub(super) with: RequestMetadata,
    pub(super) seen: TaskTracker,
    pub(super) stream: Option<BindingEventStream>,
    pub(super) mode: FollowMode,
    ready: VecDeque<StreamResponse<'static>>,
    reconnect_backoff: Backoff,
    poll_backoff: Backoff,
    /// Time of the last sign of life of the peer.
    pub(super) last_activity: Instant,
    pub(super) not_found_count: u32,
    /// Number of times the peer refused to stream the task.
    pub(super) refusals: u32,
    /// Retry delay requested by the busy peer.
    pub(super) retry_after: Option<Duration>,
    /// Since when the task has been waiting for input that was already sent.
    stale_since: Option<Instant>,
    delay_reconnect: bool,
    registration: Option<PushRegistration>,
    failed: bool,
}

/// How events are received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FollowMode {
    /// By subscription.
    Streaming,
    /// By polling.
    Polling,
}

impl TaskFollower {
    pub(crate) fn new(client: PeerClient, with: RequestMetadata, seen: TaskTracker, begin: FollowStart) -> Self {
        let mode = if client.capabilities().streaming { FollowMode::Streaming } else { FollowMode::Polling };
        let mut follow = Self {
            client,
            with,
            seen,
            stream: None,
            mode,
            ready: VecDeque::new(),
            reconnect_backoff: Backoff::new(RECONNECTS),
            poll_backoff: Backoff::new(POLLS),
            last_activity: Instant::now(),
            not_found_count: 0,
            refusals: 0,
            retry_after: None,
            stale_since: None,
            delay_reconnect: true,
            registration: None,
            failed: false,
        };
        match begin {
            FollowStart::Stream(first, stream) => {
                follow.stream = Some(stream);
                follow.take(first);
            }
            FollowStart::Answer(item) => {
                follow.take(BindingEvent::unnamed(item));
                // A reply is only the start; a subscription delivers the following events from the start, so no delay
                // is needed.
                follow.delay_reconnect = follow.mode == FollowMode::Polling;
            }
            FollowStart::Task => follow.delay_reconnect = false,
        }
        follow
    }

    pub(crate) fn seen(&self) -> &TaskTracker {
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
    pub(crate) fn into_stream(mut self) -> PeerTaskStream {
        Box::pin(async_stream::stream! {
            while let Some(item) = self.next().await {
                yield item;
            }
        })
    }

    async fn advance(&mut self) -> Result<(), PeerError> {
        self.register().await;
        let Some(stream) = &mut self.stream else { return self.reconnect().await };
        let event = if self.seen.is_stale() {
            // A stream may stay open without reporting that the task is still waiting.
            let Ok(event) = timeout(PEER_REACTION_TIMEOUT, stream.next()).await else { return self.poll_task().await };
            event
        } else if self.seen.holds_back() {
            let Ok(event) = timeout(REPLAY_WINDOW, stream.next()).await else {
                self.ready.extend(self.seen.release());
                return Ok(());
            };
            event
        } else {
            stream.next().await
        };
        match event {
            Some(Ok(event)) => self.handle_event(event).await,
            // Some servers open a stream before they check whether the task can be streamed.
            Some(Err(error)) if error.is_refusal() && self.seen.task().is_some() => {
                self.stream = None;
                return self.handle_refusal(&error).await;
            }
            Some(Err(error)) => {
                tracing::debug!(%error, "a stream of a remote agent was interrupted");
                self.retry_after = error.retry_after();
                self.stream = None;
            }
            None => self.stream = None,
        }
        Ok(())
    }

    async fn reconnect(&mut self) -> Result<(), PeerError> {
        if self.seen.task().is_none() {
            let message = "the remote agent's answer was cut off before it named a task".to_owned();
            return Err(PeerError::InDoubt(message));
        }
        if std::mem::replace(&mut self.delay_reconnect, true) {
            self.wait().await?;
        }
        match self.mode {
            FollowMode::Streaming => self.subscribe().await,
            FollowMode::Polling => self.poll_task().await,
        }
    }

    /// Waits for the retry delay or a push notification.
    async fn wait(&mut self) -> Result<(), PeerError> {
        let silence_timeout = self.client.retry_limits().silence_timeout;
        let left = silence_timeout.saturating_sub(self.last_activity.elapsed());
        if left.is_zero() {
            let message = format!("the remote agent sent nothing for {} seconds", silence_timeout.as_secs());
            return Err(PeerError::Lost(message));
        }
        let backoff =
            if self.mode == FollowMode::Polling { &mut self.poll_backoff } else { &mut self.reconnect_backoff };
        let wait = next_delay(backoff, self.retry_after.take()).min(left);
        match &self.registration {
            // The cause of the wake-up does not matter.
            Some(registration) => drop(timeout(wait, registration.notified()).await),
            None => sleep(wait).await,
        }
        Ok(())
    }

    /// Applies an event; before the task settles, missed content is corrected from the full task.
    pub(super) async fn handle_event(&mut self, event: BindingEvent) {
        if self.seen.needs_verification()
            && self.seen.would_settle(&event.item)
            && let Some(truth) = self.read_full_task().await
        {
            let news = self.seen.correct(&truth);
            self.ready.extend(news);
        }
        self.take(event);
    }

    pub(super) fn take(&mut self, event: BindingEvent) {
        self.last_activity = Instant::now();
        self.not_found_count = 0;
        let news = self.seen.take(event);
        if !news.is_empty() {
            self.reconnect_backoff.reset();
            self.poll_backoff.reset();
        }
        self.ready.extend(news);
        if !self.seen.is_stale() {
            self.stale_since = None;
        } else if self.stale_since.get_or_insert_with(Instant::now).elapsed() >= PEER_REACTION_TIMEOUT {
            self.seen.accept_status();
        }
    }

    /// Counts a "task not found" reply; an error once the limit is reached.
    pub(super) fn record_not_found(&mut self, error: &CallError) -> Result<(), PeerError> {
        self.not_found_count += 1;
        if self.not_found_count < MAX_NOT_FOUND_REPLIES {
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
        let Some((inbox, task)) = self.client.push_inbox().zip(self.seen.task()) else { return };
        let Some(registration) = inbox.register() else { return };
        let config = registration.config(task);
        // Kept even if the peer refuses, so that the request is not repeated.
        let registered = timeout(PEER_REACTION_TIMEOUT, self.client.binding().create_push(config, &self.with)).await;
        if let Ok(Err(error)) = registered {
            tracing::debug!(%error, "a remote agent refused push notifications");
        }
        self.registration = Some(registration);
    }
}
