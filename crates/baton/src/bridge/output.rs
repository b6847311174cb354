//! Lines on the standard streams, each with a bound.

use crate::screen::write_message;
use std::io::{self, BufRead, Read as _};
use tokio::sync::{mpsc, oneshot};

/// Longest line that is taken.
pub(super) const MAX_LINE: usize = 16 * 1024 * 1024;
/// Lines that wait for whoever is slower.
const WAITING: usize = 64;

/// What came in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line of text.
    Text(String),
    /// A line that is too long or not text; it was skipped.
    Unusable(&'static str),
}

/// The lines of stdin until its end. A thread of its own reads them, because a terminal or a pipe blocks.
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

/// The next line that is not empty, of at most `most` bytes; nothing at the end.
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

/// Reads to the end of a line without keeping any of it.
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

/// The way to stdout; clones share it.
#[derive(Clone)]
pub(crate) struct Output {
    lines: mpsc::Sender<String>,
}

impl Output {
    /// stdout, written by a thread of its own; the second value resolves when nobody reads it any more, or when all
    /// was written and nobody has more to write.
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

    /// Another reader than stdout.
    #[cfg(test)]
    pub(super) fn to(lines: mpsc::Sender<String>) -> Self {
        Self { lines }
    }

    /// Writes a message, which is one line; waits while the reader is slow. Nothing is left to do when it has gone.
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
