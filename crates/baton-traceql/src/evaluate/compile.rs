//! Compiles an AST to a plan.

use super::{
    expression::Expression,
    lookup::Lookup,
    plan::{AggregateFilter, AggregatePlan, GroupStep, PipelinePlan, PlanStep, SpansetPlan},
};
use crate::{
    Aggregate, Aliases, BinaryOp, CompareOp, Field, FieldExpr, Intrinsic, Literal, PipelineExpr, PipelineStage,
    QueryError, RootPredicate, Scalar, ScalarFilter, SpansetExpr, UnaryOp, pattern,
};
use baton_types::{SpanId, TraceId};
use regex::Regex;
use std::borrow::Cow;

pub(super) fn plan(expr: &PipelineExpr, aliases: Aliases) -> Result<PipelinePlan, QueryError> {
    match expr {
        PipelineExpr::Pipeline(stages) => {
            let steps = stages.iter().filter_map(|stage| step(stage, aliases).transpose());
            steps.collect::<Result<_, _>>().map(PipelinePlan::Steps)
        }
        PipelineExpr::Combined { op, left, right } => Ok(PipelinePlan::Combined {
            op: *op,
            left: Box::new(plan(left, aliases)?),
            right: Box::new(plan(right, aliases)?),
        }),
    }
}

fn step(stage: &PipelineStage, aliases: Aliases) -> Result<Option<PlanStep>, QueryError> {
    Ok(Some(match stage {
        PipelineStage::Spansets(expr) => PlanStep::Keep(sets(expr, aliases)?),
        PipelineStage::Scalar(filter) => PlanStep::Having(having(filter, aliases)?),
        PipelineStage::By(of) => PlanStep::By(GroupStep { of: expression(of, aliases)?, label: format!("by({of})") }),
        PipelineStage::Coalesce => PlanStep::Coalesce,
        PipelineStage::Select(_) => return Ok(None),
    }))
}

pub(super) fn sets(expr: &SpansetExpr, aliases: Aliases) -> Result<SpansetPlan, QueryError> {
    Ok(match expr {
        SpansetExpr::Filter(None | Some(FieldExpr::Literal(Literal::Bool(true)))) => SpansetPlan::All,
        SpansetExpr::Filter(Some(filter)) => SpansetPlan::Filter(expression(filter, aliases)?),
        SpansetExpr::Combined { op, left, right } => SpansetPlan::Combined {
            op: *op,
            left: Box::new(sets(left, aliases)?),
            right: Box::new(sets(right, aliases)?),
        },
    })
}

fn having(filter: &ScalarFilter, aliases: Aliases) -> Result<AggregateFilter, QueryError> {
    let (aggregate, op, value) = match (&filter.left, &filter.right) {
        (Scalar::Aggregate(aggregate), Scalar::Literal(value)) => (aggregate, filter.op, value),
        (Scalar::Literal(value), Scalar::Aggregate(aggregate)) => (aggregate, flipped(filter.op), value),
        _ => return Err(crate::check::unsupported_scalar()),
    };
    Ok(AggregateFilter { measure: measure(aggregate, aliases)?, op, value: value.clone() })
}

fn measure(aggregate: &Aggregate, aliases: Aliases) -> Result<AggregatePlan, QueryError> {
    let of = aggregate.of.as_ref().map(|of| expression(of, aliases)).transpose()?;
    Ok(AggregatePlan { op: aggregate.op, of, label: aggregate.to_string() })
}

pub(super) fn expression(expr: &FieldExpr, aliases: Aliases) -> Result<Expression, QueryError> {
    Ok(match expr {
        FieldExpr::Literal(literal) => Expression::Constant(literal.clone()),
        FieldExpr::Field(field) => Expression::Field(Lookup::new(field, aliases)),
        FieldExpr::Unary { op: UnaryOp::Negative, of } => Expression::Negative(boxed(of, aliases)?),
        FieldExpr::Unary { op: UnaryOp::Not, of } => Expression::Not(boxed(of, aliases)?),
        FieldExpr::Binary { op: BinaryOp::And, left, right } => {
            Expression::And(boxed(left, aliases)?, boxed(right, aliases)?)
        }
        FieldExpr::Binary { op: BinaryOp::Or, left, right } => {
            Expression::Or(boxed(left, aliases)?, boxed(right, aliases)?)
        }
        FieldExpr::Binary { op: BinaryOp::Arithmetic(op), left, right } => {
            Expression::Arithmetic(*op, boxed(left, aliases)?, boxed(right, aliases)?)
        }
        FieldExpr::Binary { op: BinaryOp::Compare(op), left, right } => comparison(*op, left, right, aliases)?,
    })
}

fn boxed(expr: &FieldExpr, aliases: Aliases) -> Result<Box<Expression>, QueryError> {
    expression(expr, aliases).map(Box::new)
}

fn comparison(op: CompareOp, left: &FieldExpr, right: &FieldExpr, aliases: Aliases) -> Result<Expression, QueryError> {
    const NIL: FieldExpr = FieldExpr::Literal(Literal::Nil);
    if let Some(predicate) = RootPredicate::from_comparison(op, left, right) {
        return Ok(Expression::RootTest(predicate));
    }
    match (op, left, right) {
        (CompareOp::Equal, of, nil) | (CompareOp::Equal, nil, of) if *nil == NIL => {
            Ok(Expression::Absent(boxed(of, aliases)?))
        }
        (CompareOp::NotEqual, of, nil) | (CompareOp::NotEqual, nil, of) if *nil == NIL => {
            Ok(Expression::Present(boxed(of, aliases)?))
        }
        (CompareOp::Matches, of, FieldExpr::Literal(Literal::Text(pattern))) => {
            Ok(Expression::Matches(boxed(of, aliases)?, regex(pattern)?))
        }
        (CompareOp::MatchesNot, of, FieldExpr::Literal(Literal::Text(pattern))) => {
            Ok(Expression::MatchesNot(boxed(of, aliases)?, regex(pattern)?))
        }
        (_, FieldExpr::Field(field), FieldExpr::Literal(value)) => {
            let value = Expression::Constant(canonical_literal(field, op, value).into_owned());
            Ok(Expression::Compare(op, boxed(left, aliases)?, Box::new(value)))
        }
        (_, FieldExpr::Literal(value), FieldExpr::Field(field)) => {
            let value = Expression::Constant(canonical_literal(field, op, value).into_owned());
            Ok(Expression::Compare(op, Box::new(value), boxed(right, aliases)?))
        }
        _ => Ok(Expression::Compare(op, boxed(left, aliases)?, boxed(right, aliases)?)),
    }
}

/// The comparison with its operands swapped.
pub(crate) fn flipped(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Less => CompareOp::Greater,
        CompareOp::LessEqual => CompareOp::GreaterEqual,
        CompareOp::Greater => CompareOp::Less,
        CompareOp::GreaterEqual => CompareOp::LessEqual,
        same => same,
    }
}

/// Constant in the canonical form of the field: ids may be uppercase and lack leading zeros.
pub(crate) fn canonical_literal<'l>(field: &Field, op: CompareOp, value: &'l Literal) -> Cow<'l, Literal> {
    let (Literal::Text(text), CompareOp::Equal | CompareOp::NotEqual) = (value, op) else {
        return Cow::Borrowed(value);
    };
    let id = match field {
        Field::Intrinsic(Intrinsic::TraceId | Intrinsic::LinkTraceId) => {
            text.parse::<TraceId>().ok().map(|id| id.to_string())
        }
        Field::Intrinsic(Intrinsic::SpanId | Intrinsic::ParentId | Intrinsic::LinkSpanId) => {
            text.parse::<SpanId>().ok().map(|id| id.to_string())
        }
        _ => None,
    };
    id.map_or(Cow::Borrowed(value), |id| Cow::Owned(Literal::Text(id)))
}

/// Compiles a pattern anchored at both ends.
pub(crate) fn regex(text: &str) -> Result<Regex, QueryError> {
    let refused = |reason| QueryError::Invalid(format!("the regular expression \"{text}\" cannot be used: {reason}"));
    pattern::compile(text).map_err(refused)
}
