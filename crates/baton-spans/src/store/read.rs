//! Streaming reads: a thread that reads, and a consumer that receives over a channel.

use super::embedded::{EmbeddedSpanStore, StoreState, closed};
use crate::search::{self, QueryBudget, ReadSink, StopFlag, StopGuard};
use baton_ports::BoxFuture;
use baton_span_ports::{SpanReadItem, SpanReadRequest, SpanReader, SpanStoreError};
use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{runtime::Handle, sync::mpsc, time::timeout};

/// Maximum number of concurrent reads; each has its own thread and keeps the blocks of its snapshot open.
pub(super) const MAX_CONCURRENT_READS: usize = 4;
/// Maximum number of batches buffered for the consumer.
const READ_AHEAD_BATCHES: usize = 4;
/// Timeout for the consumer to take a batch; the read is aborted after it.
const CONSUMER_TIMEOUT: Duration = Duration::from_mins(5);

/// Message from the reading thread.
enum ReadMessage {
    Read(SpanReadItem),
    End(Result<(), SpanStoreError>),
}

/// Sends batches to the consumer.
struct ReadSender<'a> {
    store: &'a StoreState,
    messages: mpsc::Sender<ReadMessage>,
    runtime: Handle,
    /// Whether a send timed out or the consumer is gone.
    aborted: bool,
}

impl ReadSender<'_> {
    fn send(&self, message: ReadMessage) -> ControlFlow<()> {
        match self.runtime.block_on(timeout(CONSUMER_TIMEOUT, self.messages.send(message))) {
            Ok(Ok(())) => ControlFlow::Continue(()),
            Ok(Err(_)) | Err(_) => ControlFlow::Break(()),
        }
    }
}

impl ReadSink for ReadSender<'_> {
    fn take(&mut self, read: SpanReadItem) -> ControlFlow<()> {
        let sent = self.send(ReadMessage::Read(read));
        self.aborted = sent.is_break();
        sent
    }

    fn is_closed(&self) -> bool {
        self.messages.is_closed() || self.store.is_closing()
    }
}

struct ChannelSpanReader {
    messages: mpsc::Receiver<ReadMessage>,
    /// Cancels the thread when the reader is dropped.
    _stop: StopGuard,
}

impl EmbeddedSpanStore {
    /// Starts a read; `Busy` if too many are running.
    pub(super) fn start_read(&self, ask: SpanReadRequest) -> Result<Box<dyn SpanReader>, SpanStoreError> {
        let store = Arc::clone(&self.store);
        let turn = Arc::clone(&store.reads).try_acquire_owned().map_err(|_| SpanStoreError::Busy)?;
        let (sender, receiver) = mpsc::channel(READ_AHEAD_BATCHES);
        let runtime = Handle::current();
        let stop = StopFlag::default();
        let stop_guard = stop.set_on_drop();
        tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let segments = store.view().segments();
            let budget = || QueryBudget::with_deadline(Instant::now() + store.options.search_budget);
            let mut sink = ReadSender { store: &store, messages: sender, runtime, aborted: false };
            let ended = search::read(&segments, &ask, (&budget, &stop), &mut sink);
            // After an aborted read the consumer sees a closed channel.
            if !sink.aborted && !sink.is_closed() {
                let _ = sink.send(ReadMessage::End(ended));
            }
        });
        Ok(Box::new(ChannelSpanReader { messages: receiver, _stop: stop_guard }))
    }
}

impl SpanReader for ChannelSpanReader {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<SpanReadItem>, SpanStoreError>> {
        Box::pin(async {
            match self.messages.recv().await {
                Some(ReadMessage::Read(read)) => Ok(Some(read)),
                Some(ReadMessage::End(Ok(()))) => Ok(None),
                Some(ReadMessage::End(Err(error))) => Err(error),
                None => Err(closed()),
            }
        })
    }
}
