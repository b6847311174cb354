//! Two stores return the same results as one store with all spans.

use super::{
    fixtures::{FakeClock, NOON, SECOND, metrics, search, span},
    reference_store::{ReferenceStore, count_by_service, found},
};
use baton_span_ports::{SpanStore, TraceSearchResult};
use baton_tempo::{TeeOptions, TeeSpans};
use baton_traceql::Steps;
use baton_types::{Span, SpanId, TraceId};
use proptest::prelude::*;
use std::{collections::BTreeSet, sync::Arc, time::Duration};

/// Location of a span.
#[derive(Clone, Copy, Debug)]
enum SpanLocation {
    Here,
    There,
    Both,
}

fn spans() -> impl Strategy<Value = Vec<(Span, SpanLocation)>> {
    let kept = prop_oneof![Just(SpanLocation::Here), Just(SpanLocation::There), Just(SpanLocation::Both)];
    let drawn = (1..12_u8, 1..6_u8, 0..20_000_u64, 0..3_usize, kept);
    let spans = prop::collection::vec(drawn, 0..60);
    spans.prop_map(|spans| {
        let mut ids = BTreeSet::new();
        let fresh = |(trace, number, ..): &(u8, u8, u64, usize, SpanLocation)| ids.insert((*trace, *number));
        let made = |(trace, number, ago, service, kept): (u8, u8, u64, usize, SpanLocation)| {
            (span(trace, number, (NOON - ago) * SECOND, ["a", "b", "c"][service]), kept)
        };
        spans.into_iter().filter(fresh).map(made).collect()
    })
}

fn tee(spans: &[(Span, SpanLocation)]) -> TeeSpans {
    let kept = |here: bool| {
        let is = move |kept: &SpanLocation| {
            matches!((kept, here), (SpanLocation::Both, _) | (SpanLocation::Here, true) | (SpanLocation::There, false))
        };
        ReferenceStore::of(spans.iter().filter(|(_, kept)| is(kept)).map(|(span, _)| span.clone()).collect())
    };
    let options = TeeOptions { timeout: Duration::from_secs(20), ..TeeOptions::default() };
    TeeSpans::new(kept(true), kept(false), FakeClock::at(NOON), options)
}

/// Matched spans by trace, in the order of the result.
fn matched(answer: &TraceSearchResult) -> Vec<(TraceId, BTreeSet<SpanId>, u32)> {
    let told = |found: &baton_span_ports::TraceMatch| {
        let spans = found.spansets.iter().flat_map(|set| set.spans.iter().map(|span| span.id)).collect();
        (found.id, spans, found.spansets.iter().map(|set| set.matched).sum())
    };
    let mut told: Vec<_> = answer.traces.iter().map(told).collect();
    told.sort();
    told
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn combined_search_equals_one_store(spans in spans(), least in 0..6_i64) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let all: Vec<Span> = spans.iter().map(|(span, _)| span.clone()).collect();
        let ask = search(&format!("{{ span.n >= {least} }}"));
        let answer = runtime.block_on(tee(&spans).search(ask.clone())).expect("found");
        prop_assert_eq!(matched(&answer), matched(&found(&all, &ask)));
        prop_assert!(!answer.partial);
        let newest_first = answer.traces.windows(2).all(|pair| pair[0].start >= pair[1].start);
        prop_assert!(newest_first);
    }

    #[test]
    fn combined_series_equal_one_store(spans in spans(), step in 60..9_000_u64, start in 0..20_000_u64) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let steps = Steps::cover((NOON - start) * SECOND, NOON * SECOND, step * SECOND).expect("steps");
        // The Tempo has all spans that are not hot; the local store has at least the hot ones.
        let seam = (NOON - 3_600) * SECOND;
        let here: Vec<Span> = spans
            .iter()
            .filter(|(span, kept)| span.start >= seam || !matches!(kept, SpanLocation::There))
            .map(|(span, _)| span.clone())
            .collect();
        let there: Vec<Span> = spans
            .iter()
            .filter(|(span, kept)| span.start < (NOON - 90) * SECOND || !matches!(kept, SpanLocation::Here))
            .map(|(span, _)| span.clone())
            .collect();
        let options = TeeOptions { timeout: Duration::from_secs(20), ..TeeOptions::default() };
        let (local, tempo) = (ReferenceStore::of(here), ReferenceStore::of(there));
        let tee = TeeSpans::new(local, Arc::clone(&tempo) as _, FakeClock::at(NOON), options);
        let all: Vec<Span> = spans.into_iter().map(|(span, _)| span).collect();
        let ask = metrics("{ } | count_over_time() by (resource.service.name)", steps);
        let answer = runtime.block_on(tee.metrics(ask.clone())).expect("measured");
        prop_assert_eq!(answer, count_by_service(&all, &ask));
    }
}
