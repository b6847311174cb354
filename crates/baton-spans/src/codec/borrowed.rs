//! An encoded span decoded without copying: its texts borrow from the buffer.

use super::take;
use baton_span_ports::SpanStoreError;
use baton_types::{SpanDropCounts, SpanId, SpanKind, SpanStatus, TraceId};
use serde::Deserialize;

/// A span body, encoded without resource and scope.
#[derive(Deserialize)]
pub(crate) struct BorrowedSpan<'a> {
    pub(crate) trace: TraceId,
    pub(crate) id: SpanId,
    pub(crate) parent: Option<SpanId>,
    _trace_state: &'a str,
    _flags: u32,
    pub(crate) name: &'a str,
    pub(crate) kind: SpanKind,
    pub(crate) start: u64,
    pub(crate) end: u64,
    #[serde(borrow)]
    pub(crate) attributes: BorrowedAttributes<'a>,
    #[serde(borrow)]
    pub(crate) events: Vec<BorrowedEvent<'a>>,
    #[serde(borrow)]
    pub(crate) links: Vec<BorrowedLink<'a>>,
    pub(crate) status: SpanStatus,
    pub(crate) status_message: &'a str,
    _dropped: SpanDropCounts,
}

pub(crate) type BorrowedAttributes<'a> = Vec<(&'a str, BorrowedValue<'a>)>;

/// The value of an attribute; the variants have the order of [`baton_types::Value`].
#[derive(Deserialize)]
pub(crate) enum BorrowedValue<'a> {
    Text(&'a str),
    Bool(bool),
    Int(i64),
    Float(f64),
    #[serde(borrow)]
    List(Vec<BorrowedValue<'a>>),
    #[serde(borrow)]
    #[expect(dead_code, reason = "it is read so that what follows can be")]
    Map(BorrowedAttributes<'a>),
    #[expect(dead_code, reason = "it is read so that what follows can be")]
    Bytes(&'a [u8]),
    Empty,
}

#[derive(Deserialize)]
pub(crate) struct BorrowedEvent<'a> {
    _at: u64,
    pub(crate) name: &'a str,
    #[serde(borrow)]
    pub(crate) attributes: BorrowedAttributes<'a>,
    _dropped_attributes: u32,
}

#[derive(Deserialize)]
pub(crate) struct BorrowedLink<'a> {
    pub(crate) trace: TraceId,
    pub(crate) span: SpanId,
    _trace_state: &'a str,
    #[serde(borrow)]
    pub(crate) attributes: BorrowedAttributes<'a>,
    _dropped_attributes: u32,
    _flags: u32,
}

impl<'a> BorrowedSpan<'a> {
    /// Decodes a span body.
    pub(crate) fn read(mut body: &'a [u8]) -> Result<Self, SpanStoreError> {
        take(&mut body)
    }

    /// Duration in nanoseconds; 0 if the clock ran backwards.
    pub(crate) fn duration(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }
}
