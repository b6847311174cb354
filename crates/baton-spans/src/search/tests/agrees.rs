//! Random spans, layouts, windows, limits and queries.

use super::{
    memory::Memory,
    naive::{
        self, Told,
        dice::Dice,
        spans::{BASE, TICK},
    },
};
use crate::{
    search::{Budget, search},
    segment::Segment,
};
use baton_ports::{SearchAnswer, SearchAsk, SpanStoreError, TimeRange};
use baton_traceql::{Mode, Query, parse};
use baton_types::Span;
use proptest::{prelude::*, test_runner::TestRunner};
use std::{
    cell::Cell,
    sync::Arc,
    time::{Duration, Instant},
};

const PLENTY: u64 = u64::MAX;

fn budget() -> Budget {
    Budget { deadline: Instant::now() + Duration::from_secs(600), traces: PLENTY }
}

/// Spans thrown into up to four segments, blocks and heads, whatever trace they belong to.
fn layout(dice: &mut Dice<'_>, spans: &[Span]) -> Vec<Arc<dyn Segment>> {
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

fn told(answer: SearchAnswer) -> Vec<Told> {
    let trace = |trace: baton_ports::FoundTrace| {
        let mut spansets: Vec<_> = trace
            .spansets
            .into_iter()
            .map(|set| {
                assert_eq!(set.matched as usize, set.spans.len());
                (set.spans.iter().map(|span| span.id).collect::<Vec<_>>(), naive::printed(&set.attributes))
            })
            .collect();
        spansets.sort_by(|left, right| left.0.cmp(&right.0));
        Told {
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

/// Whether something was found, unless the search and the naive evaluator disagree.
fn check(spans: &[u8], layouts: &[u8], queries: &[u8]) -> Result<usize, TestCaseError> {
    let spans = naive::spans::spans(&mut Dice::new(spans));
    let segments = layout(&mut Dice::new(layouts), &spans);
    let mut dice = Dice::new(queries);
    let range = range(&mut dice);
    let limit = if dice.below(3) == 0 { 1_000 } else { 1 + dice.below(3) };
    let query: Query = naive::queries::query(&mut dice);
    let text = query.to_string();
    let parsed = parse(&text, Mode::Strict);
    prop_assert_eq!(parsed.map(|parsed| parsed.query), Ok(query.clone()), "printed as {}", text);
    let ask = SearchAsk { query: Arc::new(query.clone()), range, limit, spans_per_spanset: usize::MAX, aliases: false };
    let answer = match search(&segments, &ask, &budget()) {
        // Such as constants that are compared: what cannot be run is not compared either.
        Err(SpanStoreError::Query(_)) => return Err(TestCaseError::reject("cannot be run")),
        answer => answer.map_err(|error| TestCaseError::fail(error.to_string()))?,
    };
    prop_assert!(!answer.partial);
    let mut expected = naive::answer(&query, &spans, range);
    expected.truncate(limit);
    let answered = usize::from(!expected.is_empty());
    prop_assert_eq!(told(answer), expected, "{} of {:#?}", text, spans);
    Ok(answered)
}

fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), most / 4..most)
}

#[test]
fn a_search_answers_what_the_naive_evaluator_says() {
    let config = ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() };
    let answered = Cell::new(0);
    let checked = TestRunner::new(config).run(&(bytes(1_200), bytes(40), bytes(60)), |(spans, layouts, queries)| {
        answered.set(answered.get() + check(&spans, &layouts, &queries)?);
        Ok(())
    });
    if let Err(error) = checked {
        panic!("{error}");
    }
    assert!(answered.get() > 800, "random queries must find something, or they prove nothing: {answered:?}");
}
