//! A metrics query that is ready to be measured.

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

/// A metrics query that is ready to be measured over some intervals: it was checked, and its regular expressions are
/// compiled.
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
    /// Checks a query and works out what does not depend on spans.
    pub fn new(query: &Query, aliases: Aliases, steps: Steps, limits: Limits) -> Result<Self, QueryError> {
        check_metrics(query)?;
        let Root::Metrics(metrics) = &query.root else {
            return Err(QueryError::Invalid("the query has no metrics function".to_owned()));
        };
        let mut leaves = Vec::new();
        let root = node(metrics, aliases, &mut leaves)?;
        Ok(Self { leaves, root, steps, limits: limits.hinted(query) })
    }

    /// How many leaves there are: pipelines that each end in a metrics function. They are known by their index.
    pub fn leaves(&self) -> usize {
        self.leaves.len()
    }

    /// The intervals.
    pub fn steps(&self) -> Steps {
        self.steps
    }

    /// Most spans that stand for others, in each series: what was allowed, or what the query itself says.
    pub fn exemplars(&self) -> usize {
        self.limits.exemplars
    }

    /// What every trace has that a leaf counts something of.
    pub fn need(&self, leaf: usize) -> TraceNeed {
        self.leaves.get(leaf).map_or(TraceNeed::Anything, Leaf::need)
    }

    /// What to count, if spans can be counted one by one without the rest of their trace.
    pub fn direct(&self, leaf: usize) -> Option<Direct<'_>> {
        self.leaves.get(leaf).and_then(Leaf::direct)
    }

    /// An empty tally for a leaf.
    pub fn tally(&self, leaf: usize) -> Tally {
        Tally::new(self.leaves.get(leaf), self.steps.count(), self.limits)
    }

    /// Counts what a complete trace has for a leaf, of spans that began in one of the intervals. `late` is asked often;
    /// says whether there was time for all of it.
    pub fn add_trace(&self, leaf: usize, tally: &mut Tally, trace: &Trace, late: &dyn Fn() -> bool) -> bool {
        self.leaves.get(leaf).is_none_or(|leaf| leaf.add(tally, self.steps, &trace.spans, late))
    }

    /// Counts one span by itself, which is right only for a leaf that is [`Measure::direct`].
    pub fn add_span(&self, leaf: usize, tally: &mut Tally, span: &Span) {
        if let Some(leaf) = self.leaves.get(leaf) {
            leaf.add(tally, self.steps, std::slice::from_ref(span), &|| false);
        }
    }

    /// The series by their labels, and whether everything was counted; one tally for each leaf, in their order. Fails when
    /// that takes more memory than the limits allow.
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
