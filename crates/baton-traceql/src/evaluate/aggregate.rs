//! Filters spansets by an aggregate.

use super::{
    comparable_value::{ComparableValue, Flow, holds},
    context::EvaluationContext,
    expression::Expression,
    pipeline::set_attribute,
    plan::{AggregateFilter, AggregatePlan},
};
use crate::{AggregateOp, CompareOp, Spanset};
use baton_types::SpanValue;
use std::cmp::Ordering;

impl AggregateFilter {
    /// The set with the value of the aggregate, if the comparison holds.
    pub(super) fn run(&self, scene: &EvaluationContext<'_>, mut set: Spanset) -> Option<Spanset> {
        let measured = self.measure.run(scene, &set.spans)?;
        if holds(self.op, measured.item, ComparableValue::from_literal(&self.value)?) != Some(true) {
            return None;
        }
        set_attribute(&mut set, &self.measure.label, measured.to_value());
        Some(set)
    }
}

struct AggregateValue {
    item: ComparableValue<'static>,
    is_duration: bool,
}

impl AggregateValue {
    fn to_value(&self) -> SpanValue {
        match (self.is_duration, self.item) {
            (true, ComparableValue::Int(nanoseconds)) => ComparableValue::Duration(nanoseconds).to_value(),
            (true, ComparableValue::Float(nanoseconds)) => {
                ComparableValue::Duration(nanoseconds.round() as i64).to_value()
            }
            (_, item) => item.to_value(),
        }
    }
}

impl AggregatePlan {
    /// None if no span has a number.
    fn run(&self, scene: &EvaluationContext<'_>, spans: &[usize]) -> Option<AggregateValue> {
        let Some(of) = &self.of else {
            let count = ComparableValue::Int(i64::try_from(spans.len()).ok()?);
            return Some(AggregateValue { item: count, is_duration: false });
        };
        let numbers = AggregateInput::collect(of, scene, spans);
        let item = match self.op {
            AggregateOp::Count => ComparableValue::Int(i64::try_from(numbers.count()).ok()?),
            AggregateOp::Min => numbers.extreme(Ordering::Less)?,
            AggregateOp::Max => numbers.extreme(Ordering::Greater)?,
            AggregateOp::Sum => numbers.sum()?,
            AggregateOp::Avg => ComparableValue::Float(numbers.sum()?.as_float()? / numbers.count() as f64),
        };
        Some(AggregateValue { item, is_duration: numbers.durations == numbers.count() })
    }
}

/// Numbers of all spans of a set.
#[derive(Default)]
struct AggregateInput {
    integers: Vec<i64>,
    floats: Vec<f64>,
    durations: usize,
}

impl AggregateInput {
    fn collect(of: &Expression, scene: &EvaluationContext<'_>, spans: &[usize]) -> Self {
        let mut numbers = Self::default();
        for span in spans {
            let _ = of.visit(scene, *span, &mut |item| {
                match item {
                    ComparableValue::Int(number) => numbers.integers.push(number),
                    ComparableValue::Duration(number) => {
                        numbers.integers.push(number);
                        numbers.durations += 1;
                    }
                    ComparableValue::Float(number) if !number.is_nan() => numbers.floats.push(number),
                    _ => {}
                }
                Flow::Continue(())
            });
        }
        // The sum of floats depends on their order, and spans come in no particular order.
        numbers.floats.sort_unstable_by(f64::total_cmp);
        numbers
    }

    fn count(&self) -> usize {
        self.integers.len() + self.floats.len()
    }

    fn sum(&self) -> Option<ComparableValue<'static>> {
        let total: i128 = self.integers.iter().copied().map(i128::from).sum();
        match (self.count(), self.floats.is_empty(), i64::try_from(total)) {
            (0, _, _) => None,
            (_, true, Ok(total)) => Some(ComparableValue::Int(total)),
            _ => Some(ComparableValue::Float(self.floats.iter().sum::<f64>() + total as f64)),
        }
    }

    fn extreme(&self, ordering: Ordering) -> Option<ComparableValue<'static>> {
        let integer = self
            .integers
            .iter()
            .copied()
            .reduce(|a, b| if b.cmp(&a) == ordering { b } else { a })
            .map(ComparableValue::Int);
        let float = self.floats.iter().copied().reduce(|a, b| if b.total_cmp(&a) == ordering { b } else { a });
        match (integer, float.map(ComparableValue::Float)) {
            (Some(integer), Some(float)) => {
                let op = if ordering == Ordering::Less { CompareOp::Less } else { CompareOp::Greater };
                Some(if holds(op, float, integer) == Some(true) { float } else { integer })
            }
            (integer, float) => integer.or(float),
        }
    }
}
