//! Server-sent events out of bytes, however they were cut.

use crate::ClientError;
use std::collections::VecDeque;

/// Largest event, in bytes of its data.
const MAX_EVENT: usize = 16 * 1024 * 1024;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// Its own id; not remembered from earlier events.
    pub(crate) id: Option<String>,
    /// Its data, lines joined.
    pub(crate) data: String,
}

/// Collects bytes until events are complete.
#[derive(Debug, Default)]
pub(crate) struct SseParser {
    line: Vec<u8>,
    after_return: bool,
    begun: bool,
    id: Option<String>,
    data: Option<String>,
    ready: VecDeque<SseEvent>,
}

impl SseParser {
    /// Takes the next bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<(), ClientError> {
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (piece, end) = (&rest[..at], rest[at]);
            rest = &rest[at + 1..];
            let second_half = self.after_return && end == b'\n' && piece.is_empty();
            self.after_return = end == b'\r';
            if second_half {
                continue;
            }
            self.grow(piece)?;
            let line = std::mem::take(&mut self.line);
            self.take_line(&line)?;
        }
        if !rest.is_empty() {
            self.after_return = false;
        }
        self.grow(rest)
    }

    /// The next complete event.
    pub(crate) fn next(&mut self) -> Option<SseEvent> {
        self.ready.pop_front()
    }

    fn grow(&mut self, piece: &[u8]) -> Result<(), ClientError> {
        if self.line.len() + piece.len() + self.data.as_ref().map_or(0, String::len) > MAX_EVENT {
            return Err(ClientError::Unintelligible(format!("an event is larger than {MAX_EVENT} bytes")));
        }
        self.line.extend_from_slice(piece);
        Ok(())
    }

    fn take_line(&mut self, line: &[u8]) -> Result<(), ClientError> {
        let text =
            std::str::from_utf8(line).map_err(|_| ClientError::Unintelligible("an event is not UTF-8".to_owned()))?;
        let text = if self.begun { text } else { text.trim_start_matches('\u{feff}') };
        self.begun = true;
        if text.is_empty() {
            let id = self.id.take();
            if let Some(data) = self.data.take() {
                self.ready.push_back(SseEvent { id, data });
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
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(pieces: &[&[u8]]) -> Vec<SseEvent> {
        let mut parser = SseParser::default();
        let mut events = Vec::new();
        for piece in pieces {
            parser.feed(piece).unwrap();
            events.extend(std::iter::from_fn(|| parser.next()));
        }
        events
    }

    fn event(id: Option<&str>, data: &str) -> SseEvent {
        SseEvent { id: id.map(str::to_owned), data: data.to_owned() }
    }

    const FEED: &str = "\u{feff}: hello\n\nid: 7\ndata: {\"a\":1}\n\ndata:x\r\ndata: y\r\n\r\nid: 8\n\nevent: z\rdata\r\r\
                        data: é\n\ndata: cut off";

    #[test]
    fn fields_lines_and_ends() {
        let expect = vec![event(Some("7"), "{\"a\":1}"), event(None, "x\ny"), event(None, ""), event(None, "é")];
        assert_eq!(parse(&[FEED.as_bytes()]), expect);
    }

    #[test]
    fn an_endless_line_is_refused() {
        let mut parser = SseParser::default();
        let piece = vec![b'x'; 1024 * 1024];
        assert!((0..17).any(|_| parser.feed(&piece).is_err()));
    }

    proptest! {
        #[test]
        fn cuts_do_not_matter(cuts in proptest::collection::vec(0..FEED.len(), 0..8)) {
            let mut cuts = cuts;
            cuts.sort_unstable();
            let mut pieces = Vec::new();
            let mut start = 0;
            for cut in cuts.into_iter().chain([FEED.len()]) {
                pieces.push(&FEED.as_bytes()[start..cut]);
                start = cut;
            }
            prop_assert_eq!(parse(&pieces), parse(&[FEED.as_bytes()]));
        }

        #[test]
        fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..256)) {
            let mut parser = SseParser::default();
            let _ = parser.feed(&bytes);
        }
    }
}
