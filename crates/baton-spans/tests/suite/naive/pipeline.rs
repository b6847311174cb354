//! Naive evaluation of pipelines on one trace.

use super::expr::{ExprResult, PlainValue, compare, constant, evaluate, family, order, parent};
use baton_traceql::{
    Aggregate, AggregateOp, FieldExpr, PipelineExpr, PipelineStage, Scalar, ScalarFilter, SpansetExpr, SpansetOp,
};
use baton_types::{Span, SpanValue};
use std::{cmp::Ordering, collections::BTreeSet};

/// A spanset: span indexes and labels.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    pub(crate) spans: BTreeSet<usize>,
    pub(crate) attributes: Vec<(String, SpanValue)>,
}

impl Set {
    fn add_label(&mut self, name: String, value: SpanValue) {
        self.attributes.retain(|(known, _)| *known != name);
        self.attributes.push((name, value));
    }
}

/// Spansets of a trace whose spans are sorted.
pub(crate) fn run(pipeline: &PipelineExpr, spans: &[Span]) -> Vec<Set> {
    let all = Set { spans: (0..spans.len()).collect(), attributes: Vec::new() };
    pipelines(pipeline, spans, all)
}

fn pipelines(pipeline: &PipelineExpr, spans: &[Span], all: Set) -> Vec<Set> {
    match pipeline {
        PipelineExpr::Pipeline(stages) => {
            let mut sets = vec![all];
            for stage in stages {
                sets = apply(stage, spans, sets);
                sets.retain(|set| !set.spans.is_empty());
            }
            sets
        }
        PipelineExpr::Combined { op, left, right } => {
            let union = |sets: Vec<Set>| sets.into_iter().flat_map(|set| set.spans).collect::<BTreeSet<usize>>();
            let left = union(pipelines(left, spans, all.clone()));
            let right = union(pipelines(right, spans, all));
            let both = combine(*op, &left, &right, spans);
            if both.is_empty() { Vec::new() } else { vec![Set { spans: both, attributes: Vec::new() }] }
        }
    }
}

fn apply(stage: &PipelineStage, spans: &[Span], sets: Vec<Set>) -> Vec<Set> {
    match stage {
        PipelineStage::Select(_) => sets,
        PipelineStage::Coalesce if sets.is_empty() => sets,
        PipelineStage::Coalesce => {
            vec![Set { spans: sets.into_iter().flat_map(|set| set.spans).collect(), attributes: Vec::new() }]
        }
        PipelineStage::Spansets(expr) => {
            sets.into_iter().map(|set| Set { spans: spansets(expr, spans, &set.spans), ..set }).collect()
        }
        PipelineStage::By(expr) => sets.into_iter().flat_map(|set| split(expr, spans, set)).collect(),
        PipelineStage::Scalar(filter) => sets.into_iter().filter_map(|set| kept(filter, spans, set)).collect(),
    }
}

fn spansets(expr: &SpansetExpr, spans: &[Span], within: &BTreeSet<usize>) -> BTreeSet<usize> {
    match expr {
        SpansetExpr::Filter(None) => within.clone(),
        SpansetExpr::Filter(Some(condition)) => {
            within.iter().copied().filter(|at| evaluate(condition, spans, *at).is_true()).collect()
        }
        SpansetExpr::Combined { op, left, right } => {
            combine(*op, &spansets(left, spans, within), &spansets(right, spans, within), spans)
        }
    }
}

fn combine(op: SpansetOp, left: &BTreeSet<usize>, right: &BTreeSet<usize>, spans: &[Span]) -> BTreeSet<usize> {
    use SpansetOp as Op;
    let above = |at: usize| -> BTreeSet<usize> {
        let mut seen = BTreeSet::new();
        let mut next = parent(spans, at);
        while let Some(one) = next.filter(|one| seen.insert(*one)) {
            next = parent(spans, one);
        }
        seen
    };
    let child = |l: usize, r: usize| parent(spans, r) == Some(l);
    let below = |l: usize, r: usize| above(r).contains(&l);
    let beside = |l: usize, r: usize| l != r && family(spans, l).is_some() && family(spans, l) == family(spans, r);
    let related = |l: usize, r: usize| match op {
        Op::Child | Op::NotChild | Op::UnionChild => child(l, r),
        Op::Parent | Op::NotParent | Op::UnionParent => child(r, l),
        Op::Descendant | Op::NotDescendant | Op::UnionDescendant => below(l, r),
        Op::Ancestor | Op::NotAncestor | Op::UnionAncestor => below(r, l),
        Op::Sibling | Op::NotSibling | Op::UnionSibling => beside(l, r),
        Op::And | Op::Or => false,
    };
    let has_left = |r: &usize| left.iter().any(|l| related(*l, *r));
    let has_right = |l: &usize| right.iter().any(|r| related(*l, *r));
    match op {
        Op::And if left.is_empty() || right.is_empty() => BTreeSet::new(),
        Op::And | Op::Or => left.union(right).copied().collect(),
        Op::Child | Op::Parent | Op::Descendant | Op::Ancestor | Op::Sibling => {
            right.iter().copied().filter(has_left).collect()
        }
        Op::NotChild | Op::NotParent | Op::NotDescendant | Op::NotAncestor | Op::NotSibling => {
            right.iter().copied().filter(|r| !has_left(r)).collect()
        }
        Op::UnionChild | Op::UnionParent | Op::UnionDescendant | Op::UnionAncestor | Op::UnionSibling => {
            let lefts = left.iter().copied().filter(has_right);
            lefts.chain(right.iter().copied().filter(has_left)).collect()
        }
    }
}

fn split(expr: &FieldExpr, spans: &[Span], set: Set) -> Vec<Set> {
    let mut groups: Vec<(String, Set)> = Vec::new();
    for at in set.spans {
        let mut shown = evaluate(expr, spans, at).shown;
        let value = match shown.len() {
            0 => "nil".into(),
            1 => shown.remove(0),
            _ => SpanValue::List(shown.clone()),
        };
        // The text `nil` is not the missing value.
        let key = format!("{} {value:?}", shown.len());
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => {
                group.spans.insert(at);
            }
            None => {
                let mut group = Set { spans: BTreeSet::from([at]), attributes: set.attributes.clone() };
                group.add_label(format!("by({expr})"), value);
                groups.push((key, group));
            }
        }
    }
    groups.into_iter().map(|(_, set)| set).collect()
}

fn kept(filter: &ScalarFilter, spans: &[Span], mut set: Set) -> Option<Set> {
    let side = |scalar: &Scalar| match scalar {
        Scalar::Literal(literal) => constant(literal),
        Scalar::Aggregate(aggregate) => {
            aggregated(aggregate, spans, &set.spans).map(ExprResult::one).unwrap_or_default()
        }
        other => panic!("not run: {other:?}"),
    };
    let (left, right) = (side(&filter.left), side(&filter.right));
    if !compare(filter.op, &left, &right) {
        return None;
    }
    for (scalar, out) in [(&filter.left, left), (&filter.right, right)] {
        if let Scalar::Aggregate(aggregate) = scalar {
            set.add_label(aggregate.to_string(), out.shown[0].clone());
        }
    }
    Some(set)
}

fn aggregated(aggregate: &Aggregate, spans: &[Span], set: &BTreeSet<usize>) -> Option<PlainValue> {
    let Some(of) = &aggregate.of else { return Some(PlainValue::Int(set.len() as i64)) };
    let values: Vec<PlainValue> = set.iter().flat_map(|at| evaluate(of, spans, *at).values).collect();
    let numbers: Vec<&PlainValue> =
        values.iter().filter(|value| value.number().is_some_and(|it| !it.is_nan())).collect();
    let all_durations = numbers.iter().all(|number| matches!(number, PlainValue::Duration(_)));
    let first =
        |wanted: Ordering| numbers.iter().copied().reduce(|a, b| if order(b, a) == Some(wanted) { b } else { a });
    let whole: Option<i128> = numbers.iter().map(|number| number.whole()).sum();
    let mut plain: Vec<f64> = numbers.iter().filter_map(|number| number.number()).collect();
    plain.sort_by(f64::total_cmp);
    let sum: f64 = whole.map_or_else(|| plain.iter().sum(), |whole| whole as f64);
    let result = match aggregate.op {
        _ if numbers.is_empty() => return None,
        AggregateOp::Count => PlainValue::Int(numbers.len() as i64),
        AggregateOp::Min => first(Ordering::Less)?.clone(),
        AggregateOp::Max => first(Ordering::Greater)?.clone(),
        AggregateOp::Avg => PlainValue::Float(sum / numbers.len() as f64),
        AggregateOp::Sum => match whole.map(i64::try_from) {
            Some(Ok(whole)) => PlainValue::Int(whole),
            _ => PlainValue::Float(sum),
        },
    };
    Some(if all_durations { PlainValue::Duration(result.number()?.round() as i64) } else { result })
}
