//! Static types of expressions.

use super::{check_field, check_reference};
use crate::{
    Aggregate, AggregateOp, ArithmeticOp, AttributeRef, AttributeScope, BinaryOp, CompareOp, Field, FieldExpr,
    Intrinsic, Literal, QueryError, UnaryOp,
    evaluate::{flipped, regex},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StaticType {
    /// An attribute: its type is known only at evaluation.
    Any,
    Text,
    /// Integer, float or duration.
    Number,
    Bool,
    Status,
    Kind,
    Nil,
}

impl StaticType {
    pub(super) fn from_literal(literal: &Literal) -> Self {
        match literal {
            Literal::Text(_) => Self::Text,
            Literal::Int(_) | Literal::Float(_) | Literal::Duration(_) => Self::Number,
            Literal::Bool(_) => Self::Bool,
            Literal::Nil => Self::Nil,
            Literal::Status(_) => Self::Status,
            Literal::Kind(_) => Self::Kind,
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Any => "an attribute",
            Self::Text => "text",
            Self::Number => "a number",
            Self::Bool => "true or false",
            Self::Status => "a status",
            Self::Kind => "a kind",
            Self::Nil => "nil",
        }
    }

    fn may_be(self, expected: Self) -> bool {
        self == expected || self == Self::Any
    }
}

fn invalid<T>(message: String) -> Result<T, QueryError> {
    Err(QueryError::Invalid(message))
}

/// A filter must be boolean.
pub(super) fn check_filter(filter: &FieldExpr) -> Result<(), QueryError> {
    let found = type_of(filter)?;
    if found.may_be(StaticType::Bool) {
        return Ok(());
    }
    invalid(format!("`{{ {filter} }}` is {}, and a filter must be true or false; add a comparison", found.noun()))
}

pub(super) fn check_aggregate(aggregate: &Aggregate) -> Result<(), QueryError> {
    let Some(of) = &aggregate.of else {
        if aggregate.op == AggregateOp::Count {
            return Ok(());
        }
        return invalid(format!("`{aggregate}` needs an argument, such as `max(duration)`"));
    };
    if !type_of(of)?.may_be(StaticType::Number) {
        return invalid(format!("`{aggregate}` needs a numeric argument"));
    }
    check_reference(of, &aggregate.op.to_string())
}

pub(super) fn type_of(expr: &FieldExpr) -> Result<StaticType, QueryError> {
    match expr {
        FieldExpr::Literal(literal) => Ok(StaticType::from_literal(literal)),
        FieldExpr::Field(field) => {
            check_field(field)?;
            Ok(type_of_field(field))
        }
        FieldExpr::Unary { op: UnaryOp::Negative, of } => operand(of, StaticType::Number, "-"),
        FieldExpr::Unary { op: UnaryOp::Not, of } => operand(of, StaticType::Bool, "!"),
        FieldExpr::Binary { op: BinaryOp::And, left, right } => {
            operand(left, StaticType::Bool, "&&")?;
            operand(right, StaticType::Bool, "&&")
        }
        FieldExpr::Binary { op: BinaryOp::Or, left, right } => {
            operand(left, StaticType::Bool, "||")?;
            operand(right, StaticType::Bool, "||")
        }
        FieldExpr::Binary { op: BinaryOp::Arithmetic(op), left, right } => {
            operand(left, StaticType::Number, &op.to_string())?;
            operand(right, StaticType::Number, &op.to_string())?;
            if matches!(op, ArithmeticOp::Divide | ArithmeticOp::Modulo) && is_zero(right) {
                return invalid(format!("`{expr}` divides by zero"));
            }
            Ok(StaticType::Number)
        }
        FieldExpr::Binary { op: BinaryOp::Compare(op), left, right } => check_comparison(expr, *op, left, right),
    }
}

fn operand(of: &FieldExpr, expected: StaticType, op: &str) -> Result<StaticType, QueryError> {
    let found = type_of(of)?;
    if found.may_be(expected) {
        return Ok(expected);
    }
    invalid(format!("`{op}` needs {}, and `{of}` is {}", expected.noun(), found.noun()))
}

fn is_zero(expr: &FieldExpr) -> bool {
    match expr {
        FieldExpr::Literal(Literal::Int(0) | Literal::Duration(0)) => true,
        FieldExpr::Literal(Literal::Float(number)) => *number == 0.0,
        FieldExpr::Unary { op: UnaryOp::Negative, of } => is_zero(of),
        _ => false,
    }
}

fn check_comparison(
    expr: &FieldExpr,
    op: CompareOp,
    left: &FieldExpr,
    right: &FieldExpr,
) -> Result<StaticType, QueryError> {
    let (found, other) = (type_of(left)?, type_of(right)?);
    if matches!(op, CompareOp::Matches | CompareOp::MatchesNot) {
        return check_regex(expr, found, right);
    }
    match (found, other) {
        (StaticType::Nil, StaticType::Nil) => return invalid(format!("`{expr}` compares nil with nil")),
        (StaticType::Nil, _) => check_nil(expr, flipped(op), right)?,
        (_, StaticType::Nil) => check_nil(expr, op, left)?,
        _ if found != other && found != StaticType::Any && other != StaticType::Any => {
            return invalid(format!("`{expr}` compares {} with {}", found.noun(), other.noun()));
        }
        _ => {}
    }
    let equality = matches!(op, CompareOp::Equal | CompareOp::NotEqual);
    let without_order = [found, other]
        .into_iter()
        .find(|side| matches!(side, StaticType::Bool | StaticType::Status | StaticType::Kind));
    match without_order {
        Some(side) if !equality => invalid(format!("`{expr}`: {} is compared with `=` or `!=` only", side.noun())),
        _ => Ok(StaticType::Bool),
    }
}

fn check_regex(expr: &FieldExpr, found: StaticType, pattern: &FieldExpr) -> Result<StaticType, QueryError> {
    let FieldExpr::Literal(Literal::Text(pattern)) = pattern else {
        return invalid(format!("`{expr}`: a regular expression must be text in quotes"));
    };
    if !found.may_be(StaticType::Text) {
        return invalid(format!("`{expr}`: a regular expression matches text, and this is {}", found.noun()));
    }
    regex(pattern)?;
    Ok(StaticType::Bool)
}

/// `nil` may only be compared with fields that can be missing.
fn check_nil(expr: &FieldExpr, op: CompareOp, of: &FieldExpr) -> Result<(), QueryError> {
    match (op, of) {
        (CompareOp::NotEqual, _) => Ok(()),
        (CompareOp::Equal, FieldExpr::Field(field)) if is_always_there(field) => {
            invalid(format!("`{expr}`: every span has `{field}`, so it is never nil"))
        }
        (CompareOp::Equal, _) => Ok(()),
        _ => invalid(format!("`{expr}`: nil is compared with `=` or `!=` only")),
    }
}

fn is_always_there(field: &Field) -> bool {
    match field {
        Field::Intrinsic(_) => true,
        Field::Attribute(AttributeRef { scope, of_parent, name }) => {
            *scope == AttributeScope::Resource && !of_parent && name == "service.name"
        }
    }
}

pub(super) fn type_of_field(field: &Field) -> StaticType {
    let Field::Intrinsic(intrinsic) = field else { return StaticType::Any };
    match intrinsic {
        Intrinsic::Duration
        | Intrinsic::TraceDuration
        | Intrinsic::EventTimeSinceStart
        | Intrinsic::ChildCount
        | Intrinsic::NestedSetLeft
        | Intrinsic::NestedSetRight
        | Intrinsic::NestedSetParent => StaticType::Number,
        Intrinsic::Kind => StaticType::Kind,
        Intrinsic::Status => StaticType::Status,
        Intrinsic::Parent => StaticType::Any,
        Intrinsic::Name
        | Intrinsic::StatusMessage
        | Intrinsic::SpanId
        | Intrinsic::ParentId
        | Intrinsic::RootName
        | Intrinsic::RootService
        | Intrinsic::TraceId
        | Intrinsic::EventName
        | Intrinsic::LinkTraceId
        | Intrinsic::LinkSpanId
        | Intrinsic::InstrumentationName
        | Intrinsic::InstrumentationVersion => StaticType::Text,
    }
}
