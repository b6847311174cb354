//! Evaluation of an expression on one span.
//!
//! An expression has any number of values on a span: none if a field is missing, several for lists, events and links. A
//! comparison holds if any pair of values satisfies it; `!=` and `!~` hold if there is at least one comparable pair and
//! none is equal.

use super::{
    arithmetic::{compute, negative},
    comparable_value::{ComparableValue, Flow, holds},
    context::EvaluationContext,
    lookup::{Lookup, RawValue},
};
use crate::{ArithmeticOp, CompareOp, Literal, RootPredicate};
use baton_types::SpanValue;
use regex::Regex;

/// A compiled expression.
#[derive(Debug)]
pub(super) enum Expression {
    Constant(Literal),
    Field(Lookup),
    Not(Box<Expression>),
    Negative(Box<Expression>),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
    /// `x != nil`.
    Present(Box<Expression>),
    /// `x = nil`.
    Absent(Box<Expression>),
    /// `x =~ ".."`.
    Matches(Box<Expression>, Regex),
    /// `x !~ ".."`.
    MatchesNot(Box<Expression>, Regex),
    Compare(CompareOp, Box<Expression>, Box<Expression>),
    /// Result for roots, and for all other spans.
    RootTest(RootPredicate),
    Arithmetic(ArithmeticOp, Box<Expression>, Box<Expression>),
}

type ComparableVisitor<'f> = &'f mut dyn FnMut(ComparableValue<'_>) -> Flow;

impl Expression {
    /// Whether it is true for a span.
    pub(super) fn test(&self, scene: &EvaluationContext<'_>, at: usize) -> bool {
        match self {
            Self::And(left, right) => left.test(scene, at) && right.test(scene, at),
            Self::Or(left, right) => left.test(scene, at) || right.test(scene, at),
            Self::Not(of) if of.is_boolean() => !of.test(scene, at),
            Self::Not(of) => of.any(scene, at, &mut |item| item == ComparableValue::Bool(false)),
            Self::Present(of) => of.is_present(scene, at),
            Self::Absent(of) => !of.is_present(scene, at),
            Self::Matches(of, regex) => {
                of.any(scene, at, &mut |item| matches!(item, ComparableValue::Text(text) if regex.is_match(text)))
            }
            Self::MatchesNot(of, regex) => of.none(scene, at, &mut |item| match item {
                ComparableValue::Text(text) => Some(!regex.is_match(text)),
                _ => None,
            }),
            Self::Compare(op, left, right) => compare(*op, left, right, scene, at),
            Self::RootTest(predicate) => {
                if scene.spans[at].parent.is_none() {
                    predicate.roots
                } else {
                    predicate.others
                }
            }
            Self::Constant(_) | Self::Field(_) | Self::Negative(_) | Self::Arithmetic(..) => {
                self.any(scene, at, &mut |item| item == ComparableValue::Bool(true))
            }
        }
    }

    /// Whether it is true or false for every span, even if fields are missing.
    fn is_boolean(&self) -> bool {
        match self {
            Self::Constant(_) | Self::Field(_) | Self::Negative(_) | Self::Arithmetic(..) => false,
            Self::Not(of) => of.is_boolean(),
            _ => true,
        }
    }

    /// Visits its values on a span.
    pub(super) fn visit(&self, scene: &EvaluationContext<'_>, at: usize, seen: ComparableVisitor<'_>) -> Flow {
        match self {
            Self::Constant(literal) => ComparableValue::from_literal(literal).map_or(Flow::Continue(()), seen),
            Self::Field(lookup) => lookup.visit(scene, at, &mut |raw| match raw {
                RawValue::Value(value) => ComparableValue::visit_elements(value, seen),
                RawValue::Item(item) => seen(item),
            }),
            Self::Negative(of) => {
                of.visit(scene, at, &mut |item| negative(item).map_or(Flow::Continue(()), &mut *seen))
            }
            Self::Arithmetic(op, left, right) => left.visit(scene, at, &mut |left| {
                right.visit(scene, at, &mut |right| compute(*op, left, right).map_or(Flow::Continue(()), &mut *seen))
            }),
            Self::Not(of) if !of.is_boolean() => of.visit(scene, at, &mut |item| match item {
                ComparableValue::Bool(value) => seen(ComparableValue::Bool(!value)),
                _ => Flow::Continue(()),
            }),
            _ => seen(ComparableValue::Bool(self.test(scene, at))),
        }
    }

    /// Its value on a span for the result; several values become a list.
    pub(super) fn value(&self, scene: &EvaluationContext<'_>, at: usize) -> Option<SpanValue> {
        let mut values = Vec::new();
        if let Self::Field(lookup) = self {
            let _ = lookup.visit(scene, at, &mut |raw| {
                values.push(match raw {
                    RawValue::Value(value) => value.clone(),
                    RawValue::Item(item) => item.to_value(),
                });
                Flow::Continue(())
            });
        } else {
            let _ = self.visit(scene, at, &mut |item| {
                values.push(item.to_value());
                Flow::Continue(())
            });
        }
        if values.len() > 1 { Some(SpanValue::List(values)) } else { values.pop() }
    }

    fn is_present(&self, scene: &EvaluationContext<'_>, at: usize) -> bool {
        match self {
            Self::Field(lookup) => lookup.visit(scene, at, &mut |_| Flow::Break(())).is_break(),
            _ => self.any(scene, at, &mut |_| true),
        }
    }

    fn any(&self, scene: &EvaluationContext<'_>, at: usize, test: &mut dyn FnMut(ComparableValue<'_>) -> bool) -> bool {
        let found = self.visit(scene, at, &mut |item| if test(item) { Flow::Break(()) } else { Flow::Continue(()) });
        found.is_break()
    }

    /// Whether the test applies to at least one value and fails for none.
    fn none(
        &self,
        scene: &EvaluationContext<'_>,
        at: usize,
        test: &mut dyn FnMut(ComparableValue<'_>) -> Option<bool>,
    ) -> bool {
        let mut compared = false;
        let failed = self.visit(scene, at, &mut |item| match test(item) {
            Some(true) => {
                compared = true;
                Flow::Continue(())
            }
            Some(false) => Flow::Break(()),
            None => Flow::Continue(()),
        });
        compared && failed.is_continue()
    }
}

fn compare(op: CompareOp, left: &Expression, right: &Expression, scene: &EvaluationContext<'_>, at: usize) -> bool {
    if op != CompareOp::NotEqual {
        return left
            .any(scene, at, &mut |left| right.any(scene, at, &mut |right| holds(op, left, right) == Some(true)));
    }
    let mut compared = false;
    let equal = left.any(scene, at, &mut |left| {
        right.any(scene, at, &mut |right| match holds(op, left, right) {
            Some(differs) => {
                compared = true;
                !differs
            }
            None => false,
        })
    });
    compared && !equal
}
