//! Closing a store.

use super::embedded::{EmbeddedSpanStore, StoreState};
use std::{
    sync::{Arc, atomic::Ordering},
    thread::JoinHandle,
};

impl EmbeddedSpanStore {
    /// Writes queued batches, flushes heads that are large enough, and ends; nothing is accepted afterwards.
    pub async fn close(&self) {
        self.store.start_closing();
        let threads = std::mem::take(&mut *self.threads.lock());
        let store = Arc::clone(&self.store);
        let ended = tokio::task::spawn_blocking(move || store.join(threads));
        let _ = ended.await;
        self.store.feed.close();
    }
}

impl StoreState {
    /// Joins the threads in the order of their start: the writer first.
    fn join(&self, threads: Vec<JoinHandle<()>>) {
        for (index, thread) in threads.into_iter().enumerate() {
            if thread.join().is_err() {
                tracing::error!("a thread of the span store ended early");
            }
            if index == 0 {
                // The flusher may stop only after the writer has frozen its last generation.
                self.flush.stop();
            }
        }
    }

    fn start_closing(&self) {
        self.closing.store(true, Ordering::Release);
        self.queue.close();
        self.keeper.wake();
    }
}

impl Drop for EmbeddedSpanStore {
    /// Closes a store that was not closed explicitly.
    fn drop(&mut self) {
        self.store.start_closing();
        let threads = std::mem::take(&mut *self.threads.lock());
        self.store.join(threads);
        self.store.feed.close();
    }
}
