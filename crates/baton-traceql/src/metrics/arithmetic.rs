//! Arithmetic over series.

use super::series::Series;
use crate::ArithmeticOp;
use baton_types::SpanValue;
use std::collections::HashMap;

/// Operand or result of arithmetic.
pub(super) enum ArithmeticOperand {
    Number(f64),
    Series(Vec<Series>),
}

/// Computes interval by interval. A constant applies to every series; a series is paired with the series that has the
/// same labels, ignoring `__name__`. Series without a counterpart are dropped.
pub(super) fn compute(op: ArithmeticOp, left: ArithmeticOperand, right: ArithmeticOperand) -> ArithmeticOperand {
    let series = match (left, right) {
        (ArithmeticOperand::Number(left), ArithmeticOperand::Number(right)) => {
            return ArithmeticOperand::Number(number(op, left, right).unwrap_or(f64::NAN));
        }
        (ArithmeticOperand::Series(series), ArithmeticOperand::Number(right)) => {
            each(series, |left| number(op, left, right))
        }
        (ArithmeticOperand::Number(left), ArithmeticOperand::Series(series)) => {
            each(series, |right| number(op, left, right))
        }
        (ArithmeticOperand::Series(left), ArithmeticOperand::Series(right)) => pairs(op, left, &right),
    };
    ArithmeticOperand::Series(series)
}

fn each(mut series: Vec<Series>, compute: impl Fn(f64) -> Option<f64>) -> Vec<Series> {
    for one in &mut series {
        one.samples.iter_mut().for_each(|sample| *sample = sample.and_then(&compute));
        // Exemplar values do not match the computed samples.
        one.exemplars.clear();
    }
    series.retain(Series::has_samples);
    series
}

fn pairs(op: ArithmeticOp, left: Vec<Series>, right: &[Series]) -> Vec<Series> {
    let partners: HashMap<Vec<u8>, &Series> = right.iter().map(|series| (identity(series), series)).collect();
    let mut series = Vec::new();
    for mut one in left {
        let Some(partner) = partners.get(&identity(&one)) else { continue };
        for (sample, other) in one.samples.iter_mut().zip(&partner.samples) {
            *sample = sample.zip(*other).and_then(|(left, right)| number(op, left, right));
        }
        one.exemplars.clear();
        series.push(one);
    }
    series.retain(Series::has_samples);
    series
}

/// Encoded labels in sorted order, without `__name__`.
fn identity(series: &Series) -> Vec<u8> {
    let mut labels: Vec<&(String, SpanValue)> = series.labels.iter().filter(|(name, _)| name != "__name__").collect();
    labels.sort_by(|left, right| left.0.cmp(&right.0));
    let mut identity = Vec::new();
    for (name, value) in labels {
        super::key::write(Some(&SpanValue::from(name.clone())), &mut identity);
        super::key::write(Some(value), &mut identity);
    }
    identity
}

/// None if the result is not finite, as for a division by zero.
fn number(op: ArithmeticOp, left: f64, right: f64) -> Option<f64> {
    let number = match op {
        ArithmeticOp::Add => left + right,
        ArithmeticOp::Subtract => left - right,
        ArithmeticOp::Multiply => left * right,
        ArithmeticOp::Divide => left / right,
        ArithmeticOp::Modulo => left % right,
        ArithmeticOp::Power => left.powf(right),
    };
    number.is_finite().then_some(number)
}
