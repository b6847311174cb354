//! Streams all spans that match a query, trace by trace.

use super::{
    budget::QueryBudget,
    candidates::{CandidateStep, TraceCandidates},
    gather::{GatherOutcome, gather},
    plan::TracePlan,
    stop::StopFlag,
};
use crate::{codec, segment::Segment};
use baton_span_ports::{SpanReadItem, SpanReadRequest, SpanStoreError};
use baton_traceql::{Aliases, SearchPlan, TraceSpans, pushdown_predicate};
use baton_types::Span;
use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

/// Maximum number of spans per batch.
const MAX_BATCH_SPANS: usize = 1_024;
/// Approximate maximum memory of a batch in bytes.
const MAX_BATCH_BYTES: usize = 1 << 20;
/// Time limit of a whole read; a slower consumer is assumed to be abandoned.
const MAX_READ_DURATION: Duration = Duration::from_hours(24);

/// Receives the batches of a read; breaks to stop.
pub(crate) trait ReadSink {
    fn take(&mut self, read: SpanReadItem) -> ControlFlow<()>;

    /// Whether the consumer is gone; checked between any two traces.
    fn is_closed(&self) -> bool;
}

/// Passes the matching spans that began in the time range to the sink, each once, traces that began last first. Each
/// trace has its own budget.
pub(crate) fn read(
    segments: &[Arc<dyn Segment>],
    ask: &SpanReadRequest,
    (budget, stop): (&dyn Fn() -> QueryBudget, &StopFlag),
    sink: &mut dyn ReadSink,
) -> Result<(), SpanStoreError> {
    let aliases = if ask.aliases { Aliases(baton_telemetry::ALIASES) } else { Aliases::NONE };
    let query = SearchPlan::new(&ask.query, aliases)?;
    let overall = QueryBudget { stop: stop.clone(), ..QueryBudget::with_deadline(Instant::now() + MAX_READ_DURATION) };
    let late = || SpanStoreError::Unavailable("spans could not be read in time".to_owned());
    let plan = TracePlan::new(&pushdown_predicate(&ask.query, aliases), segments, aliases, &overall)?;
    let mut candidates = TraceCandidates::new(segments, &plan, ask.range, &overall)?.ok_or_else(late)?;
    let mut batch = SpanReadBatch::default();
    while !sink.is_closed() {
        let candidate = match candidates.next(0)? {
            CandidateStep::Candidate(candidate) => candidate,
            CandidateStep::Done => {
                if !batch.spans.is_empty() {
                    // This is the last batch, so the result is irrelevant.
                    let _ = sink.take(SpanReadItem::Spans(batch.spans));
                }
                return Ok(());
            }
            CandidateStep::OutOfTime => return Err(late()),
        };
        let budget = QueryBudget { stop: stop.clone(), ..budget() };
        let spans = match gather(segments, &candidate.ordinals, &budget)?.0 {
            GatherOutcome::Whole(spans) => spans,
            GatherOutcome::TooLarge | GatherOutcome::OutOfTime => {
                if sink.take(SpanReadItem::Skipped(candidate.id)).is_break() {
                    return Ok(());
                }
                continue;
            }
        };
        let trace = TraceSpans { spans };
        let is_late = || budget.is_expired();
        let Some(answer) = query.answer(&trace, &is_late) else {
            if sink.take(SpanReadItem::Skipped(candidate.id)).is_break() {
                return Ok(());
            }
            continue;
        };
        let mut selected = vec![false; trace.spans.len()];
        for index in answer.spansets().iter().flat_map(|spanset| &spanset.spans) {
            if let Some(selected) = selected.get_mut(*index) {
                *selected = true;
            }
        }
        drop(answer);
        for (span, _) in trace
            .spans
            .into_iter()
            .zip(selected)
            .filter(|(span, selected)| *selected && ask.range.start <= span.start && span.start <= ask.range.end)
        {
            if batch.add(span).is_some_and(|full| sink.take(SpanReadItem::Spans(full)).is_break()) {
                return Ok(());
            }
        }
    }
    Ok(())
}

#[derive(Default)]
struct SpanReadBatch {
    spans: Vec<Span>,
    bytes: usize,
}

impl SpanReadBatch {
    /// Adds a span; returns the batch when it is full.
    fn add(&mut self, span: Span) -> Option<Vec<Span>> {
        self.bytes += codec::weight(&span);
        self.spans.push(span);
        if self.spans.len() < MAX_BATCH_SPANS && self.bytes < MAX_BATCH_BYTES {
            return None;
        }
        self.bytes = 0;
        Some(std::mem::take(&mut self.spans))
    }
}
