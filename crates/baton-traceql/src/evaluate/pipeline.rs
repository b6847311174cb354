//! Executes the stages of a plan in order.

use super::{
    context::EvaluationContext,
    plan::{PipelinePlan, PlanStep, SpansetPlan},
    structure::combine,
};
use crate::Spanset;
use baton_types::SpanValue;

impl PipelinePlan {
    /// The resulting spansets; none of them is empty.
    pub(super) fn run(&self, scene: &EvaluationContext<'_>) -> Vec<Spanset> {
        match self {
            Self::Steps(steps) => {
                let all = Spanset { spans: (0..scene.spans.len()).collect(), attributes: Vec::new() };
                let all = if all.spans.is_empty() { Vec::new() } else { vec![all] };
                steps.iter().fold(all, |sets, step| if sets.is_empty() { sets } else { step.run(scene, sets) })
            }
            Self::Combined { op, left, right } => {
                let (left, right) = (merge_spans(left.run(scene)), merge_spans(right.run(scene)));
                let spans = combine(scene, *op, &left, &right);
                if spans.is_empty() { Vec::new() } else { vec![Spanset { spans, attributes: Vec::new() }] }
            }
        }
    }
}

impl PlanStep {
    fn run(&self, scene: &EvaluationContext<'_>, sets: Vec<Spanset>) -> Vec<Spanset> {
        let in_time = |_: &Spanset| scene.has_time();
        match self {
            Self::Keep(plan) => {
                sets.into_iter().take_while(in_time).filter_map(|set| filter_spans(scene, plan, set)).collect()
            }
            Self::Having(having) => {
                sets.into_iter().take_while(in_time).filter_map(|set| having.run(scene, set)).collect()
            }
            Self::By(grouping) => {
                sets.into_iter().take_while(in_time).flat_map(|set| grouping.run(scene, set)).collect()
            }
            Self::Coalesce => vec![Spanset { spans: merge_spans(sets), attributes: Vec::new() }],
        }
    }
}

fn filter_spans(scene: &EvaluationContext<'_>, plan: &SpansetPlan, mut set: Spanset) -> Option<Spanset> {
    set.spans = plan.run(scene, &set.spans);
    (!set.spans.is_empty()).then_some(set)
}

fn merge_spans(mut sets: Vec<Spanset>) -> Vec<usize> {
    if sets.len() == 1 {
        return sets.remove(0).spans;
    }
    let mut all: Vec<usize> = sets.into_iter().flat_map(|set| set.spans).collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl SpansetPlan {
    pub(super) fn run(&self, scene: &EvaluationContext<'_>, of: &[usize]) -> Vec<usize> {
        match self {
            Self::All => of.to_vec(),
            Self::Filter(filter) => {
                let in_time = of.iter().enumerate().take_while(|(number, _)| scene.has_time_at(*number));
                in_time.map(|(_, span)| *span).filter(|span| filter.test(scene, *span)).collect()
            }
            Self::Combined { op, left, right } => combine(scene, *op, &left.run(scene, of), &right.run(scene, of)),
        }
    }
}

/// Sets an attribute of a spanset, replacing an earlier value.
pub(super) fn set_attribute(set: &mut Spanset, name: &str, value: SpanValue) {
    set.attributes.retain(|(known, _)| known != name);
    set.attributes.push((name.to_owned(), value));
}
