//! Arithmetic on values.

use super::item::Item;
use crate::ArithmeticOp;

/// Result of an operation; none if it is undefined, as for a division by zero. Integers stay integers where that is
/// exact.
pub(super) fn compute(op: ArithmeticOp, left: Item<'_>, right: Item<'_>) -> Option<Item<'static>> {
    let exact = match (left.as_whole(), right.as_whole()) {
        (Some(left), Some(right)) => whole(op, left, right),
        _ => None,
    };
    exact.map(Item::Int).or_else(|| real(op, left.as_float()?, right.as_float()?).map(Item::Float))
}

/// `-x`.
pub(super) fn negative(of: Item<'_>) -> Option<Item<'static>> {
    match of {
        Item::Duration(nanoseconds) => nanoseconds.checked_neg().map(Item::Duration),
        _ => compute(ArithmeticOp::Subtract, Item::Int(0), of),
    }
}

fn whole(op: ArithmeticOp, left: i64, right: i64) -> Option<i64> {
    match op {
        ArithmeticOp::Add => left.checked_add(right),
        ArithmeticOp::Subtract => left.checked_sub(right),
        ArithmeticOp::Multiply => left.checked_mul(right),
        ArithmeticOp::Divide => left.checked_rem(right).filter(|rest| *rest == 0).and_then(|_| left.checked_div(right)),
        ArithmeticOp::Modulo => left.checked_rem(right),
        ArithmeticOp::Power => left.checked_pow(u32::try_from(right).ok()?),
    }
}

fn real(op: ArithmeticOp, left: f64, right: f64) -> Option<f64> {
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
    fn whole_numbers_stay_whole_where_that_is_exact() {
        let table = [
            (Item::Int(7), ArithmeticOp::Add, Item::Int(2), Some(Item::Int(9))),
            (Item::Int(7), ArithmeticOp::Divide, Item::Int(2), Some(Item::Float(3.5))),
            (Item::Int(8), ArithmeticOp::Divide, Item::Int(2), Some(Item::Int(4))),
            (Item::Int(7), ArithmeticOp::Modulo, Item::Int(4), Some(Item::Int(3))),
            (Item::Int(2), ArithmeticOp::Power, Item::Int(10), Some(Item::Int(1024))),
            (Item::Int(2), ArithmeticOp::Power, Item::Int(-1), Some(Item::Float(0.5))),
            (Item::Int(1), ArithmeticOp::Divide, Item::Int(0), None),
            (Item::Int(1), ArithmeticOp::Modulo, Item::Int(0), None),
            (Item::Float(1.0), ArithmeticOp::Divide, Item::Int(0), None),
            (Item::Text("1"), ArithmeticOp::Add, Item::Int(1), None),
            (Item::Duration(10), ArithmeticOp::Multiply, Item::Float(0.5), Some(Item::Float(5.0))),
            (Item::Int(i64::MAX), ArithmeticOp::Add, Item::Int(1), Some(Item::Float(9_223_372_036_854_775_808.0))),
            (Item::Int(i64::MIN), ArithmeticOp::Divide, Item::Int(-1), Some(Item::Float(9_223_372_036_854_775_808.0))),
        ];
        for (left, op, right, expected) in table {
            assert_eq!(compute(op, left, right), expected, "{left:?} {op:?} {right:?}");
        }
    }
}
