//! Semantic checks beyond the grammar.

use super::cursor::Parser;
use crate::{AttributeScope, CompareOp, Field, FieldExpr, Literal, ParseError, pattern};

/// Maximum number of regular expressions in a query; each one is compiled.
const MAX_PATTERNS: usize = 32;

/// Rejects `= nil` for fields that are always present.
pub(super) fn check_nil(
    parser: &Parser,
    left: &FieldExpr,
    op: CompareOp,
    right: &FieldExpr,
    at: usize,
) -> Result<(), ParseError> {
    if op != CompareOp::Equal {
        return Ok(());
    }
    let operand = match (left, right) {
        (FieldExpr::Field(field), FieldExpr::Literal(Literal::Nil))
        | (FieldExpr::Literal(Literal::Nil), FieldExpr::Field(field)) => field,
        _ => return Ok(()),
    };
    let always = match operand {
        Field::Intrinsic(_) => true,
        Field::Attribute(attribute) => {
            attribute.scope == AttributeScope::Resource && !attribute.of_parent && attribute.name == "service.name"
        }
    };
    if always {
        parser.fail_at(at, format!("`= nil` cannot be used with `{operand}`: it always has a value"))
    } else {
        Ok(())
    }
}

/// Checks that the operand of `=~` and `!~` is a valid regular expression in quotes.
pub(super) fn check_pattern(
    parser: &mut Parser,
    op: CompareOp,
    right: &FieldExpr,
    at: usize,
) -> Result<(), ParseError> {
    let symbol = match op {
        CompareOp::Matches => "=~",
        CompareOp::MatchesNot => "!~",
        _ => return Ok(()),
    };
    let FieldExpr::Literal(Literal::Text(pattern)) = right else {
        return parser.fail_at(at, format!("expected a regular expression in quotes after `{symbol}`"));
    };
    parser.patterns += 1;
    if parser.patterns > MAX_PATTERNS {
        return parser.fail_at(at, format!("a query can have {MAX_PATTERNS} regular expressions; this one has more"));
    }
    match pattern::compile(pattern) {
        Ok(_) => Ok(()),
        Err(reason) => parser.fail_at(at, format!("invalid regular expression: {reason}")),
    }
}
