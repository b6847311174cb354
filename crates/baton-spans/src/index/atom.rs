//! Scalar values, encoded so that byte order equals value order.

use super::own;
use baton_types::{SpanKind, SpanStatus, SpanValue};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Longer text is indexed by a prefix of at most this many bytes.
pub(crate) const MAX_TEXT_LEN: usize = 256;

/// Minimum length of a truncated prefix: truncation moves back at most 3 bytes to a character boundary.
pub(crate) const MIN_TRUNCATED_LEN: usize = MAX_TEXT_LEN - 3;

/// Type of an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum AtomKind {
    Text,
    Int,
    Float,
    Bool,
}

impl AtomKind {
    pub(crate) const ALL: [Self; 4] = [Self::Text, Self::Int, Self::Float, Self::Bool];
}

/// A comparable scalar value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Atom<'a> {
    Text(&'a str),
    Int(i64),
    Float(f64),
    Bool(bool),
}

/// The indexed prefix of a text.
pub(crate) fn truncate_text(text: &str) -> &str {
    if text.len() <= MAX_TEXT_LEN {
        return text;
    }
    let end = (MIN_TRUNCATED_LEN..=MAX_TEXT_LEN).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    &text[..end]
}

/// Whether indexed text may be only a prefix of the original.
pub(crate) fn may_be_truncated(text: &str) -> bool {
    text.len() >= MIN_TRUNCATED_LEN
}

const SIGN_BIT: u64 = 1 << 63;

/// An integer as bytes that sort in numeric order.
pub(crate) fn int_bytes(number: i64) -> [u8; 8] {
    (number.cast_unsigned() ^ SIGN_BIT).to_be_bytes()
}

/// A float as bytes that sort in numeric order; NaN sorts at the ends.
pub(crate) fn float_bytes(number: f64) -> [u8; 8] {
    let bits = number.to_bits();
    let ordered = if bits & SIGN_BIT == 0 { bits ^ SIGN_BIT } else { !bits };
    ordered.to_be_bytes()
}

impl<'a> Atom<'a> {
    /// Type of the value.
    pub(crate) fn form(self) -> AtomKind {
        match self {
            Self::Text(_) => AtomKind::Text,
            Self::Int(_) => AtomKind::Int,
            Self::Float(_) => AtomKind::Float,
            Self::Bool(_) => AtomKind::Bool,
        }
    }

    /// Bytes that sort like values of the same type.
    pub(crate) fn bytes(self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.as_bytes().to_vec(),
            Self::Int(number) => int_bytes(number).to_vec(),
            Self::Float(number) => float_bytes(number).to_vec(),
            Self::Bool(flag) => vec![u8::from(flag)],
        }
    }

    /// A number that sorts like numbers of the same type.
    pub(crate) fn ordered(self) -> u64 {
        match self {
            Self::Int(number) => u64::from_be_bytes(int_bytes(number)),
            Self::Float(number) => u64::from_be_bytes(float_bytes(number)),
            Self::Bool(flag) => u64::from(flag),
            Self::Text(_) => 0,
        }
    }

    /// Decodes a value from its bytes.
    pub(crate) fn read(form: AtomKind, bytes: &'a [u8]) -> Option<Self> {
        match form {
            AtomKind::Text => std::str::from_utf8(bytes).ok().map(Self::Text),
            AtomKind::Int => {
                let ordered = u64::from_be_bytes(bytes.try_into().ok()?);
                Some(Self::Int((ordered ^ SIGN_BIT).cast_signed()))
            }
            AtomKind::Float => {
                let ordered = u64::from_be_bytes(bytes.try_into().ok()?);
                let bits = if ordered & SIGN_BIT == 0 { !ordered } else { ordered ^ SIGN_BIT };
                Some(Self::Float(f64::from_bits(bits)))
            }
            AtomKind::Bool => match bytes {
                [flag @ 0..=1] => Some(Self::Bool(*flag == 1)),
                _ => None,
            },
        }
    }

    /// The displayed value; numbers of span kinds and statuses become names.
    pub(crate) fn display_value(self, key: &str, of_span: bool) -> SpanValue {
        match self {
            Self::Int(code) if of_span && key == own::KIND => SpanValue::Text(Cow::Borrowed(kind_name(code))),
            Self::Int(code) if of_span && key == own::STATUS => SpanValue::Text(Cow::Borrowed(status_name(code))),
            Self::Text(text) => SpanValue::Text(Cow::Owned(text.to_owned())),
            Self::Int(number) => SpanValue::Int(number),
            Self::Float(number) => SpanValue::Float(number),
            Self::Bool(flag) => SpanValue::Bool(flag),
        }
    }
}

/// Index number of a span kind.
pub(crate) fn kind_code(kind: SpanKind) -> i64 {
    match kind {
        SpanKind::Unspecified => 0,
        SpanKind::Internal => 1,
        SpanKind::Server => 2,
        SpanKind::Client => 3,
        SpanKind::Producer => 4,
        SpanKind::Consumer => 5,
    }
}

fn kind_name(code: i64) -> &'static str {
    match code {
        1 => "internal",
        2 => "server",
        3 => "client",
        4 => "producer",
        5 => "consumer",
        _ => "unspecified",
    }
}

/// Index number of a status.
pub(crate) fn status_code(status: SpanStatus) -> i64 {
    match status {
        SpanStatus::Unset => 0,
        SpanStatus::Ok => 1,
        SpanStatus::Error => 2,
    }
}

fn status_name(code: i64) -> &'static str {
    match code {
        1 => "ok",
        2 => "error",
        _ => "unset",
    }
}
