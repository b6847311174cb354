//! Arithmetic on values.

use super::comparable_value::ComparableValue;
use crate::ArithmeticOp;

/// Result of an operation; none if it is undefined, as for a division by zero. Integers stay integers where that is
/// exact.
pub(super) fn compute(
    op: ArithmeticOp,
    left: ComparableValue<'_>,
    right: ComparableValue<'_>,
) -> Option<ComparableValue<'static>> {
    let exact = match (left.as_whole(), right.as_whole()) {
        (Some(left), Some(right)) => compute_integer(op, left, right),
        _ => None,
    };
    exact
        .map(ComparableValue::Int)
        .or_else(|| compute_float(op, left.as_float()?, right.as_float()?).map(ComparableValue::Float))
}

/// `-x`.
pub(super) fn negative(of: ComparableValue<'_>) -> Option<ComparableValue<'static>> {
    match of {
        ComparableValue::Duration(nanoseconds) => nanoseconds.checked_neg().map(ComparableValue::Duration),
        _ => compute(ArithmeticOp::Subtract, ComparableValue::Int(0), of),
    }
}

fn compute_integer(op: ArithmeticOp, left: i64, right: i64) -> Option<i64> {
    match op {
        ArithmeticOp::Add => left.checked_add(right),
        ArithmeticOp::Subtract => left.checked_sub(right),
        ArithmeticOp::Multiply => left.checked_mul(right),
        ArithmeticOp::Divide => left.checked_rem(right).filter(|rest| *rest == 0).and_then(|_| left.checked_div(right)),
        ArithmeticOp::Modulo => left.checked_rem(right),
        ArithmeticOp::Power => left.checked_pow(u32::try_from(right).ok()?),
    }
}

fn compute_float(op: ArithmeticOp, left: f64, right: f64) -> Option<f64> {
    match op {
        ArithmeticOp::Add => Some(left + right),
        ArithmeticOp::Subtract => Some(left - right),
        ArithmeticOp::Multiply => Some(left * right),
        ArithmeticOp::Divide => (right != 0.0).then(|| left / right),
        ArithmeticOp::Modulo => (right != 0.0).then(|| left % right),
        ArithmeticOp::Power => Some(left.powf(right)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_integer_results_stay_integers() {
        let table = [
            (ComparableValue::Int(7), ArithmeticOp::Add, ComparableValue::Int(2), Some(ComparableValue::Int(9))),
            (ComparableValue::Int(7), ArithmeticOp::Divide, ComparableValue::Int(2), Some(ComparableValue::Float(3.5))),
            (ComparableValue::Int(8), ArithmeticOp::Divide, ComparableValue::Int(2), Some(ComparableValue::Int(4))),
            (ComparableValue::Int(7), ArithmeticOp::Modulo, ComparableValue::Int(4), Some(ComparableValue::Int(3))),
            (ComparableValue::Int(2), ArithmeticOp::Power, ComparableValue::Int(10), Some(ComparableValue::Int(1024))),
            (ComparableValue::Int(2), ArithmeticOp::Power, ComparableValue::Int(-1), Some(ComparableValue::Float(0.5))),
            (ComparableValue::Int(1), ArithmeticOp::Divide, ComparableValue::Int(0), None),
            (ComparableValue::Int(1), ArithmeticOp::Modulo, ComparableValue::Int(0), None),
            (ComparableValue::Float(1.0), ArithmeticOp::Divide, ComparableValue::Int(0), None),
            (ComparableValue::Text("1"), ArithmeticOp::Add, ComparableValue::Int(1), None),
            (
                ComparableValue::Duration(10),
                ArithmeticOp::Multiply,
                ComparableValue::Float(0.5),
                Some(ComparableValue::Float(5.0)),
            ),
            (
                ComparableValue::Int(i64::MAX),
                ArithmeticOp::Add,
                ComparableValue::Int(1),
                Some(ComparableValue::Float(9_223_372_036_854_775_808.0)),
            ),
            (
                ComparableValue::Int(i64::MIN),
                ArithmeticOp::Divide,
                ComparableValue::Int(-1),
                Some(ComparableValue::Float(9_223_372_036_854_775_808.0)),
            ),
        ];
        for (left, op, right, expected) in table {
            assert_eq!(compute(op, left, right), expected, "{left:?} {op:?} {right:?}");
        }
    }
}
