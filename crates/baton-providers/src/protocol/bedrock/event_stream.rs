//! Frames of an AWS event stream.

use aws_smithy_eventstream::frame::read_message_from;
use bytes::{Buf, Bytes, BytesMut};

/// Maximum frame size of the protocol.
const MAX_FRAME_BYTES: usize = 16 << 20;
/// Size of the length, the header length, and the two checksums.
const MIN_FRAME_BYTES: usize = 16;

/// A decoded frame.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EventFrame {
    /// Event type; for an exception, its type.
    pub(super) kind: String,
    pub(super) is_failure: bool,
    pub(super) payload: Bytes,
}

/// A frame with an invalid length, checksum or header.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FrameError;

/// Received bytes that are not decoded yet; at most one frame and one chunk.
#[derive(Default)]
pub(super) struct FrameBuffer(BytesMut);

impl FrameBuffer {
    pub(super) fn push(&mut self, chunk: &[u8]) {
        self.0.extend_from_slice(chunk);
    }

    /// Removes the first frame; `None` until it is complete.
    pub(super) fn next_frame(&mut self) -> Result<Option<EventFrame>, FrameError> {
        let Some(prefix) = self.0.first_chunk::<4>() else { return Ok(None) };
        let length = usize::try_from(u32::from_be_bytes(*prefix)).map_err(|_| FrameError)?;
        if !(MIN_FRAME_BYTES..=MAX_FRAME_BYTES).contains(&length) {
            return Err(FrameError);
        }
        if self.0.len() < length {
            return Ok(None);
        }
        let mut bytes = self.0.split_to(length).freeze();
        let message = read_message_from(&mut bytes).map_err(|_| FrameError)?;
        if bytes.has_remaining() {
            return Err(FrameError);
        }
        let header = |name: &str| {
            let found = message.headers().iter().find(|header| header.name().as_str() == name);
            found.and_then(|header| header.value().as_string().ok()).map(|value| value.as_str().to_owned())
        };
        let is_failure = header(":message-type").is_some_and(|kind| kind == "exception" || kind == "error");
        let kinds = if is_failure { [":exception-type", ":error-code"] } else { [":event-type", ":exception-type"] };
        let kind = kinds.into_iter().find_map(header).unwrap_or_default();
        let text = header(":error-message").filter(|_| message.payload().is_empty());
        let payload = text.map_or_else(|| message.payload().clone(), Bytes::from);
        Ok(Some(EventFrame { kind, is_failure, payload }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_smithy_eventstream::frame::write_message_to;
    use aws_smithy_types::event_stream::{Header, HeaderValue, Message};
    use proptest::prelude::*;

    fn encode(headers: &[(&str, &str)], payload: &[u8]) -> Vec<u8> {
        let header = |(name, value): &(&str, &str)| {
            Header::new((*name).to_owned(), HeaderValue::String((*value).to_owned().into()))
        };
        let headers = headers.iter().map(header).collect();
        let mut bytes = Vec::new();
        write_message_to(&Message::new_from_parts(headers, payload.to_vec()), &mut bytes).expect("a frame");
        bytes
    }

    fn event(kind: &str, payload: &[u8]) -> Vec<u8> {
        encode(&[(":message-type", "event"), (":event-type", kind)], payload)
    }

    /// All frames of a stream that arrives in chunks of this size.
    fn decode(bytes: &[u8], chunk: usize) -> Result<Vec<EventFrame>, FrameError> {
        let (mut buffer, mut frames) = (FrameBuffer::default(), Vec::new());
        for chunk in bytes.chunks(chunk) {
            buffer.push(chunk);
            while let Some(frame) = buffer.next_frame()? {
                frames.push(frame);
            }
        }
        Ok(frames)
    }

    #[test]
    fn failures_have_their_type_and_text() {
        let exception = [(":message-type", "exception"), (":exception-type", "throttlingException")];
        let error = [(":message-type", "error"), (":error-code", "InternalError"), (":error-message", "gone")];
        let frames = decode(&[encode(&exception, b"{}"), encode(&error, b"")].concat(), 7).expect("frames");
        let frame = |kind: &str, payload: &'static [u8]| EventFrame {
            kind: kind.to_owned(),
            is_failure: true,
            payload: Bytes::from_static(payload),
        };
        assert_eq!(frames, [frame("throttlingException", b"{}"), frame("InternalError", b"gone")]);
    }

    #[test]
    fn absurd_lengths_are_rejected_at_once() {
        for length in [0, 15, 16 * 1024 * 1024 + 1, u32::MAX] {
            assert_eq!(decode(&length.to_be_bytes(), 4), Err(FrameError), "{length}");
        }
        assert_eq!(decode(&[16_u32.to_be_bytes(), [0; 4], [0; 4], [0; 4]].concat(), 16), Err(FrameError));
    }

    proptest! {
        #[test]
        fn frames_survive_any_chunking(
            all in proptest::collection::vec(("[a-zA-Z]{0,20}", proptest::collection::vec(any::<u8>(), 0..200)), 0..6),
            chunk in 1_usize..300,
        ) {
            let bytes: Vec<u8> = all.iter().flat_map(|(kind, payload)| event(kind, payload)).collect();
            let frames = decode(&bytes, chunk).expect("frames");
            let found: Vec<_> = frames.into_iter().map(|frame| (frame.kind, frame.payload.to_vec())).collect();
            prop_assert_eq!(found, all);
        }

        #[test]
        fn damaged_frames_are_never_delivered(
            payload in proptest::collection::vec(any::<u8>(), 0..100),
            at in any::<proptest::sample::Index>(),
            bit in 0_u8..8,
        ) {
            let mut bytes = event("contentBlockDelta", &payload);
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            // A changed length may leave the frame incomplete.
            prop_assert!(decode(&bytes, 64).is_ok_and(|frames| frames.is_empty()) || decode(&bytes, 64).is_err());
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400), chunk in 1_usize..50) {
            let _ = decode(&bytes, chunk);
        }
    }
}
