//! Precedence of operators, and their meaning by operand type.

use crate::{ArithmeticOp, BinaryOp, CompareOp, SpansetOp, lex::Op};

/// `&&` and `||`.
pub(crate) const LOGICAL: u8 = 1;
/// Comparisons, and structural operators between spansets.
pub(crate) const RELATION: u8 = 2;
/// `+`, `-`, and the unary minus.
pub(crate) const SUM: u8 = 3;
/// `!`.
pub(crate) const NOT: u8 = 4;
/// `*`, `/`, `%`.
pub(crate) const PRODUCT: u8 = 5;
/// `^`, the only right-associative operator.
pub(crate) const POWER: u8 = 6;

/// Precedence of a binary operator; none for `!`.
pub(super) fn binary_precedence(op: Op) -> Option<u8> {
    match op {
        Op::And | Op::Or => Some(LOGICAL),
        Op::Add | Op::Subtract => Some(SUM),
        Op::Multiply | Op::Divide | Op::Modulo => Some(PRODUCT),
        Op::Power => Some(POWER),
        Op::Not => None,
        _ => Some(RELATION),
    }
}

/// Minimum precedence of an operator in the right operand without parentheses.
pub(super) fn right_operand_precedence(op: Op, precedence: u8) -> u8 {
    if op == Op::Power { precedence } else { precedence + 1 }
}

/// The operator between two expressions over a span.
pub(super) fn binary(op: Op) -> Option<BinaryOp> {
    match op {
        Op::And => Some(BinaryOp::And),
        Op::Or => Some(BinaryOp::Or),
        _ => compare(op).map(BinaryOp::Compare).or_else(|| arithmetic(op).map(BinaryOp::Arithmetic)),
    }
}

/// The operator as a comparison.
pub(super) fn compare(op: Op) -> Option<CompareOp> {
    Some(match op {
        Op::Equal => CompareOp::Equal,
        Op::NotEqual => CompareOp::NotEqual,
        Op::Less => CompareOp::Less,
        Op::LessEqual => CompareOp::LessEqual,
        Op::Greater => CompareOp::Greater,
        Op::GreaterEqual => CompareOp::GreaterEqual,
        Op::Matches => CompareOp::Matches,
        Op::NotTilde => CompareOp::MatchesNot,
        _ => return None,
    })
}

/// The operator as a comparison of numbers, which excludes regular expression matches.
pub(super) fn compare_numbers(op: Op) -> Option<CompareOp> {
    compare(op).filter(|op| !matches!(op, CompareOp::Matches | CompareOp::MatchesNot))
}

/// The operator as arithmetic.
pub(super) fn arithmetic(op: Op) -> Option<ArithmeticOp> {
    Some(match op {
        Op::Add => ArithmeticOp::Add,
        Op::Subtract => ArithmeticOp::Subtract,
        Op::Multiply => ArithmeticOp::Multiply,
        Op::Divide => ArithmeticOp::Divide,
        Op::Modulo => ArithmeticOp::Modulo,
        Op::Power => ArithmeticOp::Power,
        _ => return None,
    })
}

/// The operator between two spansets.
pub(super) fn spanset(op: Op) -> Option<SpansetOp> {
    Some(match op {
        Op::And => SpansetOp::And,
        Op::Or => SpansetOp::Or,
        Op::Greater => SpansetOp::Child,
        Op::Less => SpansetOp::Parent,
        Op::Descendant => SpansetOp::Descendant,
        Op::Ancestor => SpansetOp::Ancestor,
        Op::Tilde => SpansetOp::Sibling,
        Op::NotChild => SpansetOp::NotChild,
        Op::NotParent => SpansetOp::NotParent,
        Op::NotDescendant => SpansetOp::NotDescendant,
        Op::NotAncestor => SpansetOp::NotAncestor,
        Op::NotTilde => SpansetOp::NotSibling,
        Op::UnionChild => SpansetOp::UnionChild,
        Op::UnionParent => SpansetOp::UnionParent,
        Op::UnionDescendant => SpansetOp::UnionDescendant,
        Op::UnionAncestor => SpansetOp::UnionAncestor,
        Op::UnionSibling => SpansetOp::UnionSibling,
        _ => return None,
    })
}
