//! Derives the predicate over one span from an expression.

use super::build::{all_of_span, any_of_span};
use crate::{
    Aliases, Attribute, BinaryOp, CompareOp, Comparison, Field, FieldExpr, Intrinsic, Literal, Rooted, Scope, SpanNeed,
    UnaryOp,
    evaluate::{flipped, normal},
    shown::is_local,
};

/// The span that a predicate is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// The matching span.
    Own,
    /// Its parent.
    Parents,
    /// The root of its trace.
    Roots,
}

/// Builds predicates with regard to key aliases.
#[derive(Clone, Copy)]
pub(super) struct Asker {
    pub(super) aliases: Aliases,
}

impl Asker {
    /// Predicate for the expression to be true.
    pub(super) fn need(self, expr: &FieldExpr, whose: Whose) -> SpanNeed {
        match expr {
            FieldExpr::Literal(Literal::Bool(true)) => SpanNeed::Anything,
            FieldExpr::Literal(_) => SpanNeed::Nothing,
            FieldExpr::Field(_) => {
                self.compared(CompareOp::Equal, expr, &FieldExpr::Literal(Literal::Bool(true)), whose)
            }
            FieldExpr::Unary { op: UnaryOp::Not, of } => self.need_of_not(of, whose),
            FieldExpr::Unary { op: UnaryOp::Negative, .. } => SpanNeed::Nothing,
            FieldExpr::Binary { op: BinaryOp::And, left, right } => {
                all_of_span([self.need(left, whose), self.need(right, whose)])
            }
            FieldExpr::Binary { op: BinaryOp::Or, left, right } => {
                any_of_span([self.need(left, whose), self.need(right, whose)])
            }
            FieldExpr::Binary { op: BinaryOp::Compare(op), left, right } => self.compared(*op, left, right, whose),
            FieldExpr::Binary { op: BinaryOp::Arithmetic(_), .. } => SpanNeed::Nothing,
        }
    }

    /// Little follows from a negation: it may be true because a value is missing.
    fn need_of_not(self, of: &FieldExpr, whose: Whose) -> SpanNeed {
        match of {
            FieldExpr::Literal(Literal::Bool(value)) => {
                if *value {
                    SpanNeed::Nothing
                } else {
                    SpanNeed::Anything
                }
            }
            FieldExpr::Field(_) => {
                self.compared(CompareOp::Equal, of, &FieldExpr::Literal(Literal::Bool(false)), whose)
            }
            FieldExpr::Unary { op: UnaryOp::Not, of } => self.need(of, whose),
            FieldExpr::Binary { op: BinaryOp::Compare(CompareOp::Equal), left, right } => {
                match (is_nil(left), is_nil(right)) {
                    (true, _) => self.present(right, whose),
                    (_, true) => self.present(left, whose),
                    _ => SpanNeed::Anything,
                }
            }
            _ => SpanNeed::Anything,
        }
    }

    pub(super) fn compared(self, op: CompareOp, left: &FieldExpr, right: &FieldExpr, whose: Whose) -> SpanNeed {
        if let Some(says) = Rooted::of_comparison(op, left, right) {
            return if whose == Whose::Own { rooted(says) } else { SpanNeed::Anything };
        }
        match (op, left, right) {
            (CompareOp::Equal, ..) if is_nil(left) || is_nil(right) => SpanNeed::Anything,
            (CompareOp::NotEqual, nil, of) | (CompareOp::NotEqual, of, nil) if is_nil(nil) => self.present(of, whose),
            (_, FieldExpr::Field(field), FieldExpr::Literal(value)) => self.holds(field, op, value, whose),
            (_, FieldExpr::Literal(value), FieldExpr::Field(field)) => self.holds(field, flipped(op), value, whose),
            _ => all_of_span([self.present(left, whose), self.present(right, whose)]),
        }
    }

    fn holds(self, field: &Field, op: CompareOp, value: &Literal, whose: Whose) -> SpanNeed {
        let value = normal(field, op, value).into_owned();
        self.named(field, whose, |field| SpanNeed::Holds(Comparison { field, op, value: value.clone() }))
    }

    /// Predicate for the expression to have a value.
    pub(super) fn present(self, expr: &FieldExpr, whose: Whose) -> SpanNeed {
        match expr {
            FieldExpr::Literal(Literal::Nil) => SpanNeed::Nothing,
            FieldExpr::Literal(_) => SpanNeed::Anything,
            FieldExpr::Field(field) => self.named(field, whose, SpanNeed::Exists),
            FieldExpr::Unary { op: UnaryOp::Negative, of } => self.present(of, whose),
            FieldExpr::Binary { op: BinaryOp::Arithmetic(_), left, right } => {
                all_of_span([self.present(left, whose), self.present(right, whose)])
            }
            FieldExpr::Unary { op: UnaryOp::Not, of } => match of.as_ref() {
                FieldExpr::Field(_) => self.present(of, whose),
                _ => SpanNeed::Anything,
            },
            FieldExpr::Binary { .. } => SpanNeed::Anything,
        }
    }

    /// The predicate for any alias of the field; true if the field belongs to another span.
    fn named(self, field: &Field, whose: Whose, need: impl Fn(Field) -> SpanNeed) -> SpanNeed {
        match on(field, whose) {
            Some(Field::Attribute(attribute)) => {
                let under = |name: String| need(Field::Attribute(Attribute { name, ..attribute.clone() }));
                let others = self.aliases.of(&attribute.name).map(|name| under(name.to_owned()));
                any_of_span(std::iter::once(under(attribute.name.clone())).chain(others))
            }
            Some(intrinsic) => need(intrinsic),
            None => SpanNeed::Anything,
        }
    }
}

/// The field relative to the target span itself.
fn on(field: &Field, whose: Whose) -> Option<Field> {
    match (field, whose) {
        (_, Whose::Own) => is_local(field).then(|| field.clone()),
        (Field::Attribute(attribute), Whose::Parents) if attribute.of_parent => {
            Some(Field::Attribute(Attribute { of_parent: false, ..attribute.clone() }))
        }
        (Field::Intrinsic(Intrinsic::RootName), Whose::Roots) => Some(Field::Intrinsic(Intrinsic::Name)),
        (Field::Intrinsic(Intrinsic::RootService), Whose::Roots) => Some(Field::Attribute(Attribute {
            scope: Scope::Resource,
            of_parent: false,
            name: "service.name".to_owned(),
        })),
        _ => None,
    }
}

/// Normalized form of a root test.
fn rooted(says: Rooted) -> SpanNeed {
    let op = match (says.roots, says.others) {
        (true, true) => return SpanNeed::Anything,
        (false, false) => return SpanNeed::Nothing,
        (true, false) => CompareOp::Less,
        (false, true) => CompareOp::GreaterEqual,
    };
    let field = Field::Intrinsic(Intrinsic::NestedSetParent);
    SpanNeed::Holds(Comparison { field, op, value: Literal::Int(0) })
}

fn is_nil(expr: &FieldExpr) -> bool {
    *expr == FieldExpr::Literal(Literal::Nil)
}
