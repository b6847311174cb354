//! A compiled metrics query.

use super::{
    arithmetic::{Computed, computed},
    leaf::{Direct, Leaf},
    limits::{Limits, SampleBudget},
    lines,
    second::kept,
    series::{Series, by_labels},
    steps::Steps,
    tally::Tally,
};
use crate::{
    Aliases, ArithmeticOp, MetricsExpr, Query, QueryError, Root, SecondStage, Trace, TraceNeed, check_metrics,
};
use baton_types::Span;

/// A checked metrics query with compiled regular expressions, for a sequence of intervals.
#[derive(Debug)]
pub struct Measure {
    leaves: Vec<Leaf>,
    root: Node,
    steps: Steps,
    limits: Limits,
}

#[derive(Debug)]
enum Node {
    Leaf { index: usize, then: Vec<SecondStage> },
    Number(f64),
    Computed { op: ArithmeticOp, left: Box<Node>, right: Box<Node>, then: Vec<SecondStage> },
}

impl Measure {
    /// Checks and compiles a query.
    pub fn new(query: &Query, aliases: Aliases, steps: Steps, limits: Limits) -> Result<Self, QueryError> {
        check_metrics(query)?;
        let Root::Metrics(metrics) = &query.root else {
            return Err(QueryError::Invalid("the query has no metrics function".to_owned()));
        };
        let mut leaves = Vec::new();
        let root = node(metrics, aliases, &mut leaves)?;
        Ok(Self { leaves, root, steps, limits: limits.hinted(query) })
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
    pub fn need(&self, leaf: usize) -> TraceNeed {
        self.leaves.get(leaf).map_or(TraceNeed::Anything, Leaf::need)
    }

    /// The aggregation to push down, if spans can be counted one by one without the rest of their trace.
    pub fn direct(&self, leaf: usize) -> Option<Direct<'_>> {
        self.leaves.get(leaf).and_then(Leaf::direct)
    }

    /// An empty tally for a leaf.
    pub fn tally(&self, leaf: usize) -> Tally {
        Tally::new(self.leaves.get(leaf), self.steps.count(), self.limits)
    }

    /// Adds the spans of a complete trace that start in one of the intervals. `late` is called often; returns false if
    /// the deadline passed before all spans were added.
    pub fn add_trace(&self, leaf: usize, tally: &mut Tally, trace: &Trace, late: &dyn Fn() -> bool) -> bool {
        self.leaves.get(leaf).is_none_or(|leaf| leaf.add(tally, self.steps, &trace.spans, late))
    }

    /// Adds a single span; correct only for a leaf with a pushdown.
    pub fn add_span(&self, leaf: usize, tally: &mut Tally, span: &Span) {
        if let Some(leaf) = self.leaves.get(leaf) {
            leaf.add(tally, self.steps, std::slice::from_ref(span), &|| false);
        }
    }

    /// The series ordered by labels, and whether they are complete. Expects one tally per leaf, in order. Fails if the
    /// result exceeds the memory limits.
    pub fn finish(self, tallies: Vec<Tally>) -> Result<(Vec<Series>, bool), QueryError> {
        let mut budget = SampleBudget::new(self.limits.samples);
        let mut whole = tallies.len() == self.leaves.len();
        let mut leaves: Vec<Vec<Series>> = Vec::with_capacity(self.leaves.len());
        for (leaf, tally) in self.leaves.iter().zip(tallies) {
            let (series, all) = lines::series(leaf, self.steps, tally, &mut budget)?;
            whole &= all;
            leaves.push(series);
        }
        leaves.resize(self.leaves.len(), Vec::new());
        let mut series = match finished(&self.root, self.steps, &mut leaves) {
            Computed::Series(series) => series,
            Computed::Number(_) => Vec::new(),
        };
        series.sort_by(by_labels);
        Ok((series, whole))
    }
}

fn node(metrics: &MetricsExpr, aliases: Aliases, leaves: &mut Vec<Leaf>) -> Result<Node, QueryError> {
    Ok(match metrics {
        MetricsExpr::Number(number) => Node::Number(*number),
        MetricsExpr::Query(query) => {
            leaves.push(Leaf::new(query, aliases)?);
            Node::Leaf { index: leaves.len() - 1, then: query.then.clone() }
        }
        MetricsExpr::Computed { op, left, right, then } => Node::Computed {
            op: *op,
            left: Box::new(node(left, aliases, leaves)?),
            right: Box::new(node(right, aliases, leaves)?),
            then: then.clone(),
        },
    })
}

fn finished(node: &Node, steps: Steps, leaves: &mut [Vec<Series>]) -> Computed {
    let (value, then) = match node {
        Node::Number(number) => return Computed::Number(*number),
        Node::Leaf { index, then } => {
            (Computed::Series(leaves.get_mut(*index).map(std::mem::take).unwrap_or_default()), then)
        }
        Node::Computed { op, left, right, then } => {
            (computed(*op, finished(left, steps, leaves), finished(right, steps, leaves)), then)
        }
    };
    match value {
        Computed::Series(series) => Computed::Series(kept(series, then, steps)),
        number => number,
    }
}
