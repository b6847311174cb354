//! From the journal to spans: tails every commit, folds tasks and handoffs, and keeps what ended.
//!
//! How far it came is a mark that becomes durable with the spans themselves, and the ids of spans follow from the facts:
//! after a crash it goes on where it was, and nothing is there twice.

mod ears;
mod fold;

use baton_ports::{Journal, JournalError, SpanBatch, SpanStore, SpanStoreError, StoredEvent};
use baton_telemetry::Origin;
use ears::Ears;
use fold::Folds;
use std::{sync::Arc, time::Duration};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The mark under which the journal's position is kept.
const MARK: &str = "journal";
/// Events that are read from the journal at once.
const PAGE: usize = 1024;
/// Commits that come close together are written together, so that spans cost the disk little.
const GATHER: Duration = Duration::from_millis(20);
const PAUSE: Duration = Duration::from_secs(1);

/// Makes spans of what becomes true in a journal.
pub struct Projector {
    ears: Arc<Ears>,
    store: Arc<dyn SpanStore>,
    origin: Origin,
}

/// A projector at work.
pub struct Projecting {
    stopping: CancellationToken,
    task: JoinHandle<()>,
}

impl Projector {
    /// A projector that has heard nothing yet.
    pub fn new(store: Arc<dyn SpanStore>, origin: Origin) -> Self {
        Self { ears: Arc::new(Ears::default()), store, origin }
    }

    /// What the journal tells of its commits; give it to whoever observes the journal.
    pub fn observer(&self) -> Arc<dyn baton_ports::CommitObserver> {
        Arc::clone(&self.ears) as Arc<dyn baton_ports::CommitObserver>
    }

    /// Goes on where the last process stopped, and follows the journal from there.
    pub fn start(self, journal: Arc<dyn Journal>) -> Projecting {
        let stopping = CancellationToken::new();
        let work = Work {
            cursor: self.store.mark(MARK).unwrap_or(0),
            folds: Folds::new(self.origin),
            ears: self.ears,
            store: self.store,
            journal,
            stopping: stopping.clone(),
        };
        Projecting { stopping, task: tokio::spawn(work.run()) }
    }
}

impl Projecting {
    /// Keeps what was heard until now and stops.
    pub async fn close(self) {
        self.stopping.cancel();
        let _ = self.task.await;
    }
}

struct Work {
    ears: Arc<Ears>,
    store: Arc<dyn SpanStore>,
    journal: Arc<dyn Journal>,
    folds: Folds,
    /// The last event of which everything that followed is kept.
    cursor: u64,
    stopping: CancellationToken,
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
            tracing::warn!(%trouble, "spans of tasks wait; they are made when the disk takes them");
            // What was folded since the mark is folded again.
            self.cursor = self.store.mark(MARK).unwrap_or(self.cursor);
            self.folds.forget();
            self.ears.miss();
            if self.stopping.run_until_cancelled(tokio::time::sleep(PAUSE)).await.is_none() {
                return;
            }
        }
    }

    /// Follows until it is stopped.
    async fn follow(&mut self) -> Result<(), Trouble> {
        loop {
            let heard = match self.stopping.run_until_cancelled(self.ears.hear(GATHER)).await {
                Some(heard) => heard,
                None => {
                    let heard = self.ears.rest();
                    return self.take(heard).await;
                }
            };
            self.take(heard).await?;
        }
    }

    async fn take(&mut self, heard: Option<Vec<Arc<StoredEvent>>>) -> Result<(), Trouble> {
        match heard {
            Some(events) => self.project(&events).await,
            None => self.catch_up().await,
        }
    }

    /// Reads what nobody told.
    async fn catch_up(&mut self) -> Result<(), Trouble> {
        loop {
            let events = self.journal.tail(self.cursor, PAGE).await?;
            if events.is_empty() {
                return Ok(());
            }
            self.project(&events).await?;
        }
    }

    async fn project(&mut self, events: &[Arc<StoredEvent>]) -> Result<(), Trouble> {
        let mut spans = Vec::new();
        let mut last = self.cursor;
        for event in events.iter().filter(|event| event.seq > self.cursor) {
            self.folds.apply(&*self.journal, event, &mut spans).await?;
            last = event.seq;
        }
        if !spans.is_empty() {
            self.store.ingest(SpanBatch { spans, mark: Some((MARK, last)) }).await?;
        }
        self.cursor = last;
        Ok(())
    }
}
