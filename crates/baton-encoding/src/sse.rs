//! Incremental parser for server-sent events; chunks may end anywhere.

use std::{collections::VecDeque, time::Duration};

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// Id of this event; not inherited from earlier events.
    pub id: Option<String>,
    /// Event type, if the server sets one.
    pub event: Option<String>,
    /// Data lines, joined by newlines.
    pub data: String,
}

/// Error of an invalid event stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SseError {
    /// An event or a single line exceeds the size limit.
    #[error("an event is larger than {0} bytes")]
    TooLarge(usize),
    /// A line is not UTF-8.
    #[error("an event is not UTF-8")]
    NotText,
}

/// Buffers bytes until events are complete. Take the events with [`SseParser::next`] before feeding more bytes.
#[derive(Clone, Debug)]
pub struct SseParser {
    max_bytes: usize,
    line: Vec<u8>,
    after_return: bool,
    started: bool,
    id: Option<String>,
    event: Option<String>,
    data: Option<String>,
    retry: Option<Duration>,
    last_id: Option<String>,
    ready: VecDeque<SseEvent>,
}

impl SseParser {
    /// A parser with an upper bound in bytes for one event: its fields and the current line.
    pub fn new(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            line: Vec::new(),
            after_return: false,
            started: false,
            id: None,
            event: None,
            data: None,
            retry: None,
            last_id: None,
            ready: VecDeque::new(),
        }
    }

    /// Feeds the next bytes. After an error the parser must not be used further.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), SseError> {
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (piece, end) = (&rest[..at], rest[at]);
            rest = &rest[at + 1..];
            let second_half = self.after_return && end == b'\n' && piece.is_empty();
            self.after_return = end == b'\r';
            if second_half {
                continue;
            }
            self.extend_line(piece)?;
            let line = std::mem::take(&mut self.line);
            self.parse_line(&line)?;
        }
        if !rest.is_empty() {
            self.after_return = false;
        }
        self.extend_line(rest)
    }

    /// The next complete event.
    #[expect(clippy::should_implement_trait, reason = "`None` means that no event is complete yet, not the end")]
    pub fn next(&mut self) -> Option<SseEvent> {
        self.ready.pop_front()
    }

    /// Reconnection delay that the server sent last.
    pub fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Id that the server sent last, also in an event without data, which is not returned.
    pub fn last_id(&self) -> Option<&str> {
        self.last_id.as_deref()
    }

    fn extend_line(&mut self, piece: &[u8]) -> Result<(), SseError> {
        let fields = [&self.id, &self.event, &self.data];
        let held: usize = fields.into_iter().flatten().map(String::len).sum();
        if self.line.len() + piece.len() + held > self.max_bytes {
            return Err(SseError::TooLarge(self.max_bytes));
        }
        self.line.extend_from_slice(piece);
        Ok(())
    }

    fn parse_line(&mut self, line: &[u8]) -> Result<(), SseError> {
        let text = std::str::from_utf8(line).map_err(|_| SseError::NotText)?;
        let text = if self.started { text } else { text.strip_prefix('\u{feff}').unwrap_or(text) };
        self.started = true;
        if text.is_empty() {
            let (id, event) = (self.id.take(), self.event.take());
            if id.is_some() {
                self.last_id.clone_from(&id);
            }
            if let Some(data) = self.data.take() {
                self.ready.push_back(SseEvent { id, event, data });
            }
            return Ok(());
        }
        let (field, value) = text.split_once(':').unwrap_or((text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            "id" if !value.contains('\0') => self.id = Some(value.to_owned()),
            "event" => self.event = Some(value.to_owned()),
            "retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.retry = value.parse().ok().map(Duration::from_millis);
            }
            _ => {}
        }
        Ok(())
    }
}
