//! Counts spans that are selected by their place in the trace, without reading the spans of most traces.
//!
//! The selection is evaluated on rows, segment by segment. Traces with spans in several segments, and traces that the
//! index does not decide, are read.

use super::{
    LeafCounter, LeafFields, MetricsContext, duplicates::WholeTraces, rows::RowSource, trace_rows::TraceRowEvaluator,
};
use crate::{
    index::{RowSelection, RowTable},
    search::{
        budget::MemoryReservation,
        plan::{TracePlan, size},
        window::windows,
    },
};
use baton_span_ports::SpanStoreError;
use baton_traceql::SpansetPushdown;
use roaring::RoaringBitmap;
use std::ops::Range;

/// Reading a trace takes as long as evaluating this many rows.
const ROWS_PER_TRACE_READ: u64 = 500;
/// Number of traces between two deadline checks.
const DEADLINE_CHECK_INTERVAL: usize = 4_096;
/// Working memory per trace that is read, in bytes.
const BYTES_PER_WHOLE_TRACE: usize = 96;
/// If more traces must be read, rows save little: all candidates are read, without a list of them.
const MAX_WHOLE_TRACES: usize = 1 << 17;

/// Result for the traces of a segment.
struct SegmentSelection {
    rows: RowSelection,
    /// Traces of which a row may be selected, complete or not.
    candidates: Vec<u32>,
    /// Those of the candidates that must be read.
    undecided: RoaringBitmap,
}

impl LeafCounter<'_> {
    /// Counts the spans of a selection.
    pub(super) fn count_spansets(
        &mut self,
        spans: &SpansetPushdown<'_>,
        fields: LeafFields<'_>,
    ) -> Result<(), SpanStoreError> {
        let context = self.context;
        let plan = self.plan()?;
        if !self.is_worth_evaluating_rows(&plan, spans)? {
            return self.count_candidates(&plan);
        }
        let mut room = context.budget.reserve(0)?;
        let mut whole = WholeTraces::new(context.segments.len());
        let mut selections: Vec<Option<RowSelection>> = Vec::with_capacity(context.segments.len());
        for number in 0..context.segments.len() {
            if !is_in_time(context, number) {
                selections.push(None);
                continue;
            }
            let selection = select_rows(context, number, spans)?;
            let found = match &selection {
                Some(selection) => find_whole_traces(context, number, selection, &mut whole, &mut room)?,
                None => None,
            };
            if found.is_none() {
                self.mark_partial();
                return Ok(());
            }
            if whole.traces.len() > MAX_WHOLE_TRACES {
                drop((selections, room));
                return self.count_candidates(&plan);
            }
            let rows = selection.map(|selection| selection.rows);
            room.grow(rows.as_ref().map_or(0, |rows| rows.rows.len() / 8))?;
            selections.push(rows);
        }
        for (number, selection) in selections.iter().enumerate() {
            let Some(selection) = selection else { continue };
            if self.is_late() {
                return Ok(());
            }
            let rows = |_: &dyn RowTable| selection.rows.clone();
            self.count_rows(number, &rows, RowSource::Selected(selection), fields, &whole)?;
        }
        self.count_whole_traces(&plan, &whole)
    }

    /// Whether evaluating all rows is possible, and faster than reading the traces that may meet the plan.
    fn is_worth_evaluating_rows(&self, plan: &TracePlan, spans: &SpansetPushdown<'_>) -> Result<bool, SpanStoreError> {
        let context = self.context;
        let Some(windows) = windows(context.segments, context.time, context.budget)? else { return Ok(false) };
        let traces = size(&plan.drivers(context.segments)).min(size(&windows));
        let mut rows = 0;
        for (number, (segment, window)) in context.segments.iter().zip(&windows).enumerate() {
            // Rows are evaluated in every segment of that time, also if no trace of it is.
            if !is_in_time(context, number) {
                continue;
            }
            let ordinals = window.min().unwrap_or_default()..window.max().map_or(0, |last| last + 1);
            let mut has_columns = false;
            segment.table(&mut |table| {
                rows += table.rows_between(ordinals.clone()).len() as u64;
                has_columns = table.has_parents() || !spans.has_relations();
                Ok(())
            })?;
            if !has_columns {
                return Ok(false);
            }
        }
        Ok(traces * ROWS_PER_TRACE_READ >= rows)
    }
}

fn is_in_time(context: MetricsContext<'_>, number: usize) -> bool {
    let summary = context.segments[number].summary();
    context.time.overlaps(summary.start, summary.end)
}

/// Evaluates a selection on the traces of a segment; `None` if the deadline has passed.
fn select_rows(
    context: MetricsContext<'_>,
    number: usize,
    spans: &SpansetPushdown<'_>,
) -> Result<Option<SegmentSelection>, SpanStoreError> {
    let MetricsContext { segments, aliases, time, budget, .. } = context;
    let segment = &segments[number];
    let window = segment.window(time)?;
    let is_late = || budget.is_expired();
    let mut result = None;
    segment.table(&mut |table| {
        let rows: Range<u32> = table.rows_between(window.clone());
        let _room = budget.reserve(rows.len() * TraceRowEvaluator::BYTES_PER_ROW)?;
        // All rows of a head are evaluated, so all its traces must be, too.
        let ordinals = if segment.newest_first() { window.clone() } else { 0..table.traces() };
        let mut evaluator = TraceRowEvaluator::new(table, aliases, (ordinals.clone(), rows), &is_late);
        let Some(selected) = evaluator.select(spans)? else { return Ok(()) };
        let repeating = table.traces_with_duplicates();
        let (mut candidates, mut undecided) = (Vec::new(), Vec::new());
        table.each_trace(ordinals, &mut |ordinal, rows| {
            if rows.iter().any(|row| selected.bound.has(*row)) {
                candidates.push(ordinal);
                if repeating.contains(ordinal) || rows.iter().any(|row| evaluator.undecided.has(*row)) {
                    undecided.push(ordinal);
                }
            }
        });
        result =
            Some(SegmentSelection { rows: selected.exact, candidates, undecided: undecided.into_iter().collect() });
        Ok(())
    })?;
    Ok(result)
}

/// Adds the candidates that are undecided or have spans in other segments; `None` if the deadline has passed.
fn find_whole_traces(
    context: MetricsContext<'_>,
    number: usize,
    selection: &SegmentSelection,
    whole: &mut WholeTraces,
    room: &mut MemoryReservation<'_>,
) -> Result<Option<()>, SpanStoreError> {
    let MetricsContext { segments, budget, .. } = context;
    let is_only = segments.len() == 1;
    let mut parts = Vec::with_capacity(segments.len());
    for (looked, ordinal) in selection.candidates.iter().enumerate() {
        if looked % DEADLINE_CHECK_INTERVAL == 0 && budget.is_expired() {
            return Ok(None);
        }
        parts.clear();
        if !is_only {
            let id = segments[number].part(*ordinal)?.id;
            for (other, segment) in segments.iter().enumerate() {
                let found = if other == number { Some(*ordinal) } else { segment.ordinal(id)? };
                parts.extend(found.map(|found| (other as u32, found)));
            }
        } else {
            parts.push((number as u32, *ordinal));
        }
        if parts.len() > 1 || selection.undecided.contains(*ordinal) {
            room.grow(BYTES_PER_WHOLE_TRACE)?;
            whole.add(parts.iter().copied());
        }
    }
    Ok(Some(()))
}
