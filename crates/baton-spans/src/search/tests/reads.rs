//! Reading spans: each matching span is returned once, regardless of its segment.

use super::{
    answers::{plenty, span, trace_id},
    memory::Memory,
    naive::{
        self,
        dice::Dice,
        spans::{BASE, TICK},
    },
    search_equivalence::{bytes, run, stored},
};
use crate::{
    search::{QueryBudget, ReadSink, StopFlag, read},
    segment::Segment,
};
use baton_span_ports::{SpanReadItem, SpanReadRequest, SpanStoreError, TimeRange};
use baton_traceql::{Mode, Query, parse};
use baton_types::{SpanId, TraceId};
use proptest::prelude::*;
use std::{cell::Cell, collections::BTreeSet, ops::ControlFlow, sync::Arc, time::Instant};

/// Collects items up to a limit.
struct CollectingSink {
    taken: Vec<SpanReadItem>,
    max_items: usize,
    is_closed: bool,
}

impl CollectingSink {
    fn all() -> Self {
        Self { taken: Vec::new(), max_items: usize::MAX, is_closed: false }
    }

    fn spans(&self) -> Vec<(TraceId, SpanId)> {
        let spans = self.taken.iter().flat_map(|read| match read {
            SpanReadItem::Spans(spans) => spans.as_slice(),
            SpanReadItem::Skipped(_) => &[],
        });
        spans.map(|span| (span.trace, span.id)).collect()
    }
}

impl ReadSink for CollectingSink {
    fn take(&mut self, read: SpanReadItem) -> ControlFlow<()> {
        self.taken.push(read);
        if self.taken.len() < self.max_items { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn is_closed(&self) -> bool {
        self.is_closed
    }
}

fn ask(query: &str) -> SpanReadRequest {
    let query = Arc::new(parse(query, Mode::Strict).unwrap().query);
    SpanReadRequest { query, range: TimeRange::ALL, aliases: false }
}

#[test]
fn matching_spans_in_range_are_read_once() {
    let queries = prop::collection::vec(bytes(60), 30);
    run(48, 500, &(bytes(1_200), bytes(60), queries), |(spans, layouts, queries)| {
        let spans = naive::spans::spans(&mut Dice::new(&spans));
        let directory = tempfile::tempdir().expect("a directory");
        let segments = stored(&mut Dice::new(&layouts), directory.path(), &spans);
        let mut found = 0;
        for bytes in queries {
            let mut dice = Dice::new(&bytes);
            let start = BASE + dice.below(24) as u64 * TICK;
            let some = TimeRange { start, end: start + dice.below(6) as u64 * TICK };
            let range = if dice.one_in(2) { TimeRange::ALL } else { some };
            let query: Query = naive::queries::query(&mut dice);
            let ask = SpanReadRequest { query: Arc::new(query.clone()), range, aliases: false };
            let mut takes = CollectingSink::all();
            match read(&segments, &ask, (&plenty, &StopFlag::default()), &mut takes) {
                Err(SpanStoreError::Query(_)) => continue,
                read => read.map_err(|error| TestCaseError::fail(error.to_string()))?,
            }
            let began = |trace: TraceId, id: SpanId| {
                let span = spans.iter().find(|span| span.trace == trace && span.id == id);
                span.is_some_and(|span| range.start <= span.start && span.start <= range.end)
            };
            let answers = naive::answer(&query, &spans, TimeRange::ALL);
            let told = answers
                .iter()
                .flat_map(|told| told.spansets.iter().flat_map(|set| set.0.iter().map(|id| (told.id, *id))));
            let expected: BTreeSet<_> = told.filter(|(trace, id)| began(*trace, *id)).collect();
            let taken = takes.spans();
            let once: BTreeSet<_> = taken.iter().copied().collect();
            prop_assert_eq!(once.len(), taken.len(), "{} gives a span twice", &query);
            prop_assert_eq!(&once, &expected, "{} in {:?}", &query, range);
            found += once.len();
        }
        Ok(found)
    });
}

#[test]
fn oversized_trace_is_skipped_and_others_are_read() {
    let mut spans: Vec<_> = (1..=100).map(|id| span(1, id, None, 500 + id)).collect();
    spans.push(span(2, 1, None, 100));
    let segments: Vec<Arc<dyn Segment>> = vec![Memory::block(&spans)];
    let mut takes = CollectingSink::all();
    read(&segments, &ask("{ }"), (&|| QueryBudget { spans: 99, ..plenty() }, &StopFlag::default()), &mut takes)
        .unwrap();
    assert_eq!(takes.taken[0], SpanReadItem::Skipped(trace_id(1)));
    assert_eq!(takes.spans().len(), 1);
}

#[test]
fn slow_trace_is_skipped_and_others_are_read() {
    let mut spans: Vec<_> = (1..=2_000).map(|id| span(1, id, None, 500 + id)).collect();
    spans.push(span(2, 1, None, 100));
    let segments: Vec<Arc<dyn Segment>> = vec![Memory::block(&spans)];
    let first = Cell::new(true);
    let late_once = || if first.take() { QueryBudget { deadline: Instant::now(), ..plenty() } } else { plenty() };
    let mut takes = CollectingSink::all();
    read(&segments, &ask("{ }"), (&late_once, &StopFlag::default()), &mut takes).unwrap();
    assert_eq!(takes.taken[0], SpanReadItem::Skipped(trace_id(1)));
    assert_eq!(takes.spans(), [(trace_id(2), spans[2_000].id)]);
}

#[test]
fn closed_sink_stops_the_read() {
    let spans: Vec<_> = (1..=5_000).map(|number| span(number, 1, None, number)).collect();
    let segments: Vec<Arc<dyn Segment>> = vec![Memory::block(&spans)];
    let mut one = CollectingSink { max_items: 1, ..CollectingSink::all() };
    read(&segments, &ask("{ }"), (&plenty, &StopFlag::default()), &mut one).unwrap();
    assert_eq!((one.taken.len(), one.spans().len()), (1, 1_024));
    let mut closed = CollectingSink { is_closed: true, ..CollectingSink::all() };
    read(&segments, &ask("{ }"), (&plenty, &StopFlag::default()), &mut closed).unwrap();
    assert_eq!(closed.taken.len(), 0);
}
