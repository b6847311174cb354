//! How a store ends.

use super::embedded::EmbeddedSpans;
use std::sync::atomic::Ordering;

impl EmbeddedSpans {
    /// Writes what waits, makes blocks of what is much, and ends; nothing is taken any more.
    pub async fn close(&self) {
        self.store.begin_to_close();
        let threads = std::mem::take(&mut *self.threads.lock());
        let store = std::sync::Arc::clone(&self.store);
        let ended = tokio::task::spawn_blocking(move || {
            for (index, thread) in threads.into_iter().enumerate() {
                if thread.join().is_err() {
                    tracing::error!("a thread of the span store ended early");
                }
                if index == 0 {
                    // Only when the writer has frozen its last heads has the flusher seen all.
                    store.flush.stop();
                }
            }
        });
        let _ = ended.await;
        self.store.feed.close();
    }
}

impl super::embedded::Store {
    fn begin_to_close(&self) {
        self.closing.store(true, Ordering::Release);
        self.queue.close();
        self.keeper.wake();
    }
}

impl Drop for EmbeddedSpans {
    /// What was not closed ends as soon as it can: acknowledged spans are in the log.
    fn drop(&mut self) {
        self.store.begin_to_close();
        self.store.flush.stop();
        for thread in std::mem::take(&mut *self.threads.lock()) {
            let _ = thread.join();
        }
        self.store.feed.close();
    }
}
