//! Comparison with a constant, applied to single values, as for the dictionary of an index.

use super::{
    comparable_value::{ComparableValue, Flow, holds},
    compile::regex,
};
use crate::{CompareOp, Literal, QueryError};
use baton_types::SpanValue;
use regex::Regex;

/// A compiled comparison with a constant, for use on many values.
#[derive(Debug)]
pub struct ValuePredicate {
    op: CompareOp,
    against: ComparisonTarget,
}

#[derive(Debug)]
enum ComparisonTarget {
    Constant(Literal),
    Pattern(Regex),
}

impl ValuePredicate {
    /// Compiles the comparison; fails if a regular expression is invalid.
    pub fn new(op: CompareOp, value: &Literal) -> Result<Self, QueryError> {
        let against = match (op, value) {
            (CompareOp::Matches | CompareOp::MatchesNot, Literal::Text(pattern)) => {
                ComparisonTarget::Pattern(regex(pattern)?)
            }
            _ => ComparisonTarget::Constant(value.clone()),
        };
        Ok(Self { op, against })
    }

    /// Whether the comparison holds for an attribute value. A list matches if any element does; for `!=` and `!~`, all
    /// comparable elements must.
    pub fn holds(&self, value: &SpanValue) -> bool {
        let negative = matches!(self.op, CompareOp::NotEqual | CompareOp::MatchesNot);
        let mut compared = false;
        let decided = ComparableValue::visit_elements(value, &mut |item| match self.test(item) {
            Some(holds) => {
                compared = true;
                if holds == negative { Flow::Continue(()) } else { Flow::Break(()) }
            }
            None => Flow::Continue(()),
        });
        if negative { compared && decided.is_continue() } else { decided.is_break() }
    }

    /// Whether the comparison holds for text, without allocation.
    pub fn holds_text(&self, text: &str) -> bool {
        self.test(ComparableValue::Text(text)) == Some(true)
    }

    fn test(&self, item: ComparableValue<'_>) -> Option<bool> {
        match (&self.against, item) {
            (ComparisonTarget::Constant(value), _) => holds(self.op, item, ComparableValue::from_literal(value)?),
            (ComparisonTarget::Pattern(regex), ComparableValue::Text(text)) => {
                Some(regex.is_match(text) == (self.op == CompareOp::Matches))
            }
            (ComparisonTarget::Pattern(_), _) => None,
        }
    }
}
