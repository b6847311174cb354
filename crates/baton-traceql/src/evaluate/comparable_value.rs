//! Values in comparable form.

use crate::{CompareOp, Literal};
use baton_types::{SpanKind, SpanStatus, SpanValue};
use std::{cmp::Ordering, ops::ControlFlow};

/// Whether a visitor continues.
pub(super) type Flow = ControlFlow<()>;

/// A comparable value; maps, bytes and empty values have no such form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ComparableValue<'a> {
    Text(&'a str),
    Int(i64),
    Float(f64),
    /// In nanoseconds.
    Duration(i64),
    Bool(bool),
    Status(SpanStatus),
    Kind(SpanKind),
}

enum NumericValue {
    Whole(i64),
    Real(f64),
}

impl<'a> ComparableValue<'a> {
    /// Value of a constant; none for `nil`.
    pub(crate) fn from_literal(literal: &'a Literal) -> Option<Self> {
        Some(match literal {
            Literal::Text(text) => Self::Text(text),
            Literal::Int(number) => Self::Int(*number),
            Literal::Float(number) => Self::Float(*number),
            Literal::Duration(nanoseconds) => Self::Duration(*nanoseconds),
            Literal::Bool(value) => Self::Bool(*value),
            Literal::Status(status) => Self::Status(*status),
            Literal::Kind(kind) => Self::Kind(*kind),
            Literal::Nil => return None,
        })
    }

    /// Visits every element of a value.
    pub(super) fn visit_elements(value: &'a SpanValue, seen: &mut dyn FnMut(ComparableValue<'_>) -> Flow) -> Flow {
        match value {
            SpanValue::Text(text) => seen(Self::Text(text)),
            SpanValue::Bool(value) => seen(Self::Bool(*value)),
            SpanValue::Int(number) => seen(Self::Int(*number)),
            SpanValue::Float(number) => seen(Self::Float(*number)),
            SpanValue::List(values) => values.iter().try_for_each(|value| Self::visit_elements(value, seen)),
            SpanValue::Map(_) | SpanValue::Bytes(_) | SpanValue::Empty => Flow::Continue(()),
        }
    }

    /// The value in the form of the result.
    pub(super) fn to_value(self) -> SpanValue {
        match self {
            Self::Text(text) => SpanValue::from(text.to_owned()),
            Self::Int(number) => SpanValue::Int(number),
            Self::Float(number) => SpanValue::Float(number),
            Self::Duration(nanoseconds) => SpanValue::from(Literal::Duration(nanoseconds).to_string()),
            Self::Bool(value) => SpanValue::Bool(value),
            Self::Status(status) => SpanValue::from(Literal::Status(status).to_string()),
            Self::Kind(kind) => SpanValue::from(Literal::Kind(kind).to_string()),
        }
    }

    fn number(self) -> Option<NumericValue> {
        match self {
            Self::Int(number) | Self::Duration(number) => Some(NumericValue::Whole(number)),
            Self::Float(number) => Some(NumericValue::Real(number)),
            _ => None,
        }
    }

    /// The number, if it is numeric.
    pub(super) fn as_float(self) -> Option<f64> {
        self.number().map(|number| match number {
            NumericValue::Whole(number) => number as f64,
            NumericValue::Real(number) => number,
        })
    }

    /// The integer, if it is an integer or duration.
    pub(super) fn as_whole(self) -> Option<i64> {
        match self.number() {
            Some(NumericValue::Whole(number)) => Some(number),
            _ => None,
        }
    }
}

/// Whether a comparison holds; none if the operator does not apply to these types.
pub(crate) fn holds(op: CompareOp, left: ComparableValue<'_>, right: ComparableValue<'_>) -> Option<bool> {
    let equality = matches!(op, CompareOp::Equal | CompareOp::NotEqual);
    let order = match (left, right) {
        (ComparableValue::Text(left), ComparableValue::Text(right)) => Some(left.cmp(right)),
        (ComparableValue::Bool(left), ComparableValue::Bool(right)) if equality => Some(left.cmp(&right)),
        (ComparableValue::Status(left), ComparableValue::Status(right)) if equality => Some(left.cmp(&right)),
        (ComparableValue::Kind(left), ComparableValue::Kind(right)) if equality => Some(left.cmp(&right)),
        _ => order(left.number()?, right.number()?),
    };
    Some(match op {
        CompareOp::Equal => order == Some(Ordering::Equal),
        CompareOp::NotEqual => order != Some(Ordering::Equal),
        CompareOp::Less => order == Some(Ordering::Less),
        CompareOp::LessEqual => order.is_some_and(Ordering::is_le),
        CompareOp::Greater => order == Some(Ordering::Greater),
        CompareOp::GreaterEqual => order.is_some_and(Ordering::is_ge),
        CompareOp::Matches | CompareOp::MatchesNot => return None,
    })
}

fn order(left: NumericValue, right: NumericValue) -> Option<Ordering> {
    match (left, right) {
        (NumericValue::Whole(left), NumericValue::Whole(right)) => Some(left.cmp(&right)),
        (NumericValue::Real(left), NumericValue::Real(right)) => left.partial_cmp(&right),
        (NumericValue::Whole(left), NumericValue::Real(right)) => order_mixed(left, right),
        (NumericValue::Real(left), NumericValue::Whole(right)) => order_mixed(right, left).map(Ordering::reverse),
    }
}

/// 2^63: the first number above the range of `i64`.
const I64_UPPER_BOUND: f64 = 9_223_372_036_854_775_808.0;

/// Exact comparison, also where `f64` cannot distinguish neighbouring integers.
fn order_mixed(integer: i64, real: f64) -> Option<Ordering> {
    if real.is_nan() {
        return None;
    }
    if real >= I64_UPPER_BOUND {
        return Some(Ordering::Less);
    }
    if real < -I64_UPPER_BOUND {
        return Some(Ordering::Greater);
    }
    let fraction = 0.0_f64.partial_cmp(&real.fract())?;
    Some(integer.cmp(&(real.trunc() as i64)).then(fraction))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_different_types_compare_by_value() {
        let table = [
            (ComparableValue::Int(1), CompareOp::Equal, ComparableValue::Float(1.0), Some(true)),
            (ComparableValue::Int(1), CompareOp::Less, ComparableValue::Float(1.5), Some(true)),
            (ComparableValue::Int(-1), CompareOp::Greater, ComparableValue::Float(-1.5), Some(true)),
            (ComparableValue::Float(2.5), CompareOp::Greater, ComparableValue::Int(2), Some(true)),
            (ComparableValue::Duration(1_000), CompareOp::Equal, ComparableValue::Int(1_000), Some(true)),
            (ComparableValue::Int(i64::MAX), CompareOp::Less, ComparableValue::Float(I64_UPPER_BOUND), Some(true)),
            (ComparableValue::Int(i64::MAX), CompareOp::Equal, ComparableValue::Float(I64_UPPER_BOUND), Some(false)),
            (
                ComparableValue::Int(9_007_199_254_740_993),
                CompareOp::Greater,
                ComparableValue::Float(9_007_199_254_740_992.0),
                Some(true),
            ),
            (ComparableValue::Int(i64::MIN), CompareOp::Equal, ComparableValue::Float(-I64_UPPER_BOUND), Some(true)),
            (ComparableValue::Float(f64::NAN), CompareOp::Equal, ComparableValue::Int(0), Some(false)),
            (ComparableValue::Float(f64::NAN), CompareOp::NotEqual, ComparableValue::Int(0), Some(true)),
            (ComparableValue::Int(1), CompareOp::Equal, ComparableValue::Text("1"), None),
            (ComparableValue::Int(1), CompareOp::NotEqual, ComparableValue::Text("1"), None),
            (ComparableValue::Bool(true), CompareOp::Equal, ComparableValue::Bool(true), Some(true)),
            (ComparableValue::Bool(true), CompareOp::Greater, ComparableValue::Bool(false), None),
            (ComparableValue::Text("b"), CompareOp::GreaterEqual, ComparableValue::Text("a"), Some(true)),
            (
                ComparableValue::Status(SpanStatus::Ok),
                CompareOp::Less,
                ComparableValue::Status(SpanStatus::Error),
                None,
            ),
        ];
        for (left, op, right, expected) in table {
            assert_eq!(holds(op, left, right), expected, "{left:?} {op:?} {right:?}");
        }
    }
}
