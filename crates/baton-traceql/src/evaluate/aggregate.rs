//! Filters spansets by an aggregate.

use super::{
    expression::Expression,
    item::{Flow, Item, holds},
    pipeline::say,
    plan::{Having, Measure},
    scene::Scene,
};
use crate::{AggregateOp, CompareOp, Spanset};
use baton_types::SpanValue;
use std::cmp::Ordering;

impl Having {
    /// The set with the value of the aggregate, if the comparison holds.
    pub(super) fn run(&self, scene: &Scene<'_>, mut set: Spanset) -> Option<Spanset> {
        let measured = self.measure.run(scene, &set.spans)?;
        if holds(self.op, measured.item, Item::of(&self.value)?) != Some(true) {
            return None;
        }
        say(&mut set, &self.measure.label, measured.shown());
        Some(set)
    }
}

struct Measured {
    item: Item<'static>,
    is_duration: bool,
}

impl Measured {
    fn shown(&self) -> SpanValue {
        match (self.is_duration, self.item) {
            (true, Item::Int(nanoseconds)) => Item::Duration(nanoseconds).shown(),
            (true, Item::Float(nanoseconds)) => Item::Duration(nanoseconds.round() as i64).shown(),
            (_, item) => item.shown(),
        }
    }
}

impl Measure {
    /// None if no span has a number.
    fn run(&self, scene: &Scene<'_>, spans: &[usize]) -> Option<Measured> {
        let Some(of) = &self.of else {
            let count = Item::Int(i64::try_from(spans.len()).ok()?);
            return Some(Measured { item: count, is_duration: false });
        };
        let numbers = Numbers::of(of, scene, spans);
        let item = match self.op {
            AggregateOp::Count => Item::Int(i64::try_from(numbers.count()).ok()?),
            AggregateOp::Min => numbers.extreme(Ordering::Less)?,
            AggregateOp::Max => numbers.extreme(Ordering::Greater)?,
            AggregateOp::Sum => numbers.sum()?,
            AggregateOp::Avg => Item::Float(numbers.sum()?.as_float()? / numbers.count() as f64),
        };
        Some(Measured { item, is_duration: numbers.durations == numbers.count() })
    }
}

/// Numbers of all spans of a set.
#[derive(Default)]
struct Numbers {
    whole: Vec<i64>,
    real: Vec<f64>,
    durations: usize,
}

impl Numbers {
    fn of(of: &Expression, scene: &Scene<'_>, spans: &[usize]) -> Self {
        let mut numbers = Self::default();
        for span in spans {
            let _ = of.visit(scene, *span, &mut |item| {
                match item {
                    Item::Int(number) => numbers.whole.push(number),
                    Item::Duration(number) => {
                        numbers.whole.push(number);
                        numbers.durations += 1;
                    }
                    Item::Float(number) if !number.is_nan() => numbers.real.push(number),
                    _ => {}
                }
                Flow::Continue(())
            });
        }
        // The sum of floats depends on their order, and spans come in no particular order.
        numbers.real.sort_unstable_by(f64::total_cmp);
        numbers
    }

    fn count(&self) -> usize {
        self.whole.len() + self.real.len()
    }

    fn sum(&self) -> Option<Item<'static>> {
        let whole: i128 = self.whole.iter().copied().map(i128::from).sum();
        match (self.count(), self.real.is_empty(), i64::try_from(whole)) {
            (0, _, _) => None,
            (_, true, Ok(whole)) => Some(Item::Int(whole)),
            _ => Some(Item::Float(self.real.iter().sum::<f64>() + whole as f64)),
        }
    }

    fn extreme(&self, wanted: Ordering) -> Option<Item<'static>> {
        let whole = self.whole.iter().copied().reduce(|a, b| if b.cmp(&a) == wanted { b } else { a }).map(Item::Int);
        let real = self.real.iter().copied().reduce(|a, b| if b.total_cmp(&a) == wanted { b } else { a });
        match (whole, real.map(Item::Float)) {
            (Some(whole), Some(real)) => {
                let op = if wanted == Ordering::Less { CompareOp::Less } else { CompareOp::Greater };
                Some(if holds(op, real, whole) == Some(true) { real } else { whole })
            }
            (whole, real) => whole.or(real),
        }
    }
}
