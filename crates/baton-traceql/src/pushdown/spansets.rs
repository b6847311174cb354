//! Selections of spans that an index can evaluate from conditions on single spans and the links between them.

use crate::{
    AttributeRef, AttributeScope, BinaryOp, CompareOp, Field, FieldExpr, Intrinsic, Literal, PipelineExpr,
    PipelineStage, SpansetExpr, SpansetOp, UnaryOp, result_fields::is_local_expr,
};

/// A selection of the spans of a trace, exactly as in the query.
#[derive(Clone, Debug, PartialEq)]
pub enum SpansetPushdown<'a> {
    /// All spans.
    All,
    /// Spans that satisfy a condition.
    Filter(SpanCondition<'a>),
    /// Two selections combined.
    Combined {
        /// Operator.
        op: SpansetOp,
        /// The left operand.
        left: Box<SpansetPushdown<'a>>,
        /// The right operand.
        right: Box<SpansetPushdown<'a>>,
    },
    /// Selections in order, each of the spans that the one before selected.
    Stages(Vec<SpansetPushdown<'a>>),
}

/// A condition on a span.
#[derive(Clone, Debug, PartialEq)]
pub enum SpanCondition<'a> {
    /// The expression is true for the span; it depends on the span alone.
    Span(&'a FieldExpr),
    /// The expression, without aliases, is true for the root of the trace; it depends on that span alone.
    Root(FieldExpr),
    /// Both hold.
    And(Box<SpanCondition<'a>>, Box<SpanCondition<'a>>),
    /// At least one holds.
    Or(Box<SpanCondition<'a>>, Box<SpanCondition<'a>>),
    /// It does not hold.
    Not(Box<SpanCondition<'a>>),
}

impl<'a> SpansetPushdown<'a> {
    /// None if a part of the pipeline depends on other properties of the trace.
    pub(crate) fn from_pipeline(pipeline: &'a PipelineExpr) -> Option<Self> {
        match pipeline {
            PipelineExpr::Combined { op, left, right } => Some(Self::Combined {
                op: *op,
                left: Box::new(Self::from_pipeline(left)?),
                right: Box::new(Self::from_pipeline(right)?),
            }),
            PipelineExpr::Pipeline(stages) => {
                let mut selections = Vec::new();
                for stage in stages {
                    match stage {
                        PipelineStage::Spansets(expr) => selections.push(Self::from_spansets(expr)?),
                        PipelineStage::Select(_) => {}
                        PipelineStage::Scalar(_) | PipelineStage::By(_) | PipelineStage::Coalesce => return None,
                    }
                }
                Some(Self::Stages(selections))
            }
        }
    }

    fn from_spansets(expr: &'a SpansetExpr) -> Option<Self> {
        Some(match expr {
            SpansetExpr::Filter(None) => Self::All,
            SpansetExpr::Filter(Some(filter)) => Self::Filter(SpanCondition::from_expr(filter)?),
            SpansetExpr::Combined { op, left, right } => Self::Combined {
                op: *op,
                left: Box::new(Self::from_spansets(left)?),
                right: Box::new(Self::from_spansets(right)?),
            },
        })
    }

    /// Whether it depends on the links between spans.
    pub fn has_relations(&self) -> bool {
        match self {
            Self::All | Self::Filter(_) => false,
            Self::Combined { op, left, right } => {
                op.relation().is_some() || left.has_relations() || right.has_relations()
            }
            Self::Stages(stages) => stages.iter().any(Self::has_relations),
        }
    }
}

impl<'a> SpanCondition<'a> {
    fn from_expr(expr: &'a FieldExpr) -> Option<Self> {
        if is_local_expr(expr) {
            return Some(Self::Span(expr));
        }
        // Every other condition is true or false for every span, so it can be negated.
        match expr {
            FieldExpr::Unary { op: UnaryOp::Not, of } => Some(Self::Not(Box::new(Self::from_expr(of)?))),
            FieldExpr::Binary { op: BinaryOp::And, left, right } => {
                Some(Self::And(Box::new(Self::from_expr(left)?), Box::new(Self::from_expr(right)?)))
            }
            FieldExpr::Binary { op: BinaryOp::Or, left, right } => {
                Some(Self::Or(Box::new(Self::from_expr(left)?), Box::new(Self::from_expr(right)?)))
            }
            FieldExpr::Binary { op: BinaryOp::Compare(op), left, right } => match (left.as_ref(), right.as_ref()) {
                (FieldExpr::Field(field), FieldExpr::Literal(value)) => {
                    let field = FieldExpr::Field(root_field(field, value)?);
                    Some(Self::Root(comparison(*op, field, right.as_ref().clone())))
                }
                (FieldExpr::Literal(value), FieldExpr::Field(field)) => {
                    let field = FieldExpr::Field(root_field(field, value)?);
                    Some(Self::Root(comparison(*op, left.as_ref().clone(), field)))
                }
                _ => None,
            },
            _ => None,
        }
    }
}

fn comparison(op: CompareOp, left: FieldExpr, right: FieldExpr) -> FieldExpr {
    FieldExpr::Binary { op: BinaryOp::Compare(op), left: Box::new(left), right: Box::new(right) }
}

/// The field of the root span that compares like a root field of the trace.
fn root_field(field: &Field, value: &Literal) -> Option<Field> {
    match (field, value) {
        (Field::Intrinsic(Intrinsic::RootName), _) => Some(Field::Intrinsic(Intrinsic::Name)),
        // A service name is text; the attribute may have another type, which does not compare with text.
        (Field::Intrinsic(Intrinsic::RootService), Literal::Text(_)) => Some(Field::Attribute(AttributeRef {
            scope: AttributeScope::Resource,
            of_parent: false,
            name: "service.name".to_owned(),
        })),
        _ => None,
    }
}
