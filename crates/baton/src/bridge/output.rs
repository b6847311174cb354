//! Lines on the standard streams, with a maximum length.

use crate::screen::write_message;
use std::io::{self, BufRead, Read as _};
use tokio::sync::{mpsc, oneshot};

/// Maximum length of an input line.
pub(super) const MAX_LINE: usize = 16 * 1024 * 1024;
/// Capacity of the line queues.
const WAITING: usize = 64;

/// An input line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Text(String),
    /// A line that is too long or not text; it was skipped.
    Unusable(&'static str),
}

/// The lines of stdin until EOF. A separate thread reads them, because reads from a terminal or a pipe block.
pub(crate) fn standard_lines() -> mpsc::Receiver<Line> {
    let (give, lines) = mpsc::channel(WAITING);
    std::thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(line) = read(&mut input, MAX_LINE) {
            if give.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// The next non-empty line of at most `most` bytes; none at EOF.
fn read(input: &mut impl BufRead, most: usize) -> Option<Line> {
    loop {
        let mut line = Vec::new();
        let bound = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
        if input.by_ref().take(bound).read_until(b'\n', &mut line).ok()? == 0 {
            return None;
        }
        if line.last() != Some(&b'\n') && line.len() > most {
            skip_line(input)?;
            return Some(Line::Unusable("the line is longer than 16 MiB"));
        }
        match String::from_utf8(line) {
            Ok(line) if line.trim().is_empty() => {}
            Ok(line) => return Some(Line::Text(line)),
            Err(_) => return Some(Line::Unusable("the line is not UTF-8")),
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
pub(crate) struct Output {
    lines: mpsc::Sender<String>,
}

impl Output {
    /// stdout, written by a separate thread. The receiver resolves when stdout is closed, or when all lines are written
    /// and all senders are dropped.
    pub(crate) fn standard() -> (Self, oneshot::Receiver<()>) {
        let (lines, mut written) = mpsc::channel::<String>(WAITING);
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
    fn lines_have_a_bound_and_what_is_unusable_is_skipped() {
        let mut input: &[u8] = b"one\n\n  \r\n0123456789\nthis is too long\ntwo\n\xff\xfe\n0123456789";
        let mut seen = Vec::new();
        while let Some(line) = read(&mut input, 10) {
            seen.push(match line {
                Line::Text(text) => text.trim().to_owned(),
                Line::Unusable(why) => why.to_owned(),
            });
        }
        let (long, binary) = ("the line is longer than 16 MiB", "the line is not UTF-8");
        assert_eq!(seen, ["one", "0123456789", long, "two", binary, "0123456789"]);
    }
}
