//! State of the stream for server messages that belong to no request.
//!
//! Servers of the older protocol may send a request on it during a call. Messages sent before the stream is open are
//! lost, and the call would then wait for an answer to a lost request.

use std::{sync::Arc, time::Duration};
use tokio::{sync::watch, time::timeout};

/// Maximum wait for the stream: some servers send not even the response headers before their first message.
const STREAM_OPEN_TIMEOUT: Duration = Duration::from_secs(1);

/// Stream state of one session; clones share it.
#[derive(Clone, Debug)]
pub(super) struct StreamReadiness(Arc<watch::Sender<bool>>);

impl Default for StreamReadiness {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(true)))
    }
}

impl StreamReadiness {
    /// Marks the start of a session whose stream is about to be opened.
    pub(super) fn mark_opening(&self) {
        self.0.send_replace(false);
    }

    /// Marks the stream as open or unavailable.
    pub(super) fn mark_settled(&self) {
        self.0.send_replace(true);
    }

    /// Waits briefly until the stream is open; a timeout also settles it.
    pub(super) async fn wait(&self) {
        let mut settled = self.0.subscribe();
        let open = settled.wait_for(|is_settled| *is_settled);
        if timeout(STREAM_OPEN_TIMEOUT, open).await.is_err() {
            self.mark_settled();
        }
    }
}
