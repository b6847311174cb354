//! Comparisons that only distinguish root spans from all other spans.

use crate::{
    CompareOp, Field, FieldExpr, Intrinsic, Literal,
    evaluate::{ComparableValue, flipped, holds},
};

/// Result of a comparison for root spans and for all other spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootPredicate {
    /// Result for spans without a parent.
    pub roots: bool,
    /// Result for spans with a parent, whether or not the parent is present.
    pub others: bool,
}

impl RootPredicate {
    /// Result of `nestedSetParent` compared with a constant, if it is the same for all non-root spans. The field is -1
    /// for a root and 0 or more for every other span; `nestedSetParent < 0` is the usual test for roots.
    pub fn from_op_and_value(op: CompareOp, value: &Literal) -> Option<Self> {
        let value = ComparableValue::from_literal(value)?;
        let holds_for = |number: i64| holds(op, ComparableValue::Int(number), value);
        let roots = holds_for(-1)?;
        let others = match op {
            CompareOp::Less | CompareOp::LessEqual | CompareOp::Greater | CompareOp::GreaterEqual => {
                // A result that holds at both ends of the range holds for the whole range.
                holds_for(0).filter(|at_zero| holds_for(i64::MAX) == Some(*at_zero))?
            }
            CompareOp::Equal | CompareOp::NotEqual => {
                // Equality is decided only for values below the range of non-root spans.
                holds(CompareOp::Greater, ComparableValue::Int(0), value).filter(|below| *below)?;
                op == CompareOp::NotEqual
            }
            CompareOp::Matches | CompareOp::MatchesNot => return None,
        };
        Some(Self { roots, others })
    }

    /// The same for a comparison with the field on either side.
    pub(crate) fn from_comparison(op: CompareOp, left: &FieldExpr, right: &FieldExpr) -> Option<Self> {
        const PARENT: FieldExpr = FieldExpr::Field(Field::Intrinsic(Intrinsic::NestedSetParent));
        match (left, right) {
            (field, FieldExpr::Literal(value)) if *field == PARENT => Self::from_op_and_value(op, value),
            (FieldExpr::Literal(value), field) if *field == PARENT => Self::from_op_and_value(flipped(op), value),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use CompareOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};

    #[test]
    fn predicate_is_derived_only_if_unambiguous() {
        let table = [
            (Less, Literal::Int(0), Some((true, false))),
            (LessEqual, Literal::Int(-1), Some((true, false))),
            (Equal, Literal::Int(-1), Some((true, false))),
            (Less, Literal::Float(-0.5), Some((true, false))),
            (Equal, Literal::Float(-1.0), Some((true, false))),
            (GreaterEqual, Literal::Int(0), Some((false, true))),
            (Greater, Literal::Int(-1), Some((false, true))),
            (NotEqual, Literal::Int(-1), Some((false, true))),
            (NotEqual, Literal::Int(-2), Some((true, true))),
            (Less, Literal::Int(-1), Some((false, false))),
            (Equal, Literal::Int(-5), Some((false, false))),
            (Greater, Literal::Int(-2), Some((true, true))),
            (Less, Literal::Float(1e300), Some((true, true))),
            (Less, Literal::Int(1), None),
            (LessEqual, Literal::Int(0), None),
            (Equal, Literal::Int(0), None),
            (Equal, Literal::Int(1), None),
            (NotEqual, Literal::Int(0), None),
            (Greater, Literal::Int(0), None),
            (GreaterEqual, Literal::Int(1), None),
            (Less, Literal::Duration(0), Some((true, false))),
            (Less, Literal::Text("0".to_owned()), None),
            (Equal, Literal::Nil, None),
        ];
        for (op, value, wanted) in table {
            let wanted = wanted.map(|(roots, others)| RootPredicate { roots, others });
            assert_eq!(RootPredicate::from_op_and_value(op, &value), wanted, "{op} {value}");
        }
    }
}
