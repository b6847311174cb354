//! How a store ends.

use super::embedded::{EmbeddedSpans, Store};
use std::{
    sync::{Arc, atomic::Ordering},
    thread::JoinHandle,
};

impl EmbeddedSpans {
    /// Writes what waits, makes blocks of what is much, and ends; nothing is taken any more.
    pub async fn close(&self) {
        self.store.begin_to_close();
        let threads = std::mem::take(&mut *self.threads.lock());
        let store = Arc::clone(&self.store);
        let ended = tokio::task::spawn_blocking(move || store.join(threads));
        let _ = ended.await;
        self.store.feed.close();
    }
}

impl Store {
    /// Waits for the threads, in the order in which they began: the writer first.
    fn join(&self, threads: Vec<JoinHandle<()>>) {
        for (index, thread) in threads.into_iter().enumerate() {
            if thread.join().is_err() {
                tracing::error!("a thread of the span store ended early");
            }
            if index == 0 {
                // Only when the writer has frozen its last heads has the flusher seen all.
                self.flush.stop();
            }
        }
    }

    fn begin_to_close(&self) {
        self.closing.store(true, Ordering::Release);
        self.queue.close();
        self.keeper.wake();
    }
}

impl Drop for EmbeddedSpans {
    /// What was not closed ends in the same way.
    fn drop(&mut self) {
        self.store.begin_to_close();
        let threads = std::mem::take(&mut *self.threads.lock());
        self.store.join(threads);
        self.store.feed.close();
    }
}
