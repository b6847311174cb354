//! A compiled metrics query.

use super::{
    arithmetic::{ArithmeticOperand, compute},
    leaf::{MetricsLeaf, MetricsPushdown, TracePushdown},
    limits::{MetricsLimits, SampleBudget},
    second_stage::apply_stages,
    series::{Series, by_labels},
    steps::Steps,
    tally::Tally,
    tally_series,
};
use crate::{
    Aliases, ArithmeticOp, MetricsExpr, Query, QueryError, Root, SecondStage, TracePredicate, TraceSpans, check_metrics,
};
use baton_types::Span;

/// A checked metrics query with compiled regular expressions, for a sequence of intervals.
#[derive(Debug)]
pub struct MetricsPlan {
    leaves: Vec<MetricsLeaf>,
    root: MetricsNode,
    steps: Steps,
    limits: MetricsLimits,
}

#[derive(Debug)]
enum MetricsNode {
    Leaf { index: usize, then: Vec<SecondStage> },
    Number(f64),
    Computed { op: ArithmeticOp, left: Box<MetricsNode>, right: Box<MetricsNode>, then: Vec<SecondStage> },
}

impl MetricsPlan {
    /// Checks and compiles a query.
    pub fn new(query: &Query, aliases: Aliases, steps: Steps, limits: MetricsLimits) -> Result<Self, QueryError> {
        check_metrics(query)?;
        let Root::Metrics(metrics) = &query.root else {
            return Err(QueryError::Invalid("the query has no metrics function".to_owned()));
        };
        let mut leaves = Vec::new();
        let root = node(metrics, aliases, &mut leaves)?;
        Ok(Self { leaves, root, steps, limits: limits.with_hints(query) })
    }

    /// Number of leaves: pipelines that each end in a metrics function. Leaves are identified by index.
    pub fn leaves(&self) -> usize {
        self.leaves.len()
    }

    /// The intervals.
    pub fn steps(&self) -> Steps {
        self.steps
    }

    /// Maximum number of exemplars per series, from the limits or from a hint of the query.
    pub fn exemplars(&self) -> usize {
        self.limits.exemplars
    }

    /// The predicate that every trace with data for a leaf satisfies.
    pub fn predicate(&self, leaf: usize) -> TracePredicate {
        self.leaves.get(leaf).map_or(TracePredicate::Anything, MetricsLeaf::predicate)
    }

    /// The aggregation to push down, if spans can be counted one by one without the rest of their trace.
    pub fn pushdown(&self, leaf: usize) -> Option<MetricsPushdown<'_>> {
        self.leaves.get(leaf).and_then(MetricsLeaf::pushdown)
    }

    /// The aggregation to push down, if the spans can be selected by conditions on single spans and the links between
    /// them.
    pub fn trace_pushdown(&self, leaf: usize) -> Option<TracePushdown<'_>> {
        self.leaves.get(leaf).and_then(MetricsLeaf::trace_pushdown)
    }

    /// An empty tally for a leaf.
    pub fn tally(&self, leaf: usize) -> Tally {
        Tally::new(self.leaves.get(leaf), self.steps.count(), self.limits)
    }

    /// Adds the spans of a complete trace that start in one of the intervals. `late` is called often; returns false if
    /// the deadline passed before all spans were added.
    pub fn add_trace(&self, leaf: usize, tally: &mut Tally, trace: &TraceSpans, late: &dyn Fn() -> bool) -> bool {
        self.leaves.get(leaf).is_none_or(|leaf| leaf.add(tally, self.steps, &trace.spans, late))
    }

    /// Adds a single span; correct only for a leaf with a pushdown.
    pub fn add_span(&self, leaf: usize, tally: &mut Tally, span: &Span) {
        if let Some(leaf) = self.leaves.get(leaf) {
            leaf.add(tally, self.steps, std::slice::from_ref(span), &|| false);
        }
    }

    /// Adds a single span that the leaf selects; correct only for a leaf with a trace pushdown.
    pub fn add_selected_span(&self, leaf: usize, tally: &mut Tally, span: &Span) {
        if let Some(leaf) = self.leaves.get(leaf) {
            leaf.add_selected(tally, self.steps, span);
        }
    }

    /// The series ordered by labels, and whether they are complete. Expects one tally per leaf, in order. Fails if the
    /// result exceeds the memory limits.
    pub fn finish(self, tallies: Vec<Tally>) -> Result<(Vec<Series>, bool), QueryError> {
        let mut budget = SampleBudget::new(self.limits.samples);
        let mut is_complete = tallies.len() == self.leaves.len();
        let mut leaves: Vec<Vec<Series>> = Vec::with_capacity(self.leaves.len());
        for (leaf, tally) in self.leaves.iter().zip(tallies) {
            let (series, all) = tally_series::series(leaf, self.steps, tally, &mut budget)?;
            is_complete &= all;
            leaves.push(series);
        }
        leaves.resize(self.leaves.len(), Vec::new());
        let mut series = match evaluate_node(&self.root, self.steps, &mut leaves) {
            ArithmeticOperand::Series(series) => series,
            ArithmeticOperand::Number(_) => Vec::new(),
        };
        series.sort_by(by_labels);
        Ok((series, is_complete))
    }
}

fn node(metrics: &MetricsExpr, aliases: Aliases, leaves: &mut Vec<MetricsLeaf>) -> Result<MetricsNode, QueryError> {
    Ok(match metrics {
        MetricsExpr::Number(number) => MetricsNode::Number(*number),
        MetricsExpr::Query(query) => {
            leaves.push(MetricsLeaf::new(query, aliases)?);
            MetricsNode::Leaf { index: leaves.len() - 1, then: query.then.clone() }
        }
        MetricsExpr::Computed { op, left, right, then } => MetricsNode::Computed {
            op: *op,
            left: Box::new(node(left, aliases, leaves)?),
            right: Box::new(node(right, aliases, leaves)?),
            then: then.clone(),
        },
    })
}

fn evaluate_node(node: &MetricsNode, steps: Steps, leaves: &mut [Vec<Series>]) -> ArithmeticOperand {
    let (value, then) = match node {
        MetricsNode::Number(number) => return ArithmeticOperand::Number(*number),
        MetricsNode::Leaf { index, then } => {
            (ArithmeticOperand::Series(leaves.get_mut(*index).map(std::mem::take).unwrap_or_default()), then)
        }
        MetricsNode::Computed { op, left, right, then } => {
            (compute(*op, evaluate_node(left, steps, leaves), evaluate_node(right, steps, leaves)), then)
        }
    };
    match value {
        ArithmeticOperand::Series(series) => ArithmeticOperand::Series(apply_stages(series, then, steps)),
        number => number,
    }
}
