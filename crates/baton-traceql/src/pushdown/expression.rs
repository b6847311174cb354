//! Derives the predicate over one span from an expression.

use super::build::{all_of_span, any_of_span};
use crate::{
    Aliases, AttributeRef, AttributeScope, BinaryOp, CompareOp, Comparison, Field, FieldExpr, Intrinsic, Literal,
    RootPredicate, SpanPredicate, UnaryOp,
    evaluate::{canonical_literal, flipped},
    result_fields::is_local,
};

/// The span that a predicate is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TargetSpan {
    /// The matching span.
    Matching,
    /// Its parent.
    Parent,
    /// The root of its trace.
    Root,
}

/// Builds predicates with regard to key aliases.
#[derive(Clone, Copy)]
pub(super) struct PredicateBuilder {
    pub(super) aliases: Aliases,
}

impl PredicateBuilder {
    /// Predicate for the expression to be true.
    pub(super) fn predicate(self, expr: &FieldExpr, target: TargetSpan) -> SpanPredicate {
        match expr {
            FieldExpr::Literal(Literal::Bool(true)) => SpanPredicate::Anything,
            FieldExpr::Literal(_) => SpanPredicate::Nothing,
            FieldExpr::Field(_) => {
                self.comparison_predicate(CompareOp::Equal, expr, &FieldExpr::Literal(Literal::Bool(true)), target)
            }
            FieldExpr::Unary { op: UnaryOp::Not, of } => self.negation_predicate(of, target),
            FieldExpr::Unary { op: UnaryOp::Negative, .. } => SpanPredicate::Nothing,
            FieldExpr::Binary { op: BinaryOp::And, left, right } => {
                all_of_span([self.predicate(left, target), self.predicate(right, target)])
            }
            FieldExpr::Binary { op: BinaryOp::Or, left, right } => {
                any_of_span([self.predicate(left, target), self.predicate(right, target)])
            }
            FieldExpr::Binary { op: BinaryOp::Compare(op), left, right } => {
                self.comparison_predicate(*op, left, right, target)
            }
            FieldExpr::Binary { op: BinaryOp::Arithmetic(_), .. } => SpanPredicate::Nothing,
        }
    }

    /// Little follows from a negation: it may be true because a value is missing.
    fn negation_predicate(self, of: &FieldExpr, target: TargetSpan) -> SpanPredicate {
        match of {
            FieldExpr::Literal(Literal::Bool(value)) => {
                if *value {
                    SpanPredicate::Nothing
                } else {
                    SpanPredicate::Anything
                }
            }
            FieldExpr::Field(_) => {
                self.comparison_predicate(CompareOp::Equal, of, &FieldExpr::Literal(Literal::Bool(false)), target)
            }
            FieldExpr::Unary { op: UnaryOp::Not, of } => self.predicate(of, target),
            FieldExpr::Binary { op: BinaryOp::Compare(CompareOp::Equal), left, right } => {
                match (is_nil(left), is_nil(right)) {
                    (true, _) => self.presence_predicate(right, target),
                    (_, true) => self.presence_predicate(left, target),
                    _ => SpanPredicate::Anything,
                }
            }
            _ => SpanPredicate::Anything,
        }
    }

    pub(super) fn comparison_predicate(
        self,
        op: CompareOp,
        left: &FieldExpr,
        right: &FieldExpr,
        target: TargetSpan,
    ) -> SpanPredicate {
        if let Some(predicate) = RootPredicate::from_comparison(op, left, right) {
            return if target == TargetSpan::Matching { root_predicate(predicate) } else { SpanPredicate::Anything };
        }
        match (op, left, right) {
            (CompareOp::Equal, ..) if is_nil(left) || is_nil(right) => SpanPredicate::Anything,
            (CompareOp::NotEqual, nil, of) | (CompareOp::NotEqual, of, nil) if is_nil(nil) => {
                self.presence_predicate(of, target)
            }
            (_, FieldExpr::Field(field), FieldExpr::Literal(value)) => self.holds(field, op, value, target),
            (_, FieldExpr::Literal(value), FieldExpr::Field(field)) => self.holds(field, flipped(op), value, target),
            _ => all_of_span([self.presence_predicate(left, target), self.presence_predicate(right, target)]),
        }
    }

    fn holds(self, field: &Field, op: CompareOp, value: &Literal, target: TargetSpan) -> SpanPredicate {
        let value = canonical_literal(field, op, value).into_owned();
        self.for_aliases(field, target, |field| SpanPredicate::Holds(Comparison { field, op, value: value.clone() }))
    }

    /// Predicate for the expression to have a value.
    pub(super) fn presence_predicate(self, expr: &FieldExpr, target: TargetSpan) -> SpanPredicate {
        match expr {
            FieldExpr::Literal(Literal::Nil) => SpanPredicate::Nothing,
            FieldExpr::Literal(_) => SpanPredicate::Anything,
            FieldExpr::Field(field) => self.for_aliases(field, target, SpanPredicate::Exists),
            FieldExpr::Unary { op: UnaryOp::Negative, of } => self.presence_predicate(of, target),
            FieldExpr::Binary { op: BinaryOp::Arithmetic(_), left, right } => {
                all_of_span([self.presence_predicate(left, target), self.presence_predicate(right, target)])
            }
            FieldExpr::Unary { op: UnaryOp::Not, of } => match of.as_ref() {
                FieldExpr::Field(_) => self.presence_predicate(of, target),
                _ => SpanPredicate::Anything,
            },
            FieldExpr::Binary { .. } => SpanPredicate::Anything,
        }
    }

    /// The predicate for any alias of the field; true if the field belongs to another span.
    fn for_aliases(self, field: &Field, target: TargetSpan, need: impl Fn(Field) -> SpanPredicate) -> SpanPredicate {
        match field_on_target(field, target) {
            Some(Field::Attribute(attribute)) => {
                let under = |name: String| need(Field::Attribute(AttributeRef { name, ..attribute.clone() }));
                let others = self.aliases.synonyms(&attribute.name).map(|name| under(name.to_owned()));
                any_of_span(std::iter::once(under(attribute.name.clone())).chain(others))
            }
            Some(intrinsic) => need(intrinsic),
            None => SpanPredicate::Anything,
        }
    }
}

/// The field relative to the target span itself.
fn field_on_target(field: &Field, target: TargetSpan) -> Option<Field> {
    match (field, target) {
        (_, TargetSpan::Matching) => is_local(field).then(|| field.clone()),
        (Field::Attribute(attribute), TargetSpan::Parent) if attribute.of_parent => {
            Some(Field::Attribute(AttributeRef { of_parent: false, ..attribute.clone() }))
        }
        (Field::Intrinsic(Intrinsic::RootName), TargetSpan::Root) => Some(Field::Intrinsic(Intrinsic::Name)),
        (Field::Intrinsic(Intrinsic::RootService), TargetSpan::Root) => Some(Field::Attribute(AttributeRef {
            scope: AttributeScope::Resource,
            of_parent: false,
            name: "service.name".to_owned(),
        })),
        _ => None,
    }
}

/// Normalized form of a root test.
fn root_predicate(predicate: RootPredicate) -> SpanPredicate {
    let op = match (predicate.roots, predicate.others) {
        (true, true) => return SpanPredicate::Anything,
        (false, false) => return SpanPredicate::Nothing,
        (true, false) => CompareOp::Less,
        (false, true) => CompareOp::GreaterEqual,
    };
    let field = Field::Intrinsic(Intrinsic::NestedSetParent);
    SpanPredicate::Holds(Comparison { field, op, value: Literal::Int(0) })
}

fn is_nil(expr: &FieldExpr) -> bool {
    *expr == FieldExpr::Literal(Literal::Nil)
}
