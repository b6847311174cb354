//! Reading spans through: a thread that reads, and somebody who takes.

use super::embedded::{EmbeddedSpans, Store, closed};
use crate::search::{self, Budget, StopFlag, StopGuard, Taker};
use baton_ports::{BoxFuture, SpanReadItem, SpanReadRequest, SpanReader, SpanStoreError};
use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{runtime::Handle, sync::mpsc, time::timeout};

/// Readings at the same time; each has a thread of its own and holds on to the blocks that it began with.
pub(super) const MOST: usize = 4;
/// Batches that nobody has taken yet.
const AHEAD: usize = 4;
/// How long nobody may take any before the reading is given up.
const PATIENCE: Duration = Duration::from_mins(5);

/// What the thread says.
enum Said {
    Read(SpanReadItem),
    End(Result<(), SpanStoreError>),
}

/// Gives what is read to whoever takes it.
struct Sending<'a> {
    store: &'a Store,
    say: mpsc::Sender<Said>,
    runtime: Handle,
    /// Whether nobody took what there was for too long.
    given_up: bool,
}

impl Sending<'_> {
    fn send(&self, said: Said) -> ControlFlow<()> {
        match self.runtime.block_on(timeout(PATIENCE, self.say.send(said))) {
            Ok(Ok(())) => ControlFlow::Continue(()),
            Ok(Err(_)) | Err(_) => ControlFlow::Break(()),
        }
    }
}

impl Taker for Sending<'_> {
    fn take(&mut self, read: SpanReadItem) -> ControlFlow<()> {
        let sent = self.send(Said::Read(read));
        self.given_up = sent.is_break();
        sent
    }

    fn is_gone(&self) -> bool {
        self.say.is_closed() || self.store.is_closing()
    }
}

struct Reader {
    said: mpsc::Receiver<Said>,
    /// Ends the thread at once when the reader goes.
    _stop: StopGuard,
}

impl EmbeddedSpans {
    /// Begins to read; more readings than a few are refused as busy.
    pub(super) fn begin_to_read(&self, ask: SpanReadRequest) -> Result<Box<dyn SpanReader>, SpanStoreError> {
        let store = Arc::clone(&self.store);
        let turn = Arc::clone(&store.readings).try_acquire_owned().map_err(|_| SpanStoreError::Busy)?;
        let (say, said) = mpsc::channel(AHEAD);
        let runtime = Handle::current();
        let stop = StopFlag::default();
        let stop_guard = stop.set_on_drop();
        tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let segments = store.view().segments();
            let budget = || Budget::until(Instant::now() + store.options.search_budget);
            let mut taker = Sending { store: &store, say, runtime, given_up: false };
            let ended = search::read(&segments, &ask, (&budget, &stop), &mut taker);
            // Whoever still listens to a reading that was given up hears that the thread is gone.
            if !taker.given_up && !taker.is_gone() {
                let _ = taker.send(Said::End(ended));
            }
        });
        Ok(Box::new(Reader { said, _stop: stop_guard }))
    }
}

impl SpanReader for Reader {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<SpanReadItem>, SpanStoreError>> {
        Box::pin(async {
            match self.said.recv().await {
                Some(Said::Read(read)) => Ok(Some(read)),
                Some(Said::End(Ok(()))) => Ok(None),
                Some(Said::End(Err(error))) => Err(error),
                None => Err(closed()),
            }
        })
    }
}
