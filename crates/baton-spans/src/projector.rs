//! Projects the journal to spans: tails every commit, folds tasks and handoffs, and stores the spans that ended.
//!
//! Its position is a watermark that becomes durable with the spans, and span ids are derived from the facts: after a
//! crash it resumes there, without duplicates.

mod commit_buffer;
mod fold;

use crate::{
    EmbeddedSpanStore,
    feed::batch_delay,
    store::{SubmissionRequests, closed},
    wal::{SpanBatchEncoder, TARGET_BATCH_BYTES},
};
use baton_ports::{BoxFuture, Journal, JournalError, StoredEvent};
use baton_span_ports::{SpanStore as _, SpanStoreError};
use baton_telemetry::{SpanObserver, SpanOrigin};
use baton_types::Span;
use commit_buffer::CommitBuffer;
use fold::SpanFolds;
use std::{
    future::{pending, ready},
    sync::Arc,
    time::Duration,
};
use tokio::{sync::watch, task::JoinHandle, time::Instant};
use tokio_util::sync::CancellationToken;

/// Name of the watermark for the journal position.
const WATERMARK_NAME: &str = "journal";
/// Events per journal read.
const PAGE_EVENTS: usize = 1024;
/// Commits that arrive close together are read together: every wake-up takes time from the agents. The delay is short
/// because commits occupy memory.
const COMMIT_BATCH_DELAY: Duration = Duration::from_millis(10);
/// Time limit of the final catch-up on shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Projects the events of a journal to spans.
pub struct SpanProjector {
    commits: Arc<CommitBuffer>,
    store: Arc<dyn ProjectionStore>,
    origin: SpanOrigin,
    observer: Option<Arc<dyn SpanObserver>>,
}

/// Stores projected spans together with the journal position.
pub trait ProjectionStore: Send + Sync + 'static {
    /// The stored journal position.
    fn position(&self) -> Option<u64>;

    /// Maximum delay of an ended span.
    fn batch_delay(&self) -> Duration;

    /// Requests of queries for the spans that ended before them.
    fn requests(&self) -> ProjectionRequests;

    /// Stores all spans durably together with the position, or none.
    fn keep(&self, spans: &mut SpanBatchEncoder, position: u64) -> BoxFuture<'static, Result<(), SpanStoreError>>;
}

/// Requests for spans that are not stored yet.
pub struct ProjectionRequests(Option<SubmissionRequests>);

impl ProjectionRequests {
    /// No requests.
    pub fn none() -> Self {
        Self(None)
    }

    async fn next(&mut self) -> u64 {
        match &mut self.0 {
            Some(requests) => requests.next().await,
            None => pending().await,
        }
    }

    fn answer(&self, number: u64) {
        if let Some(requests) = &self.0 {
            requests.answer(number);
        }
    }

    /// Answers all requests, although the spans cannot be stored now.
    fn answer_all(&self) {
        if let Some(requests) = &self.0 {
            requests.answer(requests.last());
        }
    }
}

impl ProjectionStore for EmbeddedSpanStore {
    fn position(&self) -> Option<u64> {
        self.mark(WATERMARK_NAME)
    }

    fn batch_delay(&self) -> Duration {
        batch_delay(&self.store.feed)
    }

    fn requests(&self) -> ProjectionRequests {
        ProjectionRequests(Some(self.store.producers.add()))
    }

    fn keep(&self, spans: &mut SpanBatchEncoder, position: u64) -> BoxFuture<'static, Result<(), SpanStoreError>> {
        match self.store.submit_encoded(spans, Some((WATERMARK_NAME, position))) {
            Ok(receipt) => Box::pin(async move { receipt.await.unwrap_or_else(|_| Err(closed())) }),
            Err(error) => Box::pin(ready(Err(error))),
        }
    }
}

/// Handle to a running projector.
pub struct ProjectorHandle {
    stopping: CancellationToken,
    task: JoinHandle<()>,
    caught_up: watch::Receiver<bool>,
}

impl SpanProjector {
    /// A projector that has not received any event.
    pub fn new(store: Arc<dyn ProjectionStore>, origin: SpanOrigin) -> Self {
        Self { commits: Arc::new(CommitBuffer::default()), store, origin, observer: None }
    }

    /// Adds an observer that sees each span once, even if it is projected again after a failed write.
    #[must_use]
    pub fn with_observer(mut self, observer: Arc<dyn SpanObserver>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Commit observer; register it with the journal.
    pub fn observer(&self) -> Arc<dyn baton_ports::CommitObserver> {
        Arc::clone(&self.commits) as Arc<dyn baton_ports::CommitObserver>
    }

    /// Resumes at the stored position and follows the journal from there.
    pub fn start(self, journal: Arc<dyn Journal>) -> ProjectorHandle {
        let stopping = CancellationToken::new();
        let (tell, caught_up) = watch::channel(false);
        let work = ProjectorTask {
            caught_up: tell,
            is_final: false,
            cursor: self.store.position().unwrap_or(0),
            observed: 0,
            observer: self.observer,
            folds: SpanFolds::new(self.origin),
            pending: PendingSpans::default(),
            ended: Vec::new(),
            requests: self.store.requests(),
            commits: self.commits,
            store: self.store,
            journal,
            stopping: stopping.clone(),
        };
        ProjectorHandle { stopping, task: tokio::spawn(work.run()), caught_up }
    }
}

impl ProjectorHandle {
    /// Whether all events in the journal have their spans; the journal may only delete events that have them.
    pub fn caught_up(&self) -> watch::Receiver<bool> {
        self.caught_up.clone()
    }

    /// Stores the spans of all events received so far and stops.
    pub async fn close(self) {
        self.stopping.cancel();
        let _ = self.task.await;
    }
}

/// Next input of the projector.
enum ProjectorInput {
    /// Committed events; `None` if the journal must be read.
    Events(Option<Vec<Arc<StoredEvent>>>),
    /// The delay of pending spans has elapsed.
    FlushDue,
    /// A query asks for the spans of all events received so far.
    Query(u64),
}

struct ProjectorTask {
    commits: Arc<CommitBuffer>,
    store: Arc<dyn ProjectionStore>,
    journal: Arc<dyn Journal>,
    folds: SpanFolds,
    /// Sequence number of the last folded event.
    cursor: u64,
    observer: Option<Arc<dyn SpanObserver>>,
    /// Sequence number of the last event whose spans were observed.
    observed: u64,
    pending: PendingSpans,
    /// Spans that ended with one event and are not encoded yet.
    ended: Vec<Span>,
    requests: ProjectionRequests,
    stopping: CancellationToken,
    caught_up: watch::Sender<bool>,
    /// Whether the final catch-up has begun.
    is_final: bool,
}

/// Encoded spans that are not stored yet.
#[derive(Default)]
struct PendingSpans {
    encoder: SpanBatchEncoder,
    /// Deadline for storing them.
    due: Option<Instant>,
}

/// Reason for a failed step; the step is retried.
#[derive(Debug, thiserror::Error)]
enum ProjectorError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Spans(#[from] SpanStoreError),
}

impl ProjectorTask {
    async fn run(mut self) {
        while let Err(error) = self.follow().await {
            self.caught_up.send_replace(false);
            tracing::warn!(trouble = %error, "spans of tasks are delayed; Baton retries until they are stored");
            // Events folded since the watermark are folded again.
            self.cursor = self.store.position().unwrap_or(0);
            self.folds.clear();
            self.pending = PendingSpans::default();
            self.ended.clear();
            self.commits.mark_missed();
            self.requests.answer_all();
            if self.stopping.run_until_cancelled(tokio::time::sleep(RETRY_DELAY)).await.is_none() {
                return;
            }
        }
    }

    /// Follows the journal until it is stopped, then stores the spans of received events within the shutdown timeout.
    async fn follow(&mut self) -> Result<(), ProjectorError> {
        while let Some(input) = self.stopping.clone().run_until_cancelled(self.next_input()).await {
            match input {
                ProjectorInput::Events(Some(events)) => self.project(&events).await?,
                ProjectorInput::Events(None) => {
                    self.catch_up().await?;
                    self.caught_up.send_if_modified(|known| !std::mem::replace(known, true));
                }
                ProjectorInput::FlushDue => self.keep().await?,
                ProjectorInput::Query(number) => {
                    if let Some(events) = self.commits.drain_unless_missed() {
                        self.project(&events).await?;
                        self.keep().await?;
                    }
                    self.requests.answer(number);
                }
            }
        }
        self.is_final = true;
        tokio::time::timeout(SHUTDOWN_TIMEOUT, self.end()).await.unwrap_or(Ok(()))
    }

    async fn end(&mut self) -> Result<(), ProjectorError> {
        match self.commits.drain() {
            Some(events) => {
                self.project(&events).await?;
                self.keep().await
            }
            None => self.catch_up().await,
        }
    }

    /// Waits for events, but not beyond the deadline of pending spans.
    async fn next_input(&mut self) -> ProjectorInput {
        let due = async {
            match self.pending.due {
                Some(due) => tokio::time::sleep_until(due).await,
                None => pending().await,
            }
        };
        tokio::select! {
            events = self.commits.wait_for_events(COMMIT_BATCH_DELAY) => ProjectorInput::Events(events),
            number = self.requests.next() => ProjectorInput::Query(number),
            () = due => ProjectorInput::FlushDue,
        }
    }

    /// Reads events from the journal that were not delivered by the observer.
    async fn catch_up(&mut self) -> Result<(), ProjectorError> {
        loop {
            if self.stopping.is_cancelled() && !self.is_final {
                // There may be many: only as many as fit into the shutdown timeout, the rest when the next process
                // starts.
                self.commits.mark_missed();
                return Ok(());
            }
            let events = self.journal.tail(self.cursor, PAGE_EVENTS).await?;
            if events.is_empty() {
                return self.keep().await;
            }
            self.project(&events).await?;
            // A query does not wait for a long journal.
            self.requests.answer_all();
        }
    }

    async fn project(&mut self, events: &[Arc<StoredEvent>]) -> Result<(), ProjectorError> {
        for event in events {
            if event.seq <= self.cursor {
                continue;
            }
            self.folds.apply(&*self.journal, event, &mut self.ended).await?;
            self.cursor = event.seq;
            self.encode_ended()?;
            if self.pending.encoder.bytes() >= TARGET_BATCH_BYTES {
                self.keep().await?;
            }
        }
        if !self.pending.encoder.is_empty() {
            self.pending.due.get_or_insert_with(|| Instant::now() + self.store.batch_delay());
        }
        Ok(())
    }

    /// Passes the ended spans to the observer, unless it observed them before, and encodes them.
    fn encode_ended(&mut self) -> Result<(), SpanStoreError> {
        if let Some(observer) = self.observer.as_ref().filter(|_| self.cursor > self.observed) {
            self.ended.iter().for_each(|span| observer.observe(span));
            self.observed = self.cursor;
        }
        self.ended.drain(..).try_for_each(|span| self.pending.encoder.add(&span))
    }

    /// Stores pending spans durably together with the journal position.
    async fn keep(&mut self) -> Result<(), ProjectorError> {
        self.pending.due = None;
        if self.pending.encoder.is_empty() {
            return Ok(());
        }
        Ok(self.store.keep(&mut self.pending.encoder, self.cursor).await?)
    }
}
