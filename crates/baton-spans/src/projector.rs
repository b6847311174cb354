//! Projects the journal to spans: tails every commit, folds tasks and handoffs, and stores the spans that ended.
//!
//! Its position is a watermark that becomes durable with the spans, and span ids are derived from the facts: after a
//! crash it resumes there, without duplicates.

mod ears;
mod fold;

use crate::{EmbeddedSpans, store::closed, wal::Gathered};
use baton_ports::{BoxFuture, Journal, JournalError, SpanStore as _, SpanStoreError, StoredEvent};
use baton_telemetry::{Meters, Origin};
use baton_types::Span;
use ears::Ears;
use fold::Folds;
use std::{future::ready, sync::Arc, time::Duration};
use tokio::{sync::watch, task::JoinHandle, time::Instant};
use tokio_util::sync::CancellationToken;

/// Name of the watermark for the journal position.
const MARK: &str = "journal";
/// Events per journal read.
const PAGE: usize = 1024;
/// Commits that arrive close together are read together; the delay is short because they occupy memory.
const HEAR: Duration = Duration::from_millis(3);
/// Spans that end close together are written together: each batch is a sync that competes with those of the journal.
const GATHER: Duration = Duration::from_millis(30);
/// Batch size in bytes that triggers a write.
const MOST_BYTES: usize = 4 << 20;
/// Time limit of the final catch-up on shutdown.
const FAREWELL: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_secs(1);

/// Projects the events of a journal to spans.
pub struct Projector {
    ears: Arc<Ears>,
    store: Arc<dyn FactSpans>,
    origin: Origin,
    meters: Option<Arc<Meters>>,
}

/// Stores projected spans together with the journal position.
pub trait FactSpans: Send + Sync + 'static {
    /// The stored journal position.
    fn position(&self) -> Option<u64>;

    /// Stores all spans durably together with the position, or none.
    fn keep(&self, spans: &mut Gathered, position: u64) -> BoxFuture<'static, Result<(), SpanStoreError>>;
}

impl FactSpans for EmbeddedSpans {
    fn position(&self) -> Option<u64> {
        self.mark(MARK)
    }

    fn keep(&self, spans: &mut Gathered, position: u64) -> BoxFuture<'static, Result<(), SpanStoreError>> {
        match self.store.submit_gathered(spans, Some((MARK, position))) {
            Ok(kept) => Box::pin(async move { kept.await.unwrap_or_else(|_| Err(closed())) }),
            Err(error) => Box::pin(ready(Err(error))),
        }
    }
}

/// Handle to a running projector.
pub struct Projecting {
    stopping: CancellationToken,
    task: JoinHandle<()>,
    caught_up: watch::Receiver<bool>,
}

impl Projector {
    /// A projector that has not received any event.
    pub fn new(store: Arc<dyn FactSpans>, origin: Origin) -> Self {
        Self { ears: Arc::new(Ears::default()), store, origin, meters: None }
    }

    /// Adds meters that observe each span once, even if it is projected again after a failed write.
    #[must_use]
    pub fn metered(mut self, meters: Arc<Meters>) -> Self {
        self.meters = Some(meters);
        self
    }

    /// Commit observer; register it with the journal.
    pub fn observer(&self) -> Arc<dyn baton_ports::CommitObserver> {
        Arc::clone(&self.ears) as Arc<dyn baton_ports::CommitObserver>
    }

    /// Resumes at the stored position and follows the journal from there.
    pub fn start(self, journal: Arc<dyn Journal>) -> Projecting {
        let stopping = CancellationToken::new();
        let (tell, caught_up) = watch::channel(false);
        let work = Work {
            tell,
            last: false,
            cursor: self.store.position().unwrap_or(0),
            metered: 0,
            meters: self.meters,
            folds: Folds::new(self.origin),
            made: Made::default(),
            ended: Vec::new(),
            ears: self.ears,
            store: self.store,
            journal,
            stopping: stopping.clone(),
        };
        Projecting { stopping, task: tokio::spawn(work.run()), caught_up }
    }
}

impl Projecting {
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
enum Heard {
    /// Committed events; `None` if the journal must be read.
    Events(Option<Vec<Arc<StoredEvent>>>),
    /// The delay of pending spans has elapsed.
    Enough,
}

struct Work {
    ears: Arc<Ears>,
    store: Arc<dyn FactSpans>,
    journal: Arc<dyn Journal>,
    folds: Folds,
    /// Sequence number of the last folded event.
    cursor: u64,
    meters: Option<Arc<Meters>>,
    /// Sequence number of the last event whose spans the meters observed.
    metered: u64,
    made: Made,
    /// Spans that ended with one event and are not encoded yet.
    ended: Vec<Span>,
    stopping: CancellationToken,
    tell: watch::Sender<bool>,
    /// Whether the final catch-up has begun.
    last: bool,
}

/// Encoded spans that are not stored yet.
#[derive(Default)]
struct Made {
    gathered: Gathered,
    /// Deadline for storing them.
    due: Option<Instant>,
}

/// Reason for a failed step; the step is retried.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Spans(#[from] SpanStoreError),
}

impl Work {
    async fn run(mut self) {
        while let Err(trouble) = self.follow().await {
            self.tell.send_replace(false);
            tracing::warn!(%trouble, "spans of tasks are delayed; Baton retries until they are stored");
            // Events folded since the watermark are folded again.
            self.cursor = self.store.position().unwrap_or(0);
            self.folds.forget();
            self.made = Made::default();
            self.ended.clear();
            self.ears.miss();
            if self.stopping.run_until_cancelled(tokio::time::sleep(PAUSE)).await.is_none() {
                return;
            }
        }
    }

    /// Follows the journal until it is stopped, then stores the spans of received events within the shutdown timeout.
    async fn follow(&mut self) -> Result<(), Trouble> {
        while let Some(heard) = self.stopping.clone().run_until_cancelled(self.hear()).await {
            match heard {
                Heard::Events(Some(events)) => self.project(&events).await?,
                Heard::Events(None) => {
                    self.catch_up().await?;
                    self.tell.send_if_modified(|known| !std::mem::replace(known, true));
                }
                Heard::Enough => self.keep().await?,
            }
        }
        self.last = true;
        tokio::time::timeout(FAREWELL, self.end()).await.unwrap_or(Ok(()))
    }

    async fn end(&mut self) -> Result<(), Trouble> {
        match self.ears.rest() {
            Some(events) => {
                self.project(&events).await?;
                self.keep().await
            }
            None => self.catch_up().await,
        }
    }

    /// Waits for events, but not beyond the deadline of pending spans.
    async fn hear(&self) -> Heard {
        match self.made.due {
            Some(due) => {
                let heard = tokio::time::timeout_at(due, self.ears.hear(HEAR)).await;
                heard.map_or(Heard::Enough, Heard::Events)
            }
            None => Heard::Events(self.ears.hear(HEAR).await),
        }
    }

    /// Reads events from the journal that were not delivered by the observer.
    async fn catch_up(&mut self) -> Result<(), Trouble> {
        loop {
            if self.stopping.is_cancelled() && !self.last {
                // There may be many: only as many as fit into the shutdown timeout, the rest when the next process
                // starts.
                self.ears.miss();
                return Ok(());
            }
            let events = self.journal.tail(self.cursor, PAGE).await?;
            if events.is_empty() {
                return self.keep().await;
            }
            self.project(&events).await?;
        }
    }

    async fn project(&mut self, events: &[Arc<StoredEvent>]) -> Result<(), Trouble> {
        for event in events {
            if event.seq <= self.cursor {
                continue;
            }
            self.folds.apply(&*self.journal, event, &mut self.ended).await?;
            self.cursor = event.seq;
            self.write_down()?;
            if self.made.gathered.bytes() > MOST_BYTES {
                self.keep().await?;
            }
        }
        if !self.made.gathered.is_empty() {
            self.made.due.get_or_insert_with(|| Instant::now() + GATHER);
        }
        Ok(())
    }

    /// Passes the ended spans to the meters, unless they observed them before, and encodes them.
    fn write_down(&mut self) -> Result<(), SpanStoreError> {
        if let Some(meters) = self.meters.as_ref().filter(|_| self.cursor > self.metered) {
            self.ended.iter().for_each(|span| meters.observe(span));
            self.metered = self.cursor;
        }
        self.ended.drain(..).try_for_each(|span| self.made.gathered.add(&span))
    }

    /// Stores pending spans durably together with the journal position.
    async fn keep(&mut self) -> Result<(), Trouble> {
        self.made.due = None;
        if self.made.gathered.is_empty() {
            return Ok(());
        }
        Ok(self.store.keep(&mut self.made.gathered, self.cursor).await?)
    }
}
