//! Executes a metrics query.
//!
//! Most leaves count single spans: they are counted from the index, row by row, and only rows that the index cannot
//! decide are read. Leaves that select spans by their place in the trace are counted the same way, if the index decides
//! the conditions and the trace is in one segment. All other leaves and traces, and every trace that may contain a span
//! twice, are evaluated on whole traces.

mod duplicates;
mod exemplars;
mod groups;
mod intervals;
mod numbers;
mod rows;
mod spansets;
mod tally_groups;
mod trace_rows;
mod traces;

use super::budget::QueryBudget;
use crate::{codec::SpanParts, index::FieldSources, segment::Segment};
use baton_span_ports::{MetricsResult, SpanMetricsRequest, SpanStoreError, TimeRange};
use baton_traceql::{Aliases, Field, FieldExpr, MetricsLimits, MetricsPlan, SpansetPushdown, Tally};
use duplicates::DuplicateTraces;
use std::sync::Arc;

/// Executes a metrics query.
///
/// The result does not depend on the distribution of spans over segments, except for the choice of exemplars.
pub(crate) fn metrics(
    segments: &[Arc<dyn Segment>],
    ask: &SpanMetricsRequest,
    budget: &QueryBudget,
) -> Result<MetricsResult, SpanStoreError> {
    let aliases = if ask.aliases { Aliases(baton_telemetry::ALIASES) } else { Aliases::NONE };
    let limits = MetricsLimits {
        series: budget.series,
        exemplars: ask.exemplars,
        bytes: budget.tally_bytes,
        samples: budget.samples,
    };
    let leaves = MetricsPlan::new(&ask.query, aliases, ask.steps, limits)?.leaves();
    // The leaves share the memory limit.
    let limits = MetricsLimits { bytes: budget.tally_bytes / leaves.max(1), ..limits };
    let measure = MetricsPlan::new(&ask.query, aliases, ask.steps, limits)?;
    let steps = measure.steps();
    let end = steps.end_of(steps.count() - 1);
    let time = TimeRange { start: steps.start(), end: end.saturating_sub(1) };
    let parts = SpanParts::from_query(&ask.query, aliases);
    let context = MetricsContext { segments, measure: &measure, parts: &parts, aliases, time, budget };
    let mut answer = MetricsResult::default();
    let mut tallies = Vec::with_capacity(leaves);
    let mut once = None;
    for leaf in 0..leaves {
        let mut counting = LeafCounter { context, leaf, tally: measure.tally(leaf), answer: &mut answer };
        if let Some((filter, fields)) = single_spans(&measure, leaf, aliases) {
            if once.is_none() {
                once = DuplicateTraces::find(segments, time, budget)?;
            }
            match &once {
                Some(once) => counting.count_single_spans(filter, fields, once)?,
                None => counting.mark_partial(),
            }
        } else if let Some((spans, fields)) = spansets(&measure, leaf, aliases) {
            counting.count_spansets(&spans, fields)?;
        } else {
            counting.count_traces()?;
        }
        tallies.push(counting.tally);
    }
    let (series, is_complete) = measure.finish(tallies)?;
    answer.series = series;
    answer.partial |= !is_complete;
    Ok(answer)
}

/// Grouping fields and measured field of a leaf.
#[derive(Clone, Copy)]
struct LeafFields<'a> {
    by: &'a [Field],
    of: Option<&'a Field>,
}

impl LeafFields<'_> {
    fn are_indexed(&self, aliases: Aliases) -> bool {
        self.by.iter().chain(self.of).all(|field| FieldSources::from_field(field, aliases).is_some())
    }
}

/// The filter and the fields of a leaf that counts single spans from the index.
fn single_spans(measure: &MetricsPlan, leaf: usize, aliases: Aliases) -> Option<(Option<&FieldExpr>, LeafFields<'_>)> {
    let direct = measure.pushdown(leaf)?;
    let fields = LeafFields { by: direct.by, of: direct.of };
    fields.are_indexed(aliases).then_some((direct.filter, fields))
}

/// The selection and the fields of a leaf that counts spans of whole traces from the index.
fn spansets(measure: &MetricsPlan, leaf: usize, aliases: Aliases) -> Option<(SpansetPushdown<'_>, LeafFields<'_>)> {
    let pushdown = measure.trace_pushdown(leaf)?;
    let fields = LeafFields { by: pushdown.by, of: pushdown.of };
    fields.are_indexed(aliases).then_some((pushdown.spans, fields))
}

/// Inputs of a metrics query.
#[derive(Clone, Copy)]
struct MetricsContext<'a> {
    segments: &'a [Arc<dyn Segment>],
    measure: &'a MetricsPlan,
    /// Parts of spans that the query evaluates.
    parts: &'a SpanParts,
    aliases: Aliases,
    /// Spans that began in this range are counted.
    time: TimeRange,
    budget: &'a QueryBudget,
}

/// Counter for one leaf of a query.
struct LeafCounter<'a> {
    context: MetricsContext<'a>,
    leaf: usize,
    tally: Tally,
    answer: &'a mut MetricsResult,
}

impl LeafCounter<'_> {
    /// Whether the deadline has passed; if so, the result is marked as partial.
    fn is_late(&mut self) -> bool {
        let late = self.context.budget.is_expired();
        self.answer.partial |= late;
        late
    }

    fn mark_partial(&mut self) {
        self.answer.partial = true;
    }
}
