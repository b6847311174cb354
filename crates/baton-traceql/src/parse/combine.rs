//! Combination of two operands by an operator.

use super::cursor::Parser;
use super::operand::{Operand, OperandKind};
use super::precedence;
use crate::{
    ArithmeticOp, CompareOp, Literal, MetricsExpr, Mode, ParseError, PipelineExpr, Scalar, ScalarFilter, SecondStage,
    SpansetExpr, SpansetOp, lex::Op,
};

impl Parser<'_> {
    /// Combines two operands; `at` is the position of the operator.
    pub(super) fn combine(&mut self, left: Operand, op: Op, right: Operand, at: usize) -> Result<Operand, ParseError> {
        let begins = left.at;
        let wrapped = left.parenthesized && right.parenthesized;
        let meaning = match (left.meaning, right.meaning) {
            (OperandKind::Spansets(left), OperandKind::Spansets(right)) => match precedence::spanset(op) {
                Some(op) => {
                    OperandKind::Spansets(SpansetExpr::Combined { op, left: Box::new(left), right: Box::new(right) })
                }
                None => return self.fail_at(at, format!("`{}` cannot combine spansets", op.symbol())),
            },
            (OperandKind::Scalar(left), OperandKind::Scalar(right)) => self.combine_scalars(left, op, right, at)?,
            (OperandKind::Metrics(left), right @ (OperandKind::Metrics(_) | OperandKind::Scalar(_))) => {
                self.combine_metrics(left, op, right, at)?
            }
            (OperandKind::Scalar(left), OperandKind::Metrics(right)) => match number(&left) {
                Some(number) if precedence::arithmetic(op).is_some() => compute(self, number, op, right, at)?,
                _ => return self.incompatible(&OperandKind::Scalar(left), op, &OperandKind::Metrics(right), at),
            },
            (left, right) => match precedence::spanset(op) {
                Some(spanset) => self.combine_pipelines(left, spanset, right, wrapped, (op, at))?,
                None => return self.incompatible(&left, op, &right, at),
            },
        };
        Ok(Operand { meaning, parenthesized: wrapped, at: begins })
    }

    fn incompatible<T>(&self, left: &OperandKind, op: Op, right: &OperandKind, at: usize) -> Result<T, ParseError> {
        self.fail_at(at, format!("`{}` cannot combine {} and {}", op.symbol(), left.noun(), right.noun()))
    }

    fn combine_scalars(&self, left: Scalar, op: Op, right: Scalar, at: usize) -> Result<OperandKind, ParseError> {
        if let Some(op) = precedence::compare_numbers(op) {
            return Ok(OperandKind::Filter(ScalarFilter { left, op, right }));
        }
        match precedence::arithmetic(op) {
            Some(op) => Ok(OperandKind::Scalar(Scalar::Computed { op, left: Box::new(left), right: Box::new(right) })),
            None => self.incompatible(&OperandKind::Scalar(left), op, &OperandKind::Scalar(right), at),
        }
    }

    fn combine_pipelines(
        &mut self,
        left: OperandKind,
        spanset: SpansetOp,
        right: OperandKind,
        wrapped: bool,
        (op, at): (Op, usize),
    ) -> Result<OperandKind, ParseError> {
        if [&left, &right].iter().any(|side| matches!(side, OperandKind::Scalar(_) | OperandKind::Metrics(_))) {
            return self.incompatible(&left, op, &right, at);
        }
        if !wrapped {
            let advice = format!("pipelines that `{}` combines are written in parentheses", op.symbol());
            if self.mode == Mode::Strict {
                return self.fail_at(at, advice);
            }
            self.warnings.add(&advice);
        }
        match (left.into_pipeline(), right.into_pipeline()) {
            (Ok(left), Ok(right)) => Ok(OperandKind::Pipelines(PipelineExpr::Combined {
                op: spanset,
                left: Box::new(left),
                right: Box::new(right),
            })),
            (Err(scalar), _) | (_, Err(scalar)) => {
                self.fail_at(at, format!("`{}` cannot combine `{scalar}` with a pipeline", op.symbol()))
            }
        }
    }

    fn combine_metrics(
        &self,
        left: MetricsExpr,
        op: Op,
        right: OperandKind,
        at: usize,
    ) -> Result<OperandKind, ParseError> {
        if let Some(compare) = precedence::compare_numbers(op) {
            return match right {
                OperandKind::Scalar(Scalar::Literal(value)) => self.filter_series(left, compare, value, at),
                right => self.incompatible(&OperandKind::Metrics(left), op, &right, at),
            };
        }
        match right {
            OperandKind::Metrics(right) => compute(self, left, op, right, at),
            OperandKind::Scalar(scalar) => match number(&scalar) {
                Some(number) => compute(self, left, op, number, at),
                None => self.incompatible(&OperandKind::Metrics(left), op, &OperandKind::Scalar(scalar), at),
            },
            right => self.incompatible(&OperandKind::Metrics(left), op, &right, at),
        }
    }

    fn filter_series(
        &self,
        metrics: MetricsExpr,
        op: CompareOp,
        value: Literal,
        at: usize,
    ) -> Result<OperandKind, ParseError> {
        self.then(metrics, SecondStage::Filter { op, value }, at).map(OperandKind::Metrics)
    }
}

fn compute(
    parser: &Parser,
    left: MetricsExpr,
    op: Op,
    right: MetricsExpr,
    at: usize,
) -> Result<OperandKind, ParseError> {
    match precedence::arithmetic(op) {
        Some(op) if !matches!(op, ArithmeticOp::Modulo | ArithmeticOp::Power) => {
            Ok(OperandKind::Metrics(MetricsExpr::Computed {
                op,
                left: Box::new(left),
                right: Box::new(right),
                then: Vec::new(),
            }))
        }
        Some(_) => parser.fail_at(at, format!("`{}` cannot combine series; `+`, `-`, `*` and `/` can", op.symbol())),
        None => parser.incompatible(&OperandKind::Metrics(left), op, &OperandKind::Metrics(right), at),
    }
}

/// A constant as an operand of metrics arithmetic.
fn number(scalar: &Scalar) -> Option<MetricsExpr> {
    match scalar {
        Scalar::Literal(Literal::Int(integer)) => Some(MetricsExpr::Number(*integer as f64)),
        Scalar::Literal(Literal::Float(number)) => Some(MetricsExpr::Number(*number)),
        Scalar::Computed { op, left, right } => Some(MetricsExpr::Computed {
            op: Some(*op).filter(|op| !matches!(op, ArithmeticOp::Modulo | ArithmeticOp::Power))?,
            left: Box::new(number(left)?),
            right: Box::new(number(right)?),
            then: Vec::new(),
        }),
        _ => None,
    }
}
