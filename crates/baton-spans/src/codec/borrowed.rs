//! An encoded span read without copying and without allocation, for indexing.
//!
//! Texts are bytes: most of them are already in the index, where equal bytes have been validated.

use super::{corrupt, take};
use baton_span_ports::SpanStoreError;
use baton_types::{SpanId, SpanKind, SpanStatus, TraceId};

/// The first fields of a span body, which was encoded without resource and scope.
pub(crate) struct BorrowedSpan<'a> {
    pub(crate) trace: TraceId,
    pub(crate) id: SpanId,
    pub(crate) parent: Option<SpanId>,
    pub(crate) name: &'a [u8],
    pub(crate) kind: SpanKind,
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Attributes, events, links, status and status message.
    pub(crate) rest: BodyReader<'a>,
}

/// The value of an attribute.
pub(crate) enum BorrowedValue<'a> {
    Text(&'a [u8]),
    Bool(bool),
    Int(i64),
    Float(f64),
    /// That many elements follow.
    List(u64),
    /// Has been skipped.
    Incomparable,
}

impl<'a> BorrowedSpan<'a> {
    /// Reads the first fields of a span body.
    pub(crate) fn read(body: &'a [u8]) -> Result<Self, SpanStoreError> {
        let mut reader = BodyReader(body);
        let (trace, id) = (TraceId(reader.array()?), SpanId(reader.array()?));
        let parent = match reader.array()? {
            [0] => None,
            [_] => Some(SpanId(reader.array()?)),
        };
        let _trace_state = reader.bytes()?;
        let _flags = reader.varint()?;
        let name = reader.bytes()?;
        let kind = take(&mut reader.0)?;
        let (start, end) = (reader.varint()?, reader.varint()?);
        Ok(Self { trace, id, parent, name, kind, start, end, rest: reader })
    }

    /// Duration in nanoseconds; 0 if the clock ran backwards.
    pub(crate) fn duration(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }
}

/// Reads the fields of a span body one after the other.
#[derive(Clone, Copy)]
pub(crate) struct BodyReader<'a>(&'a [u8]);

impl<'a> BodyReader<'a> {
    /// An unsigned number: seven bits per byte, lowest first.
    pub(crate) fn varint(&mut self) -> Result<u64, SpanStoreError> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let [byte] = self.array()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(corrupt(&"a number is too long"))
    }

    /// Bytes of a fixed length.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], SpanStoreError> {
        let (array, rest) = self.0.split_first_chunk::<N>().ok_or_else(ended)?;
        self.0 = rest;
        Ok(*array)
    }

    /// A text or bytes, with their length.
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], SpanStoreError> {
        let length = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
        let (bytes, rest) = self.0.split_at_checked(length).ok_or_else(ended)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// Status and status message.
    pub(crate) fn status(&mut self) -> Result<(SpanStatus, &'a [u8]), SpanStoreError> {
        Ok((take(&mut self.0)?, self.bytes()?))
    }

    /// A value; the elements of a list are not read. The variants have the order of [`baton_types::SpanValue`].
    pub(crate) fn value(&mut self) -> Result<BorrowedValue<'a>, SpanStoreError> {
        Ok(match self.varint()? {
            0 => BorrowedValue::Text(self.bytes()?),
            1 => BorrowedValue::Bool(self.array()? != [0]),
            2 => {
                let number = self.varint()?;
                BorrowedValue::Int((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
            }
            3 => BorrowedValue::Float(f64::from_le_bytes(self.array()?)),
            4 => BorrowedValue::List(self.varint()?),
            5 => {
                for _ in 0..self.varint()? {
                    self.bytes()?;
                    self.skip_value()?;
                }
                BorrowedValue::Incomparable
            }
            6 => {
                self.bytes()?;
                BorrowedValue::Incomparable
            }
            7 => BorrowedValue::Incomparable,
            _ => return Err(corrupt(&"unknown value type")),
        })
    }

    /// Skips a value with the elements of a list.
    pub(crate) fn skip_value(&mut self) -> Result<(), SpanStoreError> {
        if let BorrowedValue::List(count) = self.value()? {
            self.skip_values(count)?;
        }
        Ok(())
    }

    /// Skips the elements of a list.
    pub(crate) fn skip_values(&mut self, count: u64) -> Result<(), SpanStoreError> {
        (0..count).try_for_each(|_| self.skip_value())
    }
}

fn ended() -> SpanStoreError {
    corrupt(&"it ends early")
}
