//! Size limit for incoming events.

/// Counts the bytes of the incoming event; comments count only until the end of their line.
#[derive(Debug)]
pub(crate) struct EventLimit {
    max_size: usize,
    event: usize,
    line: usize,
    is_comment: bool,
    after_return: bool,
}

impl EventLimit {
    pub(crate) fn new(max_size: usize) -> Self {
        Self { max_size, event: 0, line: 0, is_comment: false, after_return: false }
    }

    /// Whether the event is within the limit after these bytes.
    pub(crate) fn accepts(&mut self, piece: &[u8]) -> bool {
        for byte in piece {
            match byte {
                b'\n' if self.after_return => self.after_return = false,
                b'\n' | b'\r' => {
                    self.after_return = *byte == b'\r';
                    self.end_line();
                }
                _ => {
                    self.after_return = false;
                    self.is_comment |= self.line == 0 && *byte == b':';
                    self.line += 1;
                    self.event += 1;
                    if self.event > self.max_size {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn end_line(&mut self) {
        if self.line == 0 {
            self.event = 0;
        } else if self.is_comment {
            self.event -= self.line;
        }
        self.line = 0;
        self.is_comment = false;
    }
}

#[cfg(test)]
mod tests {
    use super::EventLimit;

    #[test]
    fn event_limit_is_independent_of_chunk_boundaries() {
        for (text, fits) in [
            ("data: ab\n\ndata: cd\n\n", true),
            ("data: ab\r\n\r\ndata: cd\r\n\r\n", true),
            ("data: ab\r\rdata: cd\r\r", true),
            (": a\n: b\n: c\n: d\n: e\ndata: ab\n\n", true),
            ("data: ab\ndata: c\n\n", false),
            ("data: abcdefg", false),
            (": a comment without an end", false),
        ] {
            for cut in 0..text.len() {
                let mut limit = EventLimit::new(10);
                let (first, second) = text.as_bytes().split_at(cut);
                assert_eq!(limit.accepts(first) && limit.accepts(second), fits, "{text:?} cut at {cut}");
            }
        }
    }
}
