//! Counts WebSocket frames while their bytes arrive.

/// Maximum number of frames per message.
pub(super) const MAX_FRAGMENTS: usize = 4096;

/// Maximum length of a frame header: two bytes, a length of eight and a mask of four.
const MAX_HEADER: usize = 14;

/// Parses frame headers (RFC 6455, 5.2) to determine how much of a message has arrived. Frames are validated by the
/// protocol implementation behind it.
#[derive(Debug, Default)]
pub(super) struct FrameCounter {
    header: [u8; MAX_HEADER],
    header_bytes: usize,
    /// Remaining payload bytes of the current frame.
    payload_left: u64,
    is_control: bool,
    is_final: bool,
    /// Frames and bytes of the current message so far.
    fragments: usize,
    message_bytes: usize,
}

/// Event in the received bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameEvent {
    /// The first frame of a message began.
    MessageBegun,
    /// A continuation frame began.
    Continued {
        /// Frames of the message so far.
        fragments: usize,
    },
    /// A control frame began.
    Control,
    /// Payload of a message arrived.
    Payload {
        /// Number of bytes.
        bytes: usize,
        /// Bytes of the message so far.
        message_bytes: usize,
    },
}

impl FrameCounter {
    /// Whether a message is incomplete.
    pub(super) fn is_within_message(&self) -> bool {
        self.fragments > 0
    }

    /// Processes the next bytes; `see` is called for each event and may stop with an error.
    pub(super) fn advance<E>(
        &mut self,
        mut bytes: &[u8],
        mut see: impl FnMut(FrameEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        while !bytes.is_empty() || self.is_empty_frame() {
            if self.header_bytes < self.header_length() {
                let count = (self.header_length() - self.header_bytes).min(bytes.len());
                let (header, rest) = bytes.split_at(count);
                self.header[self.header_bytes..self.header_bytes + count].copy_from_slice(header);
                self.header_bytes += count;
                bytes = rest;
                if self.header_bytes == self.header_length() {
                    self.begin_frame(&mut see)?;
                } else if bytes.is_empty() {
                    return Ok(());
                }
                continue;
            }
            let arrived = usize::try_from(self.payload_left).unwrap_or(usize::MAX).min(bytes.len());
            self.payload_left -= arrived as u64;
            bytes = &bytes[arrived..];
            if !self.is_control && arrived > 0 {
                self.message_bytes = self.message_bytes.saturating_add(arrived);
                see(FrameEvent::Payload { bytes: arrived, message_bytes: self.message_bytes })?;
            }
            if self.payload_left == 0 {
                self.end_frame();
            }
        }
        Ok(())
    }

    /// Whether a frame without payload is complete.
    fn is_empty_frame(&self) -> bool {
        self.header_bytes >= 2 && self.header_bytes == self.header_length() && self.payload_left == 0
    }

    /// Header length as far as known; the second byte determines it.
    fn header_length(&self) -> usize {
        if self.header_bytes < 2 {
            return 2;
        }
        let length = match self.header[1] & 0x7f {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        let mask = if self.header[1] & 0x80 == 0 { 0 } else { 4 };
        2 + length + mask
    }

    fn begin_frame<E>(&mut self, see: &mut impl FnMut(FrameEvent) -> Result<(), E>) -> Result<(), E> {
        let [first, second, ..] = self.header;
        self.payload_left = match second & 0x7f {
            126 => u64::from(u16::from_be_bytes([self.header[2], self.header[3]])),
            127 => self.header[2..10].iter().fold(0, |length, byte| length << 8 | u64::from(*byte)),
            short => u64::from(short),
        };
        self.is_final = first & 0x80 != 0;
        self.is_control = first & 0x08 != 0;
        if self.is_control {
            return see(FrameEvent::Control);
        }
        self.fragments += 1;
        see(match self.fragments {
            1 => FrameEvent::MessageBegun,
            fragments => FrameEvent::Continued { fragments },
        })
    }

    fn end_frame(&mut self) {
        self.header_bytes = 0;
        if !self.is_control && self.is_final {
            (self.fragments, self.message_bytes) = (0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FrameEvent::*, *};
    use std::convert::Infallible;

    fn frame(first: u8, payload: usize) -> Vec<u8> {
        let mut bytes = vec![first];
        match payload {
            0..=125 => bytes.push(0x80 | u8::try_from(payload).unwrap()),
            126..=65_535 => {
                bytes.push(0x80 | 126);
                bytes.extend(u16::try_from(payload).unwrap().to_be_bytes());
            }
            _ => {
                bytes.push(0x80 | 127);
                bytes.extend((payload as u64).to_be_bytes());
            }
        }
        bytes.extend([1, 2, 3, 4]);
        bytes.extend(std::iter::repeat_n(0x85, payload));
        bytes
    }

    /// Events when the bytes arrive in chunks of a size; adjacent payload events are merged.
    fn seen(bytes: &[u8], piece: usize) -> (Vec<FrameEvent>, bool) {
        let mut counter = FrameCounter::default();
        let mut seen: Vec<FrameEvent> = Vec::new();
        for bytes in bytes.chunks(piece) {
            let see = |event| {
                match (seen.last_mut(), event) {
                    (Some(Payload { bytes, message_bytes }), Payload { bytes: more, message_bytes: now }) => {
                        (*bytes, *message_bytes) = (*bytes + more, now);
                    }
                    _ => seen.push(event),
                }
                Ok::<(), Infallible>(())
            };
            counter.advance(bytes, see).unwrap();
        }
        (seen, counter.is_within_message())
    }

    #[test]
    fn frames_are_counted_however_their_bytes_arrive() {
        let payload = |bytes, message_bytes| Payload { bytes, message_bytes };
        let cases: [(Vec<Vec<u8>>, Vec<FrameEvent>, bool); 6] = [
            (
                vec![frame(0x81, 5), frame(0x82, 7)],
                vec![MessageBegun, payload(5, 5), MessageBegun, payload(7, 7)],
                false,
            ),
            (
                vec![frame(0x01, 300), frame(0x89, 4), frame(0x00, 0), frame(0x80, 70_000)],
                vec![
                    MessageBegun,
                    payload(300, 300),
                    Control,
                    Continued { fragments: 2 },
                    Continued { fragments: 3 },
                    payload(70_000, 70_300),
                ],
                false,
            ),
            (vec![frame(0x01, 0)], vec![MessageBegun], true),
            (vec![frame(0x81, 0), frame(0x8a, 0)], vec![MessageBegun, Control], false),
            (vec![frame(0x81, 65_536)], vec![MessageBegun, payload(65_536, 65_536)], false),
            (vec![vec![0x81, 0x02, 1, 2]], vec![MessageBegun, payload(2, 2)], false),
        ];
        for (frames, expect, within) in cases {
            let bytes = frames.concat();
            for piece in [1, 2, 3, 7, 4096, bytes.len()] {
                assert_eq!(seen(&bytes, piece), (expect.clone(), within), "in pieces of {piece}");
            }
        }
        // Announced bytes that have not arrived are not counted.
        let mut announced = vec![0x82, 0xff];
        announced.extend(u64::MAX.to_be_bytes());
        announced.extend([0, 0, 0, 0, 9]);
        assert_eq!(seen(&announced, 100), (vec![MessageBegun, payload(1, 1)], true));
    }
}
