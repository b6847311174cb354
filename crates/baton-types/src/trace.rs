//! Trace and span ids, and the W3C trace context that propagates them between processes.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::{fmt, str::FromStr};

/// Trace id: 16 bytes, never all zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TraceId(pub [u8; 16]);

/// Span id within its trace: 8 bytes, never all zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SpanId(pub [u8; 8]);

/// Error for text that is not a valid trace or span id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid {0}")]
pub struct TraceIdError(&'static str);

impl TraceId {
    /// Derives an id deterministically from these strings.
    pub fn derive(parts: &[&str]) -> Self {
        let hash = hash_strings(parts);
        let mut id = [0; 16];
        id.copy_from_slice(&hash[..16]);
        Self(id)
    }

    /// Whether the id is valid, that is not all zero.
    pub fn is_valid(self) -> bool {
        self.0 != [0; 16]
    }
}

impl SpanId {
    /// Derives an id deterministically from these strings.
    pub fn derive(parts: &[&str]) -> Self {
        let hash = hash_strings(parts);
        let mut id = [0; 8];
        id.copy_from_slice(&hash[16..24]);
        Self(id)
    }

    /// Whether the id is valid, that is not all zero.
    pub fn is_valid(self) -> bool {
        self.0 != [0; 8]
    }
}

fn hash_strings(parts: &[&str]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().into()
}

/// W3C trace context, as carried by `traceparent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceContext {
    /// Trace id.
    pub trace: TraceId,
    /// Current span: the parent of new spans.
    pub span: SpanId,
    /// Trace flags; only `sampled` (1) is defined.
    pub flags: u8,
}

impl TraceContext {
    /// Creates a sampled context.
    pub fn new(trace: TraceId, span: SpanId) -> Self {
        Self { trace, span, flags: 1 }
    }

    /// Same trace with another current span.
    #[must_use]
    pub fn with_span(self, span: SpanId) -> Self {
        Self { span, ..self }
    }

    /// Parses a `traceparent`. Later versions of the format are accepted as far as they match version 00.
    pub fn parse(text: &str) -> Option<Self> {
        let (fields, rest) = text.trim().as_bytes().split_at_checked(TRACEPARENT_LEN)?;
        let [version] = parse_lower_hex(&fields[..2])?;
        let has_dashes = fields[2] == b'-' && fields[35] == b'-' && fields[52] == b'-';
        let has_valid_end = rest.is_empty() || version != 0 && rest[0] == b'-';
        if version == 0xff || !has_dashes || !has_valid_end {
            return None;
        }
        let [flags] = parse_lower_hex(&fields[53..])?;
        let context = Self {
            trace: TraceId(parse_lower_hex(&fields[3..35])?),
            span: SpanId(parse_lower_hex(&fields[36..52])?),
            flags,
        };
        (context.trace.is_valid() && context.span.is_valid()).then_some(context)
    }
}

/// Length of a `traceparent` of version 00; later versions may continue after it.
const TRACEPARENT_LEN: usize = 55;

/// Parses two digits per byte, lower case only: upper case is not allowed in a `traceparent`.
fn parse_lower_hex<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let (pairs, []) = text.as_chunks::<2>() else { return None };
    if pairs.len() != N || text.iter().any(u8::is_ascii_uppercase) {
        return None;
    }
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = parse_hex_digit(*high)? << 4 | parse_hex_digit(*low)?;
    }
    Some(bytes)
}

impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{}-{}-{:02x}", self.trace, self.span, self.flags)
    }
}

/// Parses hex of at most `N` bytes; missing leading zeros are filled in.
fn parse_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.is_empty() || text.len() > 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().rev().zip(text.as_bytes().rchunks(2)) {
        *byte = match pair {
            [high, low] => parse_hex_digit(*high)? << 4 | parse_hex_digit(*low)?,
            [low] => parse_hex_digit(*low)?,
            _ => 0,
        };
    }
    Some(bytes)
}

fn parse_hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

const HEX_DIGITS: &[u8; 16] = b"0123456789abcdef";

fn write_hex(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut text = [0; 32];
    for (pair, byte) in text.chunks_exact_mut(2).zip(bytes) {
        pair[0] = HEX_DIGITS[usize::from(byte >> 4)];
        pair[1] = HEX_DIGITS[usize::from(byte & 15)];
    }
    f.write_str(std::str::from_utf8(&text[..2 * bytes.len()]).unwrap_or_default())
}

impl FromStr for TraceId {
    type Err = TraceIdError;

    /// Parses hex; leading zeros may be missing.
    fn from_str(text: &str) -> Result<Self, TraceIdError> {
        parse_hex(text).map(Self).ok_or(TraceIdError("trace id: expected at most 32 hex digits"))
    }
}

impl FromStr for SpanId {
    type Err = TraceIdError;

    /// Parses hex; leading zeros may be missing.
    fn from_str(text: &str) -> Result<Self, TraceIdError> {
        parse_hex(text).map(Self).ok_or(TraceIdError("span id: expected at most 16 hex digits"))
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

impl fmt::Debug for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

impl fmt::Debug for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}
