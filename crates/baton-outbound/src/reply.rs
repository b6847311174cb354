//! Reply to a request.

use crate::{Target, pooled_body::PooledBody};
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt as _;

/// A reply with the part of its body that was read.
#[derive(Clone, Debug)]
pub struct OutboundReply {
    /// HTTP status.
    pub status: StatusCode,
    /// Response headers.
    pub headers: HeaderMap,
    /// The body, or its beginning.
    pub body: Bytes,
    /// Whether the body was read to its end, within the size limit and the timeout.
    pub complete: bool,
    /// Final target after redirects.
    pub final_target: Target,
}

impl OutboundReply {
    /// The first characters of the body as one line of text.
    pub fn excerpt(&self, characters: usize) -> String {
        let text = String::from_utf8_lossy(&self.body);
        let mut words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
        let mut line = words.next().unwrap_or_default().to_owned();
        for word in words {
            // A character has at most four bytes; longer lines are cut below.
            if line.len() > characters.saturating_mul(4) {
                break;
            }
            line.push(' ');
            line.push_str(word);
        }
        match line.char_indices().nth(characters) {
            Some((end, _)) => line[..end].to_owned(),
            None => line,
        }
    }
}

/// Reads a body into `read` until it ends, fails or exceeds the limit; returns whether it ended.
pub(crate) async fn read_body(mut body: PooledBody, limit: usize, read: &mut Vec<u8>) -> bool {
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return false };
        let Some(data) = frame.data_ref() else { continue };
        let room = limit - read.len();
        read.extend_from_slice(&data[..data.len().min(room)]);
        if data.len() > room {
            return false;
        }
    }
    true
}
