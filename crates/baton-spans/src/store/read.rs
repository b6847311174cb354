//! Streaming reads: a thread that reads, and a consumer that receives over a channel.

use super::embedded::{EmbeddedSpans, Store, closed};
use crate::search::{self, Budget, StopFlag, StopGuard, Taker};
use baton_ports::{BoxFuture, SpanReadItem, SpanReadRequest, SpanReader, SpanStoreError};
use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{runtime::Handle, sync::mpsc, time::timeout};

/// Maximum number of concurrent reads; each has its own thread and keeps the blocks of its snapshot open.
pub(super) const MOST: usize = 4;
/// Maximum number of batches buffered for the consumer.
const AHEAD: usize = 4;
/// Timeout for the consumer to take a batch; the read is aborted after it.
const PATIENCE: Duration = Duration::from_mins(5);

/// Message from the reading thread.
enum Said {
    Read(SpanReadItem),
    End(Result<(), SpanStoreError>),
}

/// Sends batches to the consumer.
struct Sending<'a> {
    store: &'a Store,
    say: mpsc::Sender<Said>,
    runtime: Handle,
    /// Whether a send timed out or the consumer is gone.
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
    /// Cancels the thread when the reader is dropped.
    _stop: StopGuard,
}

impl EmbeddedSpans {
    /// Starts a read; `Busy` if too many are running.
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
            // After an aborted read the consumer sees a closed channel.
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
