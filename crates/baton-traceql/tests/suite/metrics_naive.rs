//! Naive reference evaluator of metrics queries: every counted span becomes a list entry, and every sample is computed
//! from the whole list.

use super::evaluate_naive::{Naive, NaiveValue, elements, number, shown};
use baton_traceql::{
    AggregateOp, Aliases, ArithmeticOp, AttributeRef, AttributeScope, CompareFunction, CompareOp, Field, FirstStage,
    Intrinsic, Literal, MetricsExpr, MetricsQuery, SecondStage, SpansetExpr, Steps, TraceSpans,
};
use baton_types::{Span, SpanValue};
use std::cmp::Ordering;

pub(crate) type Labels = Vec<(String, SpanValue)>;
/// A series without exemplars.
pub(crate) type Line = (Labels, Vec<Option<f64>>);

pub(crate) struct NaiveMetrics<'a> {
    pub(crate) traces: &'a [TraceSpans],
    pub(crate) aliases: Aliases,
    pub(crate) steps: Steps,
}

/// A counted value of one series in one interval.
struct Entry {
    interval: usize,
    labels: Labels,
    number: f64,
}

enum Answer {
    Number(f64),
    Lines(Vec<Line>),
}

impl NaiveMetrics<'_> {
    pub(crate) fn answer(&self, metrics: &MetricsExpr) -> Vec<Line> {
        match self.expr(metrics) {
            Answer::Number(_) => Vec::new(),
            Answer::Lines(lines) => lines,
        }
    }

    fn expr(&self, metrics: &MetricsExpr) -> Answer {
        match metrics {
            MetricsExpr::Number(number) => Answer::Number(*number),
            MetricsExpr::Query(query) => Answer::Lines(self.then(self.query(query), &query.then)),
            MetricsExpr::Computed { op, left, right, then } => {
                let lines = match (self.expr(left), self.expr(right)) {
                    (Answer::Number(left), Answer::Number(right)) => return Answer::Number(compute(*op, left, right)),
                    (Answer::Lines(lines), Answer::Number(right)) => map(lines, |left| compute(*op, left, right)),
                    (Answer::Number(left), Answer::Lines(lines)) => map(lines, |right| compute(*op, left, right)),
                    (Answer::Lines(left), Answer::Lines(right)) => self.pairs(*op, left, &right),
                };
                Answer::Lines(self.then(non_empty(lines), then))
            }
        }
    }

    fn pairs(&self, op: ArithmeticOp, left: Vec<Line>, right: &[Line]) -> Vec<Line> {
        let same = |left: &Labels, right: &Labels| {
            let within = |one: &Labels, other: &Labels| {
                one.iter().filter(|(name, _)| name != "__name__").all(|label| other.contains(label))
            };
            within(left, right) && within(right, left)
        };
        let mut lines = Vec::new();
        for (labels, samples) in left {
            let Some((_, others)) = right.iter().find(|(other, _)| same(&labels, other)) else { continue };
            let sample = |index: usize| Some(compute(op, samples[index]?, others[index]?)).filter(|x| x.is_finite());
            lines.push((labels, (0..self.steps.count()).map(sample).collect()));
        }
        lines
    }

    fn query(&self, query: &MetricsQuery) -> Vec<Line> {
        let (of, by) = match &query.first {
            FirstStage::Rate { by } | FirstStage::CountOverTime { by } => (None, by),
            FirstStage::AggregateOverTime { of, by, .. }
            | FirstStage::QuantileOverTime { of, by, .. }
            | FirstStage::HistogramOverTime { of, by } => (Some(of), by),
            FirstStage::Compare(compare) => return self.compare(query, compare),
        };
        let mut entries = Vec::new();
        for trace in self.traces {
            let naive = Naive { spans: &trace.spans, aliases: self.aliases };
            for span in naive.pipeline(&query.spans).into_iter().flat_map(|(spans, _)| spans) {
                let Some(interval) = self.interval(&trace.spans[span]) else { continue };
                let labels = labels(&naive, by, span);
                match of {
                    None => entries.push(Entry { interval, labels, number: 1.0 }),
                    Some(of) => {
                        let values = naive.raw(of, span).into_iter().flat_map(elements);
                        let numbers = values.filter_map(|value| number(&value));
                        entries.extend(numbers.map(|number| Entry { interval, labels: labels.clone(), number }));
                    }
                }
            }
        }
        let lasting = matches!(
            of,
            Some(Field::Intrinsic(Intrinsic::Duration | Intrinsic::TraceDuration | Intrinsic::EventTimeSinceStart))
        );
        self.lines(&query.first, by.is_empty(), &entries, if lasting { 1e9 } else { 1.0 })
    }

    fn interval(&self, span: &Span) -> Option<usize> {
        let first = self.steps.start();
        let begins = |index: usize| if index == 0 { first } else { self.steps.end_of(index - 1) };
        (0..self.steps.count()).find(|index| begins(*index) <= span.start && span.start < self.steps.end_of(*index))
    }

    fn lines(&self, first: &FirstStage, ungrouped: bool, entries: &[Entry], unit: f64) -> Vec<Line> {
        let mut groups: Vec<Labels> = Vec::new();
        for entry in entries {
            if !groups.contains(&entry.labels) {
                groups.push(entry.labels.clone());
            }
        }
        let counts = matches!(first, FirstStage::Rate { .. } | FirstStage::CountOverTime { .. });
        if counts && ungrouped && groups.is_empty() {
            groups.push(Vec::new());
        }
        let mut lines = Vec::new();
        for group in groups {
            let numbers = |interval: usize| -> Vec<f64> {
                let mine = entries.iter().filter(|entry| entry.labels == group && entry.interval == interval);
                let mut numbers: Vec<f64> = mine.map(|entry| entry.number).collect();
                numbers.sort_by(f64::total_cmp);
                numbers
            };
            let samples = |sample: &dyn Fn(&[f64]) -> Option<f64>| -> Vec<Option<f64>> {
                (0..self.steps.count()).map(|interval| sample(&numbers(interval))).collect()
            };
            let named = |name: &str| if ungrouped { vec![("__name__".to_owned(), text(name))] } else { group.clone() };
            let with = |name: &str, value: f64| {
                let mut labels = group.clone();
                labels.push((name.to_owned(), SpanValue::Float(value)));
                labels
            };
            match first {
                FirstStage::Rate { .. } => {
                    let rate = |numbers: &[f64]| Some(numbers.len() as f64 / self.steps.seconds());
                    lines.push((named("rate"), samples(&rate)));
                }
                FirstStage::CountOverTime { .. } => {
                    lines.push((named("count_over_time"), samples(&|numbers| Some(numbers.len() as f64))));
                }
                FirstStage::AggregateOverTime { op, .. } => {
                    let sum = |numbers: &[f64]| numbers.iter().sum::<f64>();
                    let sample = |numbers: &[f64]| {
                        let (least, most) = (numbers.first()?, numbers.last()?);
                        Some(match op {
                            AggregateOp::Min => least / unit,
                            AggregateOp::Max => most / unit,
                            AggregateOp::Sum => sum(numbers) / unit,
                            AggregateOp::Avg => sum(numbers) / numbers.len() as f64 / unit,
                            AggregateOp::Count => panic!("not generated"),
                        })
                    };
                    lines.push((named(&format!("{op}_over_time")), samples(&sample)));
                }
                FirstStage::QuantileOverTime { quantiles, .. } => {
                    let mut done: Vec<f64> = Vec::new();
                    for quantile in quantiles {
                        if !done.contains(quantile) {
                            done.push(*quantile);
                            lines.push((with("p", *quantile), samples(&|numbers| between(numbers, *quantile, unit))));
                        }
                    }
                }
                FirstStage::HistogramOverTime { .. } => {
                    let all: Vec<f64> = (0..self.steps.count()).flat_map(numbers).collect();
                    let bounds = [0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
                    let below = |bound: usize, number: f64| {
                        number <= bounds[bound] && (bound == 0 || number > bounds[bound - 1])
                    };
                    for (index, bound) in bounds.iter().enumerate() {
                        if all.iter().any(|number| below(index, *number)) {
                            let count = |numbers: &[f64]| {
                                Some(numbers.iter().filter(|number| below(index, **number)).count() as f64)
                            };
                            lines.push((with("__bucket", bound / unit), samples(&count)));
                        }
                    }
                }
                FirstStage::Compare(_) => panic!("handled by `compare`"),
            }
        }
        non_empty(lines)
    }

    fn then(&self, mut lines: Vec<Line>, stages: &[SecondStage]) -> Vec<Line> {
        for stage in stages {
            lines.sort_by(|(left, _), (right, _)| by_labels(left, right));
            for interval in 0..self.steps.count() {
                let before: Vec<Option<f64>> = lines.iter().map(|(_, samples)| samples[interval]).collect();
                for (index, (_, samples)) in lines.iter_mut().enumerate() {
                    let Some(sample) = samples[interval] else { continue };
                    // Number of samples that rank before this one.
                    let rank = |better: &dyn Fn(f64) -> bool| {
                        let others = before.iter().enumerate();
                        others
                            .filter(|(other, value)| {
                                value.is_some_and(|value| better(value) || (value == sample && *other < index))
                            })
                            .count() as i64
                    };
                    let stays = match stage {
                        SecondStage::TopK(most) => rank(&|value| value > sample) < *most,
                        SecondStage::BottomK(most) => rank(&|value| value < sample) < *most,
                        SecondStage::Filter { op, value } => holds(*op, sample, value),
                    };
                    if !stays {
                        samples[interval] = None;
                    }
                }
            }
            lines = non_empty(lines);
        }
        lines
    }

    fn compare(&self, query: &MetricsQuery, compare: &CompareFunction) -> Vec<Line> {
        let SpansetExpr::Filter(selection) = &compare.selection else { panic!("not generated") };
        // Side, interval, field, value.
        let mut seen: Vec<(usize, usize, String, SpanValue)> = Vec::new();
        for trace in self.traces {
            let naive = Naive { spans: &trace.spans, aliases: self.aliases };
            for at in naive.pipeline(&query.spans).into_iter().flat_map(|(spans, _)| spans) {
                let span = &trace.spans[at];
                let Some(interval) = self.interval(span) else { continue };
                let in_time = compare.start.is_none_or(|start| start <= span.start as i64)
                    && compare.end.is_none_or(|end| (span.start as i64) < end);
                let selected = in_time && selection.as_ref().is_none_or(|filter| naive.truth(filter, at));
                for (name, value) in compared_attributes(&naive, span) {
                    seen.push((usize::from(selected), interval, name, value));
                }
            }
        }
        let mut lines = Vec::new();
        for (side, kind) in [(0, "baseline"), (1, "selection")] {
            let mut names: Vec<&String> = seen.iter().filter(|one| one.0 == side).map(|one| &one.2).collect();
            names.sort();
            names.dedup();
            for name in names {
                let count = |interval: Option<usize>, value: Option<&SpanValue>| {
                    let counted = seen.iter().filter(|(its_side, its_interval, its_name, its_value)| {
                        *its_side == side
                            && interval.is_none_or(|interval| interval == *its_interval)
                            && its_name == name
                            && value.is_none_or(|value| value == its_value)
                    });
                    counted.count() as f64
                };
                let samples = |value: Option<&SpanValue>| -> Vec<Option<f64>> {
                    (0..self.steps.count()).map(|interval| Some(count(Some(interval), value))).collect()
                };
                let labels = |kind: String, value: SpanValue| {
                    vec![("__meta_type".to_owned(), text(&kind)), (name.clone(), value)]
                };
                lines.push((labels(format!("{kind}_total"), text("nil")), samples(None)));
                let mut values: Vec<&SpanValue> = Vec::new();
                for (_, _, _, value) in seen.iter().filter(|one| one.0 == side && one.2 == *name) {
                    if !matches!(value, SpanValue::List(_) | SpanValue::Empty) && !values.contains(&value) {
                        values.push(value);
                    }
                }
                values.sort_by(|left, right| {
                    count(None, Some(right)).total_cmp(&count(None, Some(left))).then(by_value(left, right))
                });
                let most = compare.top.unwrap_or(10) as usize;
                lines.extend(
                    values
                        .iter()
                        .take(most)
                        .map(|value| (labels(kind.to_owned(), (*value).clone()), samples(Some(value)))),
                );
            }
        }
        lines
    }
}

/// The attributes by which `compare` compares a span.
fn compared_attributes(naive: &Naive<'_>, span: &Span) -> Vec<(String, SpanValue)> {
    let root = &naive.spans[naive.root()];
    let mut compared_attributes = vec![
        ("name".to_owned(), text(&span.name)),
        ("kind".to_owned(), shown(NaiveValue::Kind(span.kind))),
        ("status".to_owned(), shown(NaiveValue::Status(span.status))),
        ("rootName".to_owned(), text(&root.name)),
    ];
    compared_attributes.extend(root.service().map(|service| ("rootServiceName".to_owned(), text(service))));
    for (scope, attributes) in
        [(AttributeScope::Span, &span.attributes), (AttributeScope::Resource, &span.resource.attributes)]
    {
        let named = |name: &str| Field::Attribute(AttributeRef { scope, of_parent: false, name: name.to_owned() });
        compared_attributes.extend(attributes.iter().map(|(name, value)| (named(name).to_string(), value.clone())));
    }
    compared_attributes
}

fn labels(naive: &Naive<'_>, by: &[Field], span: usize) -> Labels {
    let mut labels = Labels::new();
    for field in by {
        let mut values: Vec<SpanValue> = naive.raw(field, span).into_iter().map(shown).collect();
        let value = if values.len() > 1 { Some(SpanValue::List(values)) } else { values.pop() };
        if let Some(value) = value.filter(|_| !labels.iter().any(|(name, _)| *name == field.to_string())) {
            labels.push((field.to_string(), value));
        }
    }
    if let (true, Some(field)) = (labels.is_empty(), by.first()) {
        labels.push((field.to_string(), text("nil")));
    }
    labels
}

fn text(text: &str) -> SpanValue {
    SpanValue::from(text.to_owned())
}

fn non_empty(mut lines: Vec<Line>) -> Vec<Line> {
    lines.retain(|(_, samples)| samples.iter().any(Option::is_some));
    lines
}

fn map(lines: Vec<Line>, compute: impl Fn(f64) -> f64) -> Vec<Line> {
    let sample = |sample: Option<f64>| sample.map(&compute).filter(|sample| sample.is_finite());
    lines.into_iter().map(|(labels, samples)| (labels, samples.into_iter().map(sample).collect())).collect()
}

fn compute(op: ArithmeticOp, left: f64, right: f64) -> f64 {
    match op {
        ArithmeticOp::Add => left + right,
        ArithmeticOp::Subtract => left - right,
        ArithmeticOp::Multiply => left * right,
        ArithmeticOp::Divide => left / right,
        other => panic!("{other} is not generated"),
    }
}

/// Interpolated quantile between the smallest and the greatest value.
fn between(sorted: &[f64], quantile: f64, unit: f64) -> Option<f64> {
    let way = quantile * (sorted.len().checked_sub(1)?) as f64;
    let (below, above) = (sorted[way.floor() as usize], sorted[way.ceil() as usize]);
    Some((below * (1.0 - way.fract()) + above * way.fract()) / unit)
}

fn holds(op: CompareOp, sample: f64, value: &Literal) -> bool {
    let value = match value {
        Literal::Int(number) => *number as f64,
        Literal::Float(number) => *number,
        Literal::Duration(number) => *number as f64 / 1e9,
        other => panic!("{other} is not generated"),
    };
    match op {
        CompareOp::Equal => sample == value,
        CompareOp::NotEqual => sample != value,
        CompareOp::Less => sample < value,
        CompareOp::LessEqual => sample <= value,
        CompareOp::Greater => sample > value,
        CompareOp::GreaterEqual => sample >= value,
        other => panic!("{other} is not generated"),
    }
}

/// Order of label lists: by name, then value; numbers before text before lists.
pub(crate) fn by_labels(left: &Labels, right: &Labels) -> Ordering {
    let key = |labels: &Labels, index: usize| labels.get(index).cloned();
    for index in 0..left.len().max(right.len()) {
        let order = match (key(left, index), key(right, index)) {
            (Some((name, value)), Some((other, against))) => name.cmp(&other).then(by_value(&value, &against)),
            (left, right) => left.is_some().cmp(&right.is_some()),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    Ordering::Equal
}

fn by_value(left: &SpanValue, right: &SpanValue) -> Ordering {
    let rank = |value: &SpanValue| match value {
        SpanValue::Empty => 0,
        SpanValue::Bool(_) => 1,
        SpanValue::Int(_) => 2,
        SpanValue::Float(_) => 3,
        SpanValue::Text(_) => 4,
        _ => 5,
    };
    match (left, right) {
        (SpanValue::Bool(left), SpanValue::Bool(right)) => left.cmp(right),
        (SpanValue::Int(left), SpanValue::Int(right)) => left.cmp(right),
        (SpanValue::Float(left), SpanValue::Float(right)) => left.total_cmp(right),
        (SpanValue::Text(left), SpanValue::Text(right)) => left.cmp(right),
        (SpanValue::List(left), SpanValue::List(right)) => {
            let differ = left.iter().zip(right).map(|(left, right)| by_value(left, right)).find(|order| order.is_ne());
            differ.unwrap_or(left.len().cmp(&right.len()))
        }
        _ => rank(left).cmp(&rank(right)),
    }
}
