//! Metrics results with known values: counts from the index, limits and budgets.

use super::answers::{plenty, span, with};
use crate::{
    block::{self, BlockInputs, SpanBlock},
    head::SpanHead,
    search::{QueryBudget, metrics},
    segment::Segment,
};
use baton_span_ports::{MetricsResult, SpanMetricsRequest, error_codes};
use baton_traceql::{Mode, Steps, parse};
use baton_types::{Span, SpanClass, SpanId, SpanStatus, SpanValue};
use std::{path::Path, sync::Arc, time::Instant};

const SPANS: u64 = 5_000;

fn ask(query: &str) -> SpanMetricsRequest {
    let query = Arc::new(parse(query, Mode::Strict).expect("a query").query);
    SpanMetricsRequest {
        query,
        steps: Steps::cover(0, 10 * SPANS, 10 * SPANS / 4).unwrap(),
        exemplars: 0,
        aliases: false,
    }
}

/// Ten spans per trace, with seven tools and one error per hundred spans.
fn spans() -> Vec<Span> {
    let one = |number: u64| {
        let status = if number.is_multiple_of(100) { SpanStatus::Error } else { SpanStatus::Unset };
        let tool = SpanValue::from(format!("tool-{}", number % 7));
        Span { status, ..with(span(number / 10, number % 10 + 1, None, number * 10), "tool", tool) }
    };
    (0..SPANS).map(one).collect()
}

fn head(spans: &[Span]) -> SpanHead {
    let head = SpanHead::new(SpanClass::Telemetry);
    head.push(spans).unwrap();
    head
}

fn written(directory: &Path, name: &str, spans: &[Span]) -> Arc<SpanBlock> {
    Arc::new(block::write(&directory.join(name), &head(spans), BlockInputs::default()).unwrap())
}

/// The same spans in one segment, in consecutive segments, in segments with duplicates, and merged.
fn layouts(directory: &Path, spans: &[Span]) -> Vec<Vec<Arc<dyn Segment>>> {
    let (early, late) = spans.split_at(spans.len() / 2 + 5);
    let halves = [written(directory, "early", early), written(directory, "late", late)];
    let merged = block::merge(directory, &halves).unwrap();
    vec![
        vec![Arc::new(head(spans))],
        vec![written(directory, "whole", spans)],
        vec![Arc::new(head(late)), written(directory, "first", early)],
        vec![Arc::new(merged)],
        vec![Arc::new(head(late)), written(directory, "again", spans)],
    ]
}

fn sums(answer: &MetricsResult) -> Vec<f64> {
    answer.series.iter().map(|series| series.samples.iter().flatten().sum()).collect()
}

#[test]
fn groups_are_counted_without_reading_spans() {
    let directory = tempfile::tempdir().unwrap();
    let spans = spans();
    let segments = layouts(directory.path(), &spans);
    for (number, segments) in segments.iter().enumerate() {
        let answer = metrics(segments, &ask("{ } | count_over_time() by (span.tool)"), &plenty()).unwrap();
        let expected: Vec<f64> = (0..7).map(|tool| (SPANS - tool).div_ceil(7) as f64).collect();
        assert_eq!(sums(&answer), expected, "{number}");
        assert_eq!(answer.series[0].samples.len(), 4);
        assert!(!answer.partial);
        let errors = metrics(segments, &ask("{ status = error } | count_over_time() by (span.tool)"), &plenty());
        assert_eq!(sums(&errors.unwrap()).iter().sum::<f64>(), SPANS as f64 / 100.0);
        let slow = metrics(segments, &ask("{ duration > 9ns } | max_over_time(duration)"), &plenty()).unwrap();
        assert_eq!(slow.series[0].samples, [Some(1e-8); 4], "{number}");
        let of_all = |chosen: &str| {
            let filter = format!("\"{chosen}\" = \"any\" || span.none =~ \"{chosen}\"");
            let answer =
                metrics(segments, &ask(&format!("{{ {filter} }} | count_over_time() by (span.tool)")), &plenty());
            answer.unwrap()
        };
        let (any, one) = (of_all("any"), of_all("one"));
        assert_eq!((sums(&any), sums(&one)), (expected, Vec::new()), "{number}");
        if number < 4 {
            assert!(any.inspected_bytes <= 8 * SPANS, "{number}: {} bytes", any.inspected_bytes);
            assert!(answer.inspected_bytes <= 8 * SPANS, "{number}: {} bytes", answer.inspected_bytes);
        }
    }
}

/// The first span of each trace is its root; the next two are below it, and all others below those.
fn nested_spans() -> Vec<Span> {
    let mut spans = spans();
    for (number, span) in (0u64..).zip(&mut spans) {
        let parent = [None, Some(1), Some(1), Some(2), Some(3), Some(2), Some(3), Some(2), Some(3), Some(2)];
        span.parent = parent[(number % 10) as usize].map(|parent: u64| SpanId(parent.to_be_bytes()));
        span.name = if number % 10 == 0 && number % 20 == 0 { "even".into() } else { "other".into() };
        if number % 50 == 5 {
            span.status = SpanStatus::Error;
        }
    }
    spans
}

#[test]
fn spans_below_others_are_counted_without_reading_spans() {
    let directory = tempfile::tempdir().unwrap();
    let traces = SPANS as f64 / 10.0;
    for (number, segments) in layouts(directory.path(), &nested_spans()).iter().enumerate() {
        for (query, expected) in [
            ("{ name = \"even\" } >> { } | count_over_time()", 9.0 * traces / 2.0),
            ("{ nestedSetParent < 0 } > { } | count_over_time()", 2.0 * traces),
            ("{ } > { nestedSetParent < 0 } | count_over_time()", 0.0),
            ("{ nestedSetParent < 0 } !> { } | count_over_time()", 8.0 * traces),
            ("{ status = error } << { } | count_over_time()", SPANS as f64 / 50.0 * 2.0),
            ("{ status = error } ~ { } | count_over_time()", SPANS as f64 / 50.0 * 3.0),
            ("{ rootName = \"even\" } | count_over_time()", 10.0 * traces / 2.0),
            ("{ rootName != \"even\" && status = error } | count_over_time()", SPANS as f64 / 100.0),
            ("{ rootName = \"even\" } && { status = error } | count_over_time()", SPANS as f64 / 10.0),
        ] {
            let answer = metrics(segments, &ask(query), &plenty()).unwrap();
            assert_eq!(sums(&answer).iter().sum::<f64>(), expected, "{number}: {query}");
            assert!(!answer.partial);
            if number < 4 {
                assert!(answer.inspected_bytes <= 8 * SPANS, "{number}: {query}: {} bytes", answer.inspected_bytes);
            }
        }
        let rare = "{ span.tool = \"tool-1\" && name = \"even\" && status = error } >> { } | rate()";
        let few = metrics(segments, &ask(rare), &plenty());
        assert!(few.unwrap().inspected_spans < SPANS, "{number}: only candidates are read if they are few");
    }
}

#[test]
fn exemplars_are_spread_over_time() {
    let directory = tempfile::tempdir().unwrap();
    let spans = spans();
    for segments in layouts(directory.path(), &spans) {
        let five = SpanMetricsRequest { exemplars: 5, ..ask("{ status = error } | rate() by (resource.none)") };
        let answer = metrics(&segments, &five, &plenty()).unwrap();
        let [series] = &answer.series[..] else { panic!("{answer:?}") };
        assert_eq!(series.exemplars.len(), 5);
        let halves = series.exemplars.iter().filter(|exemplar| exemplar.at < 5 * SPANS).count();
        assert!((1..5).contains(&halves), "{:?}", series.exemplars);
        assert!(series.exemplars.iter().all(|exemplar| exemplar.at.is_multiple_of(1_000)));
    }
}

#[test]
fn exceeded_deadline_or_series_limit_marks_the_result_partial() {
    let directory = tempfile::tempdir().unwrap();
    let spans = spans();
    for segments in layouts(directory.path(), &spans) {
        for query in ["{ } | rate() by (span.tool)", "{ } >> { } | rate() by (span.tool)"] {
            let late = QueryBudget { deadline: Instant::now(), ..plenty() };
            let answer = metrics(&segments, &ask(query), &late).unwrap();
            assert_eq!((answer.series.len(), answer.partial), (0, true), "{query}");
        }
        let few = QueryBudget { series: 3, ..plenty() };
        let answer = metrics(&segments, &ask("{ } | rate() by (span.tool)"), &few).unwrap();
        assert_eq!((answer.series.len(), answer.partial), (3, true));
        let nothing =
            SpanMetricsRequest { steps: Steps::cover(1 << 40, 1 << 41, 1 << 40).unwrap(), ..ask("{ } | rate()") };
        let answer = metrics(&segments, &nothing, &plenty()).unwrap();
        assert_eq!((sums(&answer), answer.partial, answer.inspected_spans), (vec![0.0], false, 0));
    }
}

#[test]
fn a_query_that_needs_too_much_memory_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let spans = spans();
    let rows = "{ } | rate() by (span.tool, name)";
    let traces = "{ } >> { } || { } | rate() by (span.tool)";
    for segments in layouts(directory.path(), &spans) {
        for (query, budget) in [
            (rows, QueryBudget { tally_bytes: 500, ..plenty() }),
            (traces, QueryBudget { tally_bytes: 500, ..plenty() }),
            (rows, QueryBudget { samples: 20, ..plenty() }),
            (traces, QueryBudget { samples: 20, ..plenty() }),
            (rows, QueryBudget { working_bytes: 10_000, ..plenty() }),
            (traces, QueryBudget { working_bytes: 10_000, ..plenty() }),
        ] {
            let refused = metrics(&segments, &ask(query), &budget).unwrap_err();
            assert_eq!(refused.code(), error_codes::QUERY_TOO_LARGE, "{query}: {refused}");
            assert_eq!(budget.reserved.get(), 0, "the reservation is released");
        }
        for query in [rows, traces] {
            assert!(metrics(&segments, &ask(query), &plenty()).is_ok(), "{query}");
        }
    }
}

#[test]
fn canceled_query_stops() {
    let directory = tempfile::tempdir().unwrap();
    let spans = spans();
    for segments in layouts(directory.path(), &spans) {
        for query in ["{ } | rate() by (span.tool)", "{ } >> { } | rate() by (span.tool)"] {
            let budget = plenty();
            drop(budget.stop.set_on_drop());
            let answer = metrics(&segments, &ask(query), &budget).unwrap();
            assert_eq!((answer.series.len(), answer.partial), (0, true), "{query}");
        }
    }
}

#[test]
fn keys_beyond_the_index_limit_are_counted() {
    let directory = tempfile::tempdir().unwrap();
    let keyed = |(number, mut span): (usize, Span)| {
        span.attributes.extend((0..20).map(|key| (format!("key-{}", number * 20 + key).into(), SpanValue::Int(1))));
        span.attributes.push(("late".into(), SpanValue::from(format!("{}", number % 2))));
        span
    };
    let mut spans: Vec<Span> = spans().into_iter().take(300).enumerate().map(keyed).collect();
    spans[0].attributes.retain(|(key, _)| key != "late");
    for segments in layouts(directory.path(), &spans) {
        let count = |query: &str| sums(&metrics(&segments, &ask(query), &plenty()).unwrap());
        assert_eq!(count("{ span.key-5999 = 1 } | count_over_time()"), [1.0]);
        assert_eq!(count("{ span.key-5999 = nil } | count_over_time()"), [299.0]);
        assert_eq!(count("{ span.late = \"1\" } | count_over_time() by (span.late)"), [150.0]);
        assert_eq!(count("{ } | count_over_time() by (span.key-5999)"), [1.0, 299.0]);
        assert_eq!(count("{ } | sum_over_time(span.key-5999)"), [1.0]);
    }
}
