//! Search results equal those of the naive evaluator for random spans, layouts, windows, limits and queries.

use super::{
    memory::Memory,
    naive::{
        self, ExpectedTrace,
        dice::Dice,
        spans::{BASE, TICK},
    },
};
use crate::{
    block::{self, BlockInputs, SpanBlock},
    head::SpanHead,
    search::{QueryBudget, search},
    segment::Segment,
};
use baton_span_ports::{SpanStoreError, TimeRange, TraceSearchRequest, TraceSearchResult};
use baton_traceql::{Mode, Query, parse};
use baton_types::{Span, SpanClass, TraceId};
use proptest::{prelude::*, test_runner::TestRunner};
use std::{
    cell::Cell,
    collections::BTreeSet,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

fn budget() -> QueryBudget {
    QueryBudget::with_deadline(Instant::now() + Duration::from_secs(600))
}

/// Distributes spans over up to four segments, blocks and heads, regardless of their traces.
pub(super) fn layout(dice: &mut Dice<'_>, spans: &[Span]) -> Vec<Arc<dyn Segment>> {
    let count = 1 + dice.below(4);
    let mut parts = vec![Vec::new(); count];
    for span in spans {
        parts[dice.below(count)].push(span.clone());
        if dice.one_in(10) {
            parts[dice.below(count)].push(span.clone());
        }
    }
    parts.into_iter().map(|part| if dice.one_in(3) { Memory::head(&part) } else { Memory::block(&part) }).collect()
}

fn range(dice: &mut Dice<'_>) -> TimeRange {
    if dice.below(3) < 2 {
        return TimeRange::ALL;
    }
    let start = BASE + dice.below(24) as u64 * TICK;
    TimeRange { start, end: start + dice.below(6) as u64 * TICK }
}

fn expected_traces(answer: TraceSearchResult) -> Vec<ExpectedTrace> {
    let trace = |trace: baton_span_ports::TraceMatch| {
        let mut spansets: Vec<_> = trace
            .spansets
            .into_iter()
            .map(|set| {
                assert_eq!(set.matched as usize, set.spans.len());
                (set.spans.iter().map(|span| span.id).collect::<Vec<_>>(), naive::printed(&set.attributes))
            })
            .collect();
        spansets.sort_by(|left, right| left.0.cmp(&right.0));
        ExpectedTrace {
            id: trace.id,
            root: (trace.root_service, trace.root_name),
            start: trace.start,
            duration: trace.duration,
            services: trace.services,
            spansets,
        }
    };
    answer.traces.into_iter().map(trace).collect()
}

/// Runs one query; returns the number of traces found, or an error if the search and the naive evaluator disagree.
fn check(segments: &[Arc<dyn Segment>], spans: &[Span], query: &[u8]) -> Result<usize, TestCaseError> {
    let mut dice = Dice::new(query);
    let range = range(&mut dice);
    let limit = if dice.below(3) == 0 { 1_000 } else { 1 + dice.below(3) };
    let query: Query = naive::queries::query(&mut dice);
    let text = query.to_string();
    let parsed = parse(&text, Mode::Strict);
    prop_assert_eq!(parsed.map(|parsed| parsed.query), Ok(query.clone()), "printed as {}", text);
    let ask = TraceSearchRequest {
        query: Arc::new(query.clone()),
        range,
        limit,
        spans_per_spanset: usize::MAX,
        aliases: false,
    };
    let answer = match search(segments, &ask, &budget()) {
        // For example constants that are compared: queries that cannot be run are skipped.
        Err(SpanStoreError::Query(_)) => return Err(TestCaseError::reject("cannot be run")),
        answer => answer.map_err(|error| TestCaseError::fail(error.to_string()))?,
    };
    prop_assert!(!answer.partial);
    let traces: BTreeSet<TraceId> = spans.iter().map(|span| span.trace).collect();
    prop_assert!(answer.inspected_traces <= traces.len() as u64, "no trace is read twice");
    let mut expected = naive::answer(&query, spans, range);
    expected.truncate(limit);
    let answered = expected.len();
    prop_assert_eq!(expected_traces(answer), expected, "{} of {:#?}", text, spans);
    Ok(answered)
}

pub(super) fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), most / 4..most)
}

/// Runs random cases; at least `found` traces must match in total, or the test proves nothing.
pub(super) fn run<S: Strategy>(
    cases: u32,
    found: usize,
    strategy: &S,
    check: impl Fn(S::Value) -> Result<usize, TestCaseError>,
) {
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let answered = Cell::new(0);
    let checked = TestRunner::new(config).run(strategy, |case| {
        answered.set(answered.get() + check(case)?);
        Ok(())
    });
    if let Err(error) = checked {
        panic!("{error}");
    }
    assert!(answered.get() >= found, "random queries must find something: {answered:?} traces are too few");
}

#[test]
fn search_matches_the_naive_evaluator() {
    run(4_000, 1_000, &(bytes(1_200), bytes(40), bytes(60)), |(spans, layouts, query)| {
        let spans = naive::spans::spans(&mut Dice::new(&spans));
        check(&layout(&mut Dice::new(&layouts), &spans), &spans, &query)
    });
}

/// Segments as in a store: a head and blocks, some of them merged, each with spans of one class.
pub(super) fn stored(dice: &mut Dice<'_>, directory: &Path, spans: &[Span]) -> Vec<Arc<dyn Segment>> {
    let count = 1 + dice.below(4);
    let mut heads: Vec<SpanHead> = Vec::new();
    for class in [SpanClass::Telemetry, SpanClass::Memory] {
        heads.extend((0..count).map(|_| SpanHead::new(class)));
    }
    for span in spans {
        let class = if span.class() == SpanClass::Telemetry { 0 } else { count };
        let twice = if dice.one_in(10) { 2 } else { 1 };
        for _ in 0..twice {
            heads[class + dice.below(count)].push(std::slice::from_ref(span)).expect("kept");
        }
    }
    let mut segments: Vec<Arc<dyn Segment>> = Vec::new();
    let mut blocks: Vec<Arc<SpanBlock>> = Vec::new();
    for (number, head) in heads.into_iter().enumerate().filter(|(_, head)| head.spans_len() > 0) {
        if number % count == 0 && dice.one_in(2) {
            segments.push(Arc::new(head));
        } else {
            let covers = BlockInputs { log: vec![number as u64], ..BlockInputs::default() };
            let written = block::write(&directory.join(number.to_string()), &head, covers).expect("written");
            blocks.push(Arc::new(match dice.below(16) {
                15 => block::as_of_version_one(&written),
                14 => block::as_without_parents(&written),
                _ => written,
            }));
        }
    }
    for class in [SpanClass::Telemetry, SpanClass::Memory] {
        let same: Vec<Arc<SpanBlock>> = blocks.iter().filter(|block| block.summary().class == class).cloned().collect();
        if same.len() > 1 && dice.one_in(2) {
            let merged = &same[..2 + dice.below(same.len() - 1)];
            blocks.retain(|block| !merged.iter().any(|input| Arc::ptr_eq(input, block)));
            blocks.push(Arc::new(block::merge(directory, merged).expect("merged")));
        }
    }
    segments.extend(blocks.into_iter().map(|block| block as Arc<dyn Segment>));
    segments
}

/// Segments may return false positives but no false negatives, so the result does not depend on their kind.
#[test]
fn heads_and_blocks_match_the_naive_evaluator() {
    let queries = prop::collection::vec(bytes(60), 40);
    run(64, 500, &(bytes(1_200), bytes(60), queries), |(spans, layouts, queries)| {
        let spans = naive::spans::spans(&mut Dice::new(&spans));
        let directory = tempfile::tempdir().expect("a directory");
        let segments = stored(&mut Dice::new(&layouts), directory.path(), &spans);
        let mut answered = 0;
        for query in queries {
            match check(&segments, &spans, &query) {
                Err(TestCaseError::Reject(_)) => {}
                checked => answered += checked?,
            }
        }
        Ok(answered)
    });
}
