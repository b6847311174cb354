//! Queries split into the ranges that a Tempo accepts.

use super::{
    fixtures::{FakeClock, NOON, SECOND, metrics, search},
    scripted_tempo::{ScriptedReply, ScriptedTempo},
};
use baton_span_ports::{SpanStore, TimeRange, error_codes};
use baton_traceql::Steps;
use http::StatusCode;

const HOUR: u64 = 3_600;
const DAY: u64 = 24 * HOUR;

/// One trace in every range, at its start.
fn one_trace(start: u64) -> ScriptedReply {
    let row =
        format!(r#"{{"traceID":"{start:x}","startTimeUnixNano":"{start}000000000","spanSets":[{{"spans":[]}}]}}"#);
    ScriptedReply::Json(format!(r#"{{"traces":[{row}],"metrics":{{}}}}"#))
}

#[tokio::test]
async fn searches_go_back_by_week_until_enough_is_found() {
    let server = ScriptedTempo::start(|asked| one_trace(asked.number("start"))).await;
    let clock = FakeClock::at(NOON);
    let store = server.store(&clock);
    for (start, end, limit, requests) in [
        (NOON - HOUR, NOON, 20, 1),
        (NOON - 7 * DAY, NOON, 20, 1),
        (NOON - 30 * DAY, NOON, 20, 5),
        (NOON - 30 * DAY, NOON, 2, 2),
        // Time after now is not searched.
        (NOON - HOUR, NOON + 30 * DAY, 20, 1),
    ] {
        let before = server.asked().len();
        let mut ask = search("{ }");
        ask.limit = limit;
        ask.range = TimeRange { start: start * SECOND, end: end * SECOND };
        let found = store.search(ask).await.expect("found");
        let asked = server.asked().split_off(before);
        assert_eq!((asked.len(), found.traces.len(), found.partial), (requests, requests, false), "{start} {end}");
        let mut until = end.min(NOON + 60);
        for asked in &asked {
            let (from, to) = (asked.number("start"), asked.number("end"));
            assert!(to == until && from < to && to - from <= 168 * HOUR, "{asked:?}");
            assert_eq!((asked.number("limit"), asked.number("spss")), (limit as u64, 10));
            until = from;
        }
        assert!(limit == 2 || until == start, "the whole range was searched");
    }
    // Without a start, the search still ends.
    let before = server.asked().len();
    assert!(!store.search(search("{ }")).await.expect("found").partial);
    assert_eq!(server.asked().len() - before, 3);
    // The number of requests is limited, so a range of decades is partial.
    let mut ask = search("{ }");
    ask.limit = 5_000;
    ask.range.start = 1;
    assert!(store.search(ask).await.expect("found").partial);
    assert_eq!(server.asked().len() - before, 3 + 64);
}

#[tokio::test]
async fn series_are_measured_by_day() {
    // Every interval has the value of its end time, so that each value identifies its interval.
    let server = ScriptedTempo::start(|asked| {
        assert_eq!(asked.path, "/api/metrics/query_range");
        let (start, end) = (asked.number("start") / SECOND, asked.number("end") / SECOND);
        assert!(end - start <= DAY && asked.pair("step") == "3600s" && start % HOUR == 0, "{asked:?}");
        let sample = |index| {
            let at = start + HOUR * (index + 1);
            format!(r#"{{"timestampMs":"{at}000","value":{at}}}"#)
        };
        let samples: Vec<String> = (0..(end - start) / HOUR).map(sample).collect();
        ScriptedReply::Json(format!(r#"{{"series":[{{"labels":[],"samples":[{}]}}]}}"#, samples.join(",")))
    })
    .await;
    let store = server.store(&FakeClock::at(NOON));
    let steps = Steps::cover((NOON - 60 * HOUR) * SECOND, NOON * SECOND, HOUR * SECOND).expect("steps");
    let answer = store.metrics(metrics("{ } | rate()", steps)).await.expect("measured");
    assert_eq!((server.asked().len(), answer.series.len(), answer.partial), (3, 1, false));
    let ends: Vec<Option<f64>> = (0..60).map(|index| Some((steps.end_of(index) / SECOND) as f64)).collect();
    assert_eq!(answer.series[0].samples, ends);
}

#[tokio::test]
async fn long_intervals_are_combined_from_days_if_possible() {
    let server = ScriptedTempo::start(|asked| {
        assert_eq!(asked.path, "/api/metrics/query");
        let days = (asked.number("end") - asked.number("start")) as f64 / (DAY * SECOND) as f64;
        // Two spans a day; the shortest duration is one hour plus one second per hour of the range.
        let value = match asked.pair("q") {
            "{ } | rate()" => 2.0 / DAY as f64,
            "{ } | min_over_time(duration)" => 3_600.0 + days * 24.0,
            _ => days * 2.0,
        };
        ScriptedReply::Json(format!(r#"{{"series":[{{"labels":[],"value":{value}}}]}}"#))
    })
    .await;
    let store = server.store(&FakeClock::at(NOON));
    let steps = Steps::single((NOON - 3 * DAY - 12 * HOUR) * SECOND, NOON * SECOND);
    for (query, requests, expect) in [
        ("{ } | count_over_time()", 4, 7.0),
        ("{ } | rate()", 4, 2.0 / DAY as f64),
        ("{ } | min_over_time(duration)", 4, 3_612.0),
        ("{ } | avg_over_time(duration)", 1, 7.0),
        ("{ } | count_over_time() | topk(3)", 1, 7.0),
    ] {
        let before = server.asked().len();
        let answer = store.metrics(metrics(query, steps)).await.expect("measured");
        assert_eq!(server.asked().len() - before, requests, "{query}");
        let value = answer.series[0].samples[0].expect("a value");
        assert!((value - expect).abs() < 1e-9, "{query}: {value}");
    }
}

#[tokio::test]
async fn failed_range_makes_the_result_partial() {
    let server = ScriptedTempo::start(|asked| match asked.path.as_str() {
        _ if asked.pair("start").starts_with(&(NOON - 14 * DAY).to_string()) => {
            ScriptedReply::Status(StatusCode::INTERNAL_SERVER_ERROR, "no such block")
        }
        "/api/search" => one_trace(asked.number("start")),
        _ => ScriptedReply::Json(r#"{"series":[{"labels":[],"samples":[]}]}"#.to_owned()),
    })
    .await;
    let store = server.store(&FakeClock::at(NOON));
    let mut ask = search("{ }");
    ask.range = TimeRange { start: (NOON - 14 * DAY) * SECOND, end: NOON * SECOND };
    let found = store.search(ask).await.expect("found");
    assert_eq!((found.traces.len(), found.partial), (1, true));
    let steps = Steps::cover((NOON - 14 * DAY) * SECOND, (NOON - 12 * DAY) * SECOND, HOUR * SECOND).expect("steps");
    assert!(store.metrics(metrics("{ } | rate()", steps)).await.expect("measured").partial);
}

/// Each series has a sample per interval, however few a Tempo sends: in one response, or in all ranges together.
#[tokio::test]
async fn too_many_samples_are_rejected() {
    for (hours, each, refused) in [(3, 47, true), (3, 46, false), (60, 20, true), (60, 1, false)] {
        let server = ScriptedTempo::start(move |asked| {
            let of = asked.number("start");
            let series = |number: u64| {
                format!(r#"{{"labels":[{{"key":"n","value":{{"stringValue":"{of} {number}"}}}}],"samples":[]}}"#)
            };
            let series: Vec<String> = (0..each).map(series).collect();
            ScriptedReply::Json(format!(r#"{{"series":[{}]}}"#, series.join(",")))
        })
        .await;
        let store = server.store(&FakeClock::at(NOON));
        let step = hours * HOUR * SECOND / 10_800;
        let steps = Steps::cover((NOON - hours * HOUR) * SECOND, NOON * SECOND, step).expect("steps");
        let answer = store.metrics(metrics("{ } | rate()", steps)).await;
        let code = answer.as_ref().err().map(baton_span_ports::SpanStoreError::code);
        assert_eq!(code, refused.then_some(error_codes::QUERY_TOO_LARGE), "{hours} h, {each} series");
    }
}
