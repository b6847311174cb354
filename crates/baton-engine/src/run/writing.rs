//! Text that is journaled while it is written, in pieces: a stream that was promised to go on anywhere is read from there.

use super::{Driver, Halt};
use baton_types::TaskEvent;
use std::time::Duration;
use tokio::time::Instant;

/// A piece is written down when it has so many bytes.
const PIECE: usize = 1_024;

/// A piece waits so long for more.
const PATIENCE: Duration = Duration::from_millis(50);

/// What was heard and is not written down yet.
pub(super) struct Pen {
    keeps: bool,
    heard: String,
    offset: u64,
    due: Option<Instant>,
}

impl Pen {
    /// Takes more text.
    pub(super) fn hear(&mut self, text: &str) {
        if self.keeps {
            self.heard.push_str(text);
            self.due.get_or_insert_with(|| Instant::now() + PATIENCE);
        }
    }

    /// Whether there is enough for a piece.
    pub(super) fn is_full(&self) -> bool {
        self.heard.len() >= PIECE
    }

    /// Resolves when what was heard has waited long enough.
    pub(super) async fn is_due(&self) {
        match self.due {
            Some(due) => tokio::time::sleep_until(due).await,
            None => std::future::pending().await,
        }
    }
}

impl Driver {
    /// A pen for the attempt in progress; it writes nothing unless somebody wished so.
    pub(super) fn pen(&self, is_watched: bool) -> Pen {
        let wished = self.live.lock().task.wishes.as_ref().is_some_and(|wishes| wishes.keeps_text);
        Pen { keeps: wished && !is_watched, heard: String::new(), offset: 0, due: None }
    }

    /// Writes down what was heard.
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
