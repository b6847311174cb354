//! Reads the spans that answer a query through, trace by trace.

use super::{
    budget::Budget,
    candidates::{Candidates, Next},
    gather::{Gathered, gather},
    plan::Plan,
    stop::StopFlag,
};
use crate::{codec, segment::Segment};
use baton_ports::{SpanReadItem, SpanReadRequest, SpanStoreError};
use baton_traceql::{Aliases, Prepared, Trace, need};
use baton_types::Span;
use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

/// Most spans that are given at once.
const MOST_SPANS: usize = 1_024;
/// About how many bytes of memory they take at most.
const MOST_BYTES: usize = 1 << 20;
/// How long a reading may take in all: whoever takes spans that slowly has forgotten them.
const LONGEST: Duration = Duration::from_hours(24);

/// Takes what is read, and says whether there is to be more.
pub(crate) trait Taker {
    fn take(&mut self, read: SpanReadItem) -> ControlFlow<()>;

    /// Whether nobody wants any more, which is asked between any two traces.
    fn is_gone(&self) -> bool;
}

/// Gives the spans that answer a query and began in its time, each once, traces that began last first; each trace has a
/// budget of its own.
pub(crate) fn read(
    segments: &[Arc<dyn Segment>],
    ask: &SpanReadRequest,
    (budget, stop): (&dyn Fn() -> Budget, &StopFlag),
    taker: &mut dyn Taker,
) -> Result<(), SpanStoreError> {
    let aliases = if ask.aliases { Aliases(baton_telemetry::ALIASES) } else { Aliases::NONE };
    let query = Prepared::new(&ask.query, aliases)?;
    let overall = Budget { stop: stop.clone(), ..Budget::until(Instant::now() + LONGEST) };
    let late = || SpanStoreError::Unavailable("spans could not be read in time".to_owned());
    let plan = Plan::new(&need(&ask.query, aliases), segments, aliases, &overall)?;
    let mut candidates = Candidates::new(segments, &plan, ask.range, &overall)?.ok_or_else(late)?;
    let mut batch = Batch::default();
    while !taker.is_gone() {
        let candidate = match candidates.next(0)? {
            Next::Candidate(candidate) => candidate,
            Next::Done => {
                if !batch.spans.is_empty() {
                    // There is nothing more, so it does not matter what is said to that.
                    let _ = taker.take(SpanReadItem::Spans(batch.spans));
                }
                return Ok(());
            }
            Next::OutOfTime => return Err(late()),
        };
        let budget = Budget { stop: stop.clone(), ..budget() };
        let spans = match gather(segments, &candidate.ordinals, &budget)?.0 {
            Gathered::Whole(spans) => spans,
            Gathered::TooLarge | Gathered::OutOfTime => {
                if taker.take(SpanReadItem::Skipped(candidate.id)).is_break() {
                    return Ok(());
                }
                continue;
            }
        };
        let trace = Trace { spans };
        let is_late = || budget.is_late();
        let Some(answer) = query.answer(&trace, &is_late) else {
            if taker.take(SpanReadItem::Skipped(candidate.id)).is_break() {
                return Ok(());
            }
            continue;
        };
        let mut wanted = vec![false; trace.spans.len()];
        for index in answer.spansets().iter().flat_map(|spanset| &spanset.spans) {
            if let Some(wanted) = wanted.get_mut(*index) {
                *wanted = true;
            }
        }
        drop(answer);
        for (span, _) in trace
            .spans
            .into_iter()
            .zip(wanted)
            .filter(|(span, wanted)| *wanted && ask.range.start <= span.start && span.start <= ask.range.end)
        {
            if batch.add(span).is_some_and(|full| taker.take(SpanReadItem::Spans(full)).is_break()) {
                return Ok(());
            }
        }
    }
    Ok(())
}

#[derive(Default)]
struct Batch {
    spans: Vec<Span>,
    bytes: usize,
}

impl Batch {
    /// Adds a span; what is full is given back.
    fn add(&mut self, span: Span) -> Option<Vec<Span>> {
        self.bytes += codec::weight(&span);
        self.spans.push(span);
        if self.spans.len() < MOST_SPANS && self.bytes < MOST_BYTES {
            return None;
        }
        self.bytes = 0;
        Some(std::mem::take(&mut self.spans))
    }
}
