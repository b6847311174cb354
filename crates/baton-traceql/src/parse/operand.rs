//! Operands between pipes, before they are classified as a stage, an operand or a whole query.

use super::cursor::Parser;
use super::precedence;
use crate::{
    Aggregate, AggregateOp, Literal, MetricsExpr, ParseError, PipelineExpr, PipelineStage, Scalar, ScalarFilter,
    SpansetExpr,
    lex::{Op, TokenKind},
};

/// An operand with its position.
pub(super) struct Operand {
    pub(super) meaning: OperandKind,
    /// Whether it is in parentheses, or all of its parts are.
    pub(super) parenthesized: bool,
    /// Position of its first token.
    pub(super) at: usize,
}

/// Kind of an operand.
pub(super) enum OperandKind {
    Spansets(SpansetExpr),
    Scalar(Scalar),
    Filter(ScalarFilter),
    /// Several stages, or one that is not an expression.
    Stages(Vec<PipelineStage>),
    Pipelines(PipelineExpr),
    Metrics(MetricsExpr),
}

impl OperandKind {
    /// Converts to a search pipeline; the error is the scalar that lacks a comparison.
    pub(super) fn into_pipeline(self) -> Result<PipelineExpr, String> {
        Ok(match self {
            Self::Pipelines(pipelines) => pipelines,
            Self::Spansets(spansets) => PipelineExpr::Pipeline(vec![PipelineStage::Spansets(spansets)]),
            Self::Filter(filter) => PipelineExpr::Pipeline(vec![PipelineStage::Scalar(filter)]),
            Self::Stages(stages) => PipelineExpr::Pipeline(stages),
            Self::Scalar(Scalar::Pipeline { aggregate, .. }) => return Err(aggregate.to_string()),
            Self::Scalar(scalar) => return Err(scalar.to_string()),
            Self::Metrics(metrics) => return Err(metrics.to_string()),
        })
    }

    /// Noun for error messages.
    pub(super) fn noun(&self) -> &'static str {
        match self {
            Self::Spansets(_) => "a spanset",
            Self::Scalar(Scalar::Literal(Literal::Duration(_))) => "a duration",
            Self::Scalar(Scalar::Literal(_)) => "a number",
            Self::Scalar(_) => "an aggregate",
            Self::Filter(_) => "a comparison",
            Self::Stages(_) | Self::Pipelines(_) => "a pipeline",
            Self::Metrics(_) => "a metrics query",
        }
    }
}

impl Parser<'_> {
    /// Parses operands and the operators between them; `after` is the preceding text, for error messages.
    pub(super) fn operation(&mut self, weakest: u8, after: &str) -> Result<Operand, ParseError> {
        self.nested(|parser| {
            let mut left = parser.operand(after)?;
            while let Some(op) = parser.peek_op() {
                let Some(precedence) = precedence::binary_precedence(op).filter(|precedence| *precedence >= weakest)
                else {
                    break;
                };
                let at = parser.position();
                parser.operator()?;
                let next = precedence::right_operand_precedence(op, precedence);
                let right = parser.operation(next, &format!("`{}`", op.symbol()))?;
                left = parser.combine(left, op, right, at)?;
            }
            Ok(left)
        })
    }

    fn operand(&mut self, after: &str) -> Result<Operand, ParseError> {
        let at = self.position();
        let (meaning, wrapped) = match self.peek() {
            TokenKind::OpenBrace => (OperandKind::Spansets(self.filter()?), false),
            TokenKind::OpenParen => {
                self.advance();
                let inner = self.pipeline()?;
                self.require(&TokenKind::CloseParen, "`)`")?;
                (inner.meaning, true)
            }
            TokenKind::Op(Op::Subtract)
            | TokenKind::Int(_)
            | TokenKind::Float(_)
            | TokenKind::Duration(_)
            | TokenKind::Keyword("minInt" | "maxInt") => {
                (OperandKind::Scalar(Scalar::Literal(self.number(after)?)), false)
            }
            TokenKind::Keyword(word) if aggregate_op(word).is_some() => {
                (OperandKind::Scalar(Scalar::Aggregate(self.aggregate()?)), false)
            }
            _ => {
                let after = if after.is_empty() { String::new() } else { format!(" after {after}") };
                return self.expected(&format!("`{{`, `(`, an aggregate or a number{after}"));
            }
        };
        Ok(Operand { meaning, parenthesized: wrapped, at })
    }

    /// Parses a number or a duration with an optional sign.
    pub(super) fn number(&mut self, after: &str) -> Result<Literal, ParseError> {
        let at = self.position();
        match self.literal()? {
            Some(literal @ (Literal::Int(_) | Literal::Float(_) | Literal::Duration(_))) => Ok(literal),
            Some(_) => self.fail_at(at, format!("expected a number or a duration after {after}")),
            None if self.accept(&TokenKind::Op(Op::Subtract)) => self.expected("a number after `-`"),
            None => self.expected(&format!("a number or a duration after {after}")),
        }
    }

    /// `count()`, `max(duration)`.
    fn aggregate(&mut self) -> Result<Aggregate, ParseError> {
        let Some((word, op)) = self.peek_word().and_then(|word| Some((word, aggregate_op(word)?))) else {
            return self.expected("an aggregate");
        };
        self.advance();
        self.require(&TokenKind::OpenParen, &format!("`(` after `{word}`"))?;
        let of = match op {
            AggregateOp::Count => None,
            _ => Some(self.field_expr(&format!("`{word}(`"))?),
        };
        self.require(&TokenKind::CloseParen, "`)`")?;
        Ok(Aggregate { op, of })
    }
}

/// The aggregate function for a keyword.
pub(super) fn aggregate_op(word: &str) -> Option<AggregateOp> {
    Some(match word {
        "count" => AggregateOp::Count,
        "min" => AggregateOp::Min,
        "max" => AggregateOp::Max,
        "avg" => AggregateOp::Avg,
        "sum" => AggregateOp::Sum,
        _ => return None,
    })
}
