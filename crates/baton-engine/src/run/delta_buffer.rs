//! Journals streamed text in pieces, so that a stream can be resumed at any offset.

use super::{Driver, Halt};
use baton_types::TaskEvent;
use std::time::Duration;
use tokio::time::Instant;

/// Size at which a piece is flushed.
const FLUSH_BYTES: usize = 1_024;

/// Maximum delay of a piece before it is flushed.
const FLUSH_DELAY: Duration = Duration::from_millis(50);

/// Streamed text that is not journaled yet.
pub(super) struct DeltaBuffer {
    enabled: bool,
    text: String,
    offset: u64,
    due: Option<Instant>,
}

impl DeltaBuffer {
    /// Appends text.
    pub(super) fn push(&mut self, text: &str) {
        if self.enabled {
            self.text.push_str(text);
            self.due.get_or_insert_with(|| Instant::now() + FLUSH_DELAY);
        }
    }

    /// Whether the buffer has reached the flush size.
    pub(super) fn is_full(&self) -> bool {
        self.text.len() >= FLUSH_BYTES
    }

    /// Resolves when the buffered text is due for a flush.
    pub(super) async fn wait_due(&self) {
        match self.due {
            Some(due) => tokio::time::sleep_until(due).await,
            None => std::future::pending().await,
        }
    }
}

impl Driver {
    /// A buffer for the current attempt; disabled unless the run options request it.
    pub(super) fn delta_buffer(&self, is_watched: bool) -> DeltaBuffer {
        let is_requested = self.live.lock().task.wishes.as_ref().is_some_and(|options| options.journal_deltas);
        DeltaBuffer { enabled: is_requested && !is_watched, text: String::new(), offset: 0, due: None }
    }

    /// Journals the buffered text.
    pub(super) fn flush_deltas(&self, buffer: &mut DeltaBuffer) -> Result<(), Halt> {
        buffer.due = None;
        let text = std::mem::take(&mut buffer.text);
        let offset = buffer.offset;
        buffer.offset += text.len() as u64;
        self.buffer_events(|task| {
            let open = task.run.as_ref().and_then(|run| Some((run.open.clone()?, run.attempt)));
            let event = open.map(|(message, attempt)| TaskEvent::TextFlushed { message, attempt, offset, text });
            event.into_iter().collect()
        })?;
        self.flush();
        Ok(())
    }
}
