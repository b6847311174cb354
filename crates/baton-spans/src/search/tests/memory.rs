//! A segment with an exact index: a set contains a trace only if one of its spans meets the predicate. A search that is
//! correct with it is correct with every index that returns at least as much.

use super::naive::expr;
use crate::{
    codec::SpanParts,
    segment::{AttributeNames, Segment, SegmentSummary, TableVisitor, TracePart},
};
use baton_span_ports::{SpanStoreError, TimeRange};
use baton_traceql::{
    Aliases, AttributeRef, AttributeScope, BinaryOp, CompareOp, Field, FieldExpr, Intrinsic, Literal, SpanPredicate,
};
use baton_types::{Span, SpanClass, SpanValue, TraceId};
use roaring::RoaringBitmap;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    ops::{ControlFlow, Range},
    sync::Arc,
};

pub(super) struct Memory {
    traces: Vec<(TracePart, Vec<Span>)>,
    newest_first: bool,
}

impl Memory {
    /// As a block: newest trace first.
    pub(super) fn block(spans: &[Span]) -> Arc<dyn Segment> {
        let mut traces = traces(spans);
        traces.sort_by_key(|(part, _)| Reverse(part.start));
        Arc::new(Self { traces, newest_first: true })
    }

    /// As a head: traces in insertion order.
    pub(super) fn head(spans: &[Span]) -> Arc<dyn Segment> {
        Arc::new(Self { traces: traces(spans), newest_first: false })
    }
}

fn traces(spans: &[Span]) -> Vec<(TracePart, Vec<Span>)> {
    let mut traces: Vec<(TracePart, Vec<Span>)> = Vec::new();
    for span in spans {
        match traces.iter_mut().find(|(part, _)| part.id == span.trace) {
            Some((part, known)) => {
                part.start = part.start.min(span.start);
                part.end = part.end.max(span.end).max(span.start);
                known.push(span.clone());
            }
            None => {
                traces.push((
                    TracePart { id: span.trace, start: span.start, end: span.end.max(span.start) },
                    vec![span.clone()],
                ));
            }
        }
    }
    traces
}

fn meets(need: &SpanPredicate, span: &Span) -> bool {
    let holds = |field: &Field, op: CompareOp, value: &Literal| {
        if depends_on_trace(field) {
            return true;
        }
        let expr = FieldExpr::Binary {
            op: BinaryOp::Compare(op),
            left: Box::new(FieldExpr::Field(field.clone())),
            right: Box::new(FieldExpr::Literal(value.clone())),
        };
        expr::evaluate(&expr, std::slice::from_ref(span), 0).is_true()
    };
    match need {
        SpanPredicate::Anything => true,
        SpanPredicate::Nothing => false,
        SpanPredicate::All(needs) => needs.iter().all(|need| meets(need, span)),
        SpanPredicate::Any(needs) => needs.iter().any(|need| meets(need, span)),
        SpanPredicate::Holds(comparison) => holds(&comparison.field, comparison.op, &comparison.value),
        SpanPredicate::Exists(field) => holds(field, CompareOp::NotEqual, &Literal::Nil),
    }
}

/// Whether a field depends on the whole trace and cannot be evaluated on one span.
fn depends_on_trace(field: &Field) -> bool {
    match field {
        Field::Attribute(attribute) => attribute.of_parent,
        Field::Intrinsic(intrinsic) => matches!(
            intrinsic,
            Intrinsic::ChildCount
                | Intrinsic::TraceDuration
                | Intrinsic::RootName
                | Intrinsic::RootService
                | Intrinsic::NestedSetLeft
                | Intrinsic::NestedSetRight
                | Intrinsic::NestedSetParent
        ),
    }
}

impl Segment for Memory {
    fn summary(&self) -> SegmentSummary {
        SegmentSummary {
            class: SpanClass::Telemetry,
            spans: self.traces.iter().map(|(_, spans)| spans.len() as u64).sum(),
            start: self.traces.iter().map(|(part, _)| part.start).min().unwrap_or_default(),
            end: self.traces.iter().map(|(part, _)| part.end).max().unwrap_or_default(),
            bytes: 0,
        }
    }

    fn traces(&self) -> u32 {
        self.traces.len() as u32
    }

    fn newest_first(&self) -> bool {
        self.newest_first
    }

    fn window(&self, range: TimeRange) -> Result<Range<u32>, SpanStoreError> {
        let touching = |(part, _): &(TracePart, Vec<Span>)| range.overlaps(part.start, part.end);
        let first = self.traces.iter().position(touching);
        let last = self.traces.iter().rposition(touching);
        Ok(first.zip(last).map_or(0..0, |(first, last)| first as u32..last as u32 + 1))
    }

    fn matching_traces(&self, need: &SpanPredicate, _: Aliases) -> Result<RoaringBitmap, SpanStoreError> {
        let having =
            self.traces.iter().enumerate().filter(|(_, (_, spans))| spans.iter().any(|span| meets(need, span)));
        Ok(having.map(|(ordinal, _)| ordinal as u32).collect())
    }

    fn part(&self, ordinal: u32) -> Result<TracePart, SpanStoreError> {
        Ok(self.traces[ordinal as usize].0)
    }

    fn ordinal(&self, trace: TraceId) -> Result<Option<u32>, SpanStoreError> {
        Ok(self.traces.iter().position(|(part, _)| part.id == trace).map(|ordinal| ordinal as u32))
    }

    fn each_span(
        &self,
        ordinal: u32,
        _: &SpanParts,
        each: &mut dyn FnMut(Span) -> ControlFlow<()>,
    ) -> Result<u64, SpanStoreError> {
        let read = self.traces[ordinal as usize].1.iter().take_while(|span| each((*span).clone()).is_continue());
        Ok(read.count() as u64)
    }

    fn table(&self, _: TableVisitor<'_>) -> Result<bool, SpanStoreError> {
        Ok(false)
    }

    fn each_span_in(
        &self,
        rows: &RoaringBitmap,
        _: &SpanParts,
        _: &mut dyn FnMut(Span) -> ControlFlow<()>,
    ) -> Result<u64, SpanStoreError> {
        assert!(rows.is_empty(), "this segment has no rows");
        Ok(0)
    }

    fn names(&self) -> Result<AttributeNames, SpanStoreError> {
        let mut names = BTreeSet::new();
        for span in self.traces.iter().flat_map(|(_, spans)| spans) {
            names.extend(span.attributes.iter().map(|(key, _)| (AttributeScope::Span, key.to_string())));
            names.extend(span.resource.attributes.iter().map(|(key, _)| (AttributeScope::Resource, key.to_string())));
            names.extend(
                span.scope.attributes.iter().map(|(key, _)| (AttributeScope::Instrumentation, key.to_string())),
            );
            let events = span.events.iter().flat_map(|event| &event.attributes);
            names.extend(events.map(|(key, _)| (AttributeScope::Event, key.to_string())));
            let links = span.links.iter().flat_map(|link| &link.attributes);
            names.extend(links.map(|(key, _)| (AttributeScope::Link, key.to_string())));
        }
        Ok(names.into_iter().collect())
    }

    fn values(
        &self,
        field: &Field,
        of: Option<&RoaringBitmap>,
        limit: usize,
    ) -> Result<Vec<(SpanValue, u64)>, SpanStoreError> {
        let Field::Attribute(AttributeRef { scope: AttributeScope::Span, name, .. }) = field else {
            return Ok(Vec::new());
        };
        let mut counts: BTreeMap<String, (SpanValue, u64)> = BTreeMap::new();
        for (ordinal, (_, spans)) in self.traces.iter().enumerate() {
            if of.is_none_or(|of| of.contains(ordinal as u32)) {
                for value in spans.iter().filter_map(|span| span.attribute(name)) {
                    counts.entry(format!("{value:?}")).or_insert((value.clone(), 0)).1 += 1;
                }
            }
        }
        Ok(counts.into_values().take(limit).collect())
    }
}
