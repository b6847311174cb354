//! Journals streamed text in pieces, so that a stream can be resumed at any offset.

use super::{Driver, Halt};
use baton_types::TaskEvent;
use std::time::Duration;
use tokio::time::Instant;

/// Size at which a piece is flushed.
const PIECE: usize = 1_024;

/// Maximum delay of a piece before it is flushed.
const PATIENCE: Duration = Duration::from_millis(50);

/// Streamed text that is not journaled yet.
pub(super) struct Pen {
    keeps: bool,
    heard: String,
    offset: u64,
    due: Option<Instant>,
}

impl Pen {
    /// Appends text.
    pub(super) fn hear(&mut self, text: &str) {
        if self.keeps {
            self.heard.push_str(text);
            self.due.get_or_insert_with(|| Instant::now() + PATIENCE);
        }
    }

    /// Whether the buffer has reached the flush size.
    pub(super) fn is_full(&self) -> bool {
        self.heard.len() >= PIECE
    }

    /// Resolves when the buffered text is due for a flush.
    pub(super) async fn is_due(&self) {
        match self.due {
            Some(due) => tokio::time::sleep_until(due).await,
            None => std::future::pending().await,
        }
    }
}

impl Driver {
    /// A buffer for the current attempt; disabled unless the run options request it.
    pub(super) fn pen(&self, is_watched: bool) -> Pen {
        let wished = self.live.lock().task.wishes.as_ref().is_some_and(|wishes| wishes.keeps_text);
        Pen { keeps: wished && !is_watched, heard: String::new(), offset: 0, due: None }
    }

    /// Journals the buffered text.
    pub(super) fn write_down(&self, pen: &mut Pen) -> Result<(), Halt> {
        pen.due = None;
        let text = std::mem::take(&mut pen.heard);
        let offset = pen.offset;
        pen.offset += text.len() as u64;
        self.hold(|task| {
            let open = task.run.as_ref().and_then(|run| Some((run.open.clone()?, run.attempt)));
            let wrote = open.map(|(message, attempt)| TaskEvent::Wrote { message, attempt, offset, text });
            wrote.into_iter().collect()
        })?;
        self.flush();
        Ok(())
    }
}
