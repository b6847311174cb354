//! Collects all spans of a trace from all segments.

use super::budget::QueryBudget;
use crate::{
    codec::{self, SpanParts},
    segment::Segment,
};
use baton_span_ports::SpanStoreError;
use baton_types::{Span, SpanId, TraceId};
use std::{
    collections::{HashMap, HashSet, hash_map::Entry},
    ops::ControlFlow,
    sync::Arc,
};

/// Number of spans between two deadline checks.
const DEADLINE_CHECK_INTERVAL: u64 = 1_024;

/// Outcome of collecting a trace.
pub(super) enum GatherOutcome {
    /// Its spans without duplicates, by start time.
    Whole(Vec<Span>),
    /// The trace exceeds the size limit.
    TooLarge,
    OutOfTime,
}

/// All spans of a trace without duplicates, by start time; empty if the trace is unknown.
pub(crate) fn trace(
    segments: &[Arc<dyn Segment>],
    id: TraceId,
    budget: &QueryBudget,
) -> Result<Vec<Span>, SpanStoreError> {
    let ordinals = segments.iter().map(|segment| segment.ordinal(id)).collect::<Result<Vec<_>, _>>()?;
    match gather(segments, &ordinals, budget)?.0 {
        GatherOutcome::Whole(spans) => Ok(spans),
        GatherOutcome::TooLarge => Err(SpanStoreError::TooLarge(format!(
            "the trace {id} is too large: the limit is {} spans and {} MiB",
            budget.spans,
            budget.bytes >> 20
        ))),
        GatherOutcome::OutOfTime => {
            Err(SpanStoreError::Unavailable(format!("the trace {id} could not be read in time")))
        }
    }
}

/// The spans under these ordinals, and the number of bytes read.
pub(super) fn gather(
    segments: &[Arc<dyn Segment>],
    ordinals: &[Option<u32>],
    budget: &QueryBudget,
) -> Result<(GatherOutcome, u64), SpanStoreError> {
    gather_parts(segments, ordinals, &SpanParts::ALL, budget)
}

/// The spans under these ordinals, restricted to the given parts, and the number of bytes read.
pub(super) fn gather_parts(
    segments: &[Arc<dyn Segment>],
    ordinals: &[Option<u32>],
    parts: &SpanParts,
    budget: &QueryBudget,
) -> Result<(GatherOutcome, u64), SpanStoreError> {
    let mut gathering = TraceCollector::default();
    let mut bytes = 0;
    for (segment, ordinal) in segments.iter().zip(ordinals) {
        let Some(ordinal) = ordinal else { continue };
        let mut ended = None;
        bytes += segment.each_span(*ordinal, parts, &mut |span| {
            gathering.add(span);
            ended = gathering.check_limits(budget);
            if ended.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if let Some(ended) = ended {
            return Ok((ended, bytes));
        }
    }
    let mut spans = gathering.spans;
    spans.sort_by_key(|span| (span.start, span.id));
    Ok((GatherOutcome::Whole(spans), bytes))
}

#[derive(Default)]
struct TraceCollector {
    spans: Vec<Span>,
    known: HashMap<SpanId, usize>,
    /// Addresses of resources and scopes, so that each is counted once.
    shared: HashSet<usize>,
    bytes: usize,
    read: u64,
}

impl TraceCollector {
    /// Spans with the same id are duplicates; the one that ended last is kept, because it may be more complete.
    fn add(&mut self, span: Span) {
        self.read += 1;
        match self.known.entry(span.id) {
            Entry::Vacant(vacant) => {
                vacant.insert(self.spans.len());
                self.bytes += codec::weight(&span) + self.weight_of_shared(&span);
                self.spans.push(span);
            }
            Entry::Occupied(at) if span.end > self.spans[*at.get()].end => {
                let at = *at.get();
                self.bytes += codec::weight(&span) + self.weight_of_shared(&span);
                self.bytes -= codec::weight(&self.spans[at]);
                self.spans[at] = span;
            }
            Entry::Occupied(_) => {}
        }
    }

    fn weight_of_shared(&mut self, span: &Span) -> usize {
        let resource = self.shared.insert(Arc::as_ptr(&span.resource).addr());
        let scope = self.shared.insert(Arc::as_ptr(&span.scope).addr());
        let weight_if = |new: bool, attributes| if new { codec::attributes_weight(attributes) } else { 0 };
        weight_if(resource, &span.resource.attributes) + weight_if(scope, &span.scope.attributes)
    }

    fn check_limits(&self, budget: &QueryBudget) -> Option<GatherOutcome> {
        if self.spans.len() > budget.spans || self.bytes > budget.bytes {
            return Some(GatherOutcome::TooLarge);
        }
        (self.read.is_multiple_of(DEADLINE_CHECK_INTERVAL) && budget.is_expired()).then_some(GatherOutcome::OutOfTime)
    }
}
