//! Lines on the standard streams, with a maximum length.

use crate::screen::write_message;
use std::io::{self, BufRead, Read as _};
use tokio::sync::{mpsc, oneshot};

/// Maximum length of an input line.
pub(super) const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;
/// Capacity of the line queues.
const LINE_QUEUE_LEN: usize = 64;

/// An input line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum InputLine {
    Text(String),
    /// A line that is too long or not text; it was skipped.
    Unusable(&'static str),
}

/// The lines of stdin until EOF. A separate thread reads them, because reads from a terminal or a pipe block.
pub(crate) fn standard_lines() -> mpsc::Receiver<InputLine> {
    let (give, lines) = mpsc::channel(LINE_QUEUE_LEN);
    std::thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(line) = read_line(&mut input, MAX_LINE_BYTES) {
            if give.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// The next non-empty line of at most `max_bytes` bytes; none at EOF.
fn read_line(input: &mut impl BufRead, max_bytes: usize) -> Option<InputLine> {
    loop {
        let mut line = Vec::new();
        let bound = u64::try_from(max_bytes).unwrap_or(u64::MAX).saturating_add(1);
        if input.by_ref().take(bound).read_until(b'\n', &mut line).ok()? == 0 {
            return None;
        }
        if line.last() != Some(&b'\n') && line.len() > max_bytes {
            skip_line(input)?;
            return Some(InputLine::Unusable("the line is longer than 16 MiB"));
        }
        match String::from_utf8(line) {
            Ok(line) if line.trim().is_empty() => {}
            Ok(line) => return Some(InputLine::Text(line)),
            Err(_) => return Some(InputLine::Unusable("the line is not UTF-8")),
        }
    }
}

/// Skips the rest of a line without buffering it.
fn skip_line(input: &mut impl BufRead) -> Option<()> {
    loop {
        let held = input.fill_buf().ok()?;
        let (used, over) = match held.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (held.len(), held.is_empty()),
        };
        input.consume(used);
        if over {
            return Some(());
        }
    }
}

/// Writer for stdout; clones share it.
#[derive(Clone)]
pub(crate) struct LineOutput {
    lines: mpsc::Sender<String>,
}

impl LineOutput {
    /// stdout, written by a separate thread. The receiver resolves when stdout is closed, or when all lines are written
    /// and all senders are dropped.
    pub(crate) fn standard() -> (Self, oneshot::Receiver<()>) {
        let (lines, mut written) = mpsc::channel::<String>(LINE_QUEUE_LEN);
        let (over, ended) = oneshot::channel();
        std::thread::spawn(move || {
            while let Some(line) = written.blocking_recv() {
                if write_message(&line).is_err() {
                    break;
                }
            }
            let _ = over.send(());
        });
        (Self { lines }, ended)
    }

    /// Writes to a channel instead of stdout.
    #[cfg(test)]
    pub(super) fn to(lines: mpsc::Sender<String>) -> Self {
        Self { lines }
    }

    /// Writes a message as one line and waits while the reader is slow. Lines to a closed output are dropped.
    pub(super) async fn write(&self, line: String) {
        let _ = self.lines.send(line).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_limited_and_unusable_ones_skipped() {
        let mut input: &[u8] = b"one\n\n  \r\n0123456789\nthis is too long\ntwo\n\xff\xfe\n0123456789";
        let mut seen = Vec::new();
        while let Some(line) = read_line(&mut input, 10) {
            seen.push(match line {
                InputLine::Text(text) => text.trim().to_owned(),
                InputLine::Unusable(why) => why.to_owned(),
            });
        }
        let (long, binary) = ("the line is longer than 16 MiB", "the line is not UTF-8");
        assert_eq!(seen, ["one", "0123456789", long, "two", binary, "0123456789"]);
    }
}
