//! From the journal to spans: tails every commit, folds tasks and handoffs, and keeps what ended.
//!
//! How far it came is a mark that becomes durable with the spans themselves, and the ids of spans follow from the facts:
//! after a crash it goes on where it was, and nothing is there twice.

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

/// The mark under which the journal's position is kept.
const MARK: &str = "journal";
/// Events that are read from the journal at once.
const PAGE: usize = 1024;
/// Commits that come close together are read together, and soon: what they hold in memory is let go.
const HEAR: Duration = Duration::from_millis(3);
/// Spans that come close together are written together: each batch is a sync that the journal's own ones wait for.
const GATHER: Duration = Duration::from_millis(30);
/// Bytes that are written together.
const MOST_BYTES: usize = 4 << 20;
/// How long the end may take.
const FAREWELL: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_secs(1);

/// Makes spans of what becomes true in a journal.
pub struct Projector {
    ears: Arc<Ears>,
    store: Arc<dyn FactSpans>,
    origin: Origin,
    meters: Option<Arc<Meters>>,
}

/// Keeps the spans of facts, and with them how far the journal was read for them.
pub trait FactSpans: Send + Sync + 'static {
    /// How far it was read.
    fn position(&self) -> Option<u64>;

    /// Keeps all of them, durably together with the position, or none.
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

/// A projector at work.
pub struct Projecting {
    stopping: CancellationToken,
    task: JoinHandle<()>,
    caught_up: watch::Receiver<bool>,
}

impl Projector {
    /// A projector that has heard nothing yet.
    pub fn new(store: Arc<dyn FactSpans>, origin: Origin) -> Self {
        Self { ears: Arc::new(Ears::default()), store, origin, meters: None }
    }

    /// The same, with meters that see each span once, also when it has to be made again because the disk refused it.
    #[must_use]
    pub fn metered(mut self, meters: Arc<Meters>) -> Self {
        self.meters = Some(meters);
        self
    }

    /// What the journal tells of its commits; give it to whoever observes the journal.
    pub fn observer(&self) -> Arc<dyn baton_ports::CommitObserver> {
        Arc::clone(&self.ears) as Arc<dyn baton_ports::CommitObserver>
    }

    /// Goes on where the last process stopped, and follows the journal from there.
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
    /// Tells whether everything that is in the journal has its spans; what the journal forgets must have had them.
    pub fn caught_up(&self) -> watch::Receiver<bool> {
        self.caught_up.clone()
    }

    /// Keeps what was heard until now and stops.
    pub async fn close(self) {
        self.stopping.cancel();
        let _ = self.task.await;
    }
}

/// What the projector waits for.
enum Heard {
    /// Events; none when the journal has to be read.
    Events(Option<Vec<Arc<StoredEvent>>>),
    /// Spans have waited long enough.
    Enough,
}

struct Work {
    ears: Arc<Ears>,
    store: Arc<dyn FactSpans>,
    journal: Arc<dyn Journal>,
    folds: Folds,
    /// The last event that was folded.
    cursor: u64,
    meters: Option<Arc<Meters>>,
    /// The last event whose spans the meters have seen.
    metered: u64,
    made: Made,
    /// Spans that ended with one event, before they are written down.
    ended: Vec<Span>,
    stopping: CancellationToken,
    tell: watch::Sender<bool>,
    /// Whether it is about to end.
    last: bool,
}

/// Spans that wait to be kept.
#[derive(Default)]
struct Made {
    gathered: Gathered,
    /// When they have waited long enough.
    due: Option<Instant>,
}

/// Why a step did not succeed; it is taken again.
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
            tracing::warn!(%trouble, "spans of tasks wait; they are made when the disk takes them");
            // What was folded since the mark is folded again.
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

    /// Follows until it is stopped; then what was heard until now is kept, for as long as anybody waits for that.
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

    /// Waits for events, but no longer than spans may wait.
    async fn hear(&self) -> Heard {
        match self.made.due {
            Some(due) => {
                let heard = tokio::time::timeout_at(due, self.ears.hear(HEAR)).await;
                heard.map_or(Heard::Enough, Heard::Events)
            }
            None => Heard::Events(self.ears.hear(HEAR).await),
        }
    }

    /// Reads what nobody told.
    async fn catch_up(&mut self) -> Result<(), Trouble> {
        loop {
            if self.stopping.is_cancelled() && !self.last {
                // There may be much of it: only as much as fits into the farewell, the rest when the next process starts.
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

    /// Shows what ended to the meters, unless they have seen it before, and keeps only its written form.
    fn write_down(&mut self) -> Result<(), SpanStoreError> {
        if let Some(meters) = self.meters.as_ref().filter(|_| self.cursor > self.metered) {
            self.ended.iter().for_each(|span| meters.observe(span));
            self.metered = self.cursor;
        }
        self.ended.drain(..).try_for_each(|span| self.made.gathered.add(&span))
    }

    /// Makes spans durable together with how far the journal was read for them.
    async fn keep(&mut self) -> Result<(), Trouble> {
        self.made.due = None;
        if self.made.gathered.is_empty() {
            return Ok(());
        }
        Ok(self.store.keep(&mut self.made.gathered, self.cursor).await?)
    }
}
