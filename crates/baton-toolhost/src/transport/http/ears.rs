//! Whether the stream is open on which a server says what belongs to no request.
//!
//! Servers of the older protocol may ask a question there while they work on a call. What they say before the stream is
//! open is lost, and the call then waits for an answer that nobody was asked for.

use std::{sync::Arc, time::Duration};
use tokio::{sync::watch, time::timeout};

/// Some servers send nothing, not even the head of the stream, before they have something to say.
const PATIENCE: Duration = Duration::from_secs(1);

/// The stream of one session; clones share it.
#[derive(Clone, Debug)]
pub(super) struct Ears(Arc<watch::Sender<bool>>);

impl Default for Ears {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(true)))
    }
}

impl Ears {
    /// A session began, and its stream is about to be opened.
    pub(super) fn awaited(&self) {
        self.0.send_replace(false);
    }

    /// The stream is open, or will not be.
    pub(super) fn settled(&self) {
        self.0.send_replace(true);
    }

    /// Waits until the stream is open, though not for long and only once.
    pub(super) async fn wait(&self) {
        let mut settled = self.0.subscribe();
        let open = settled.wait_for(|is_settled| *is_settled);
        if timeout(PATIENCE, open).await.is_err() {
            self.settled();
        }
    }
}
