//! A local store and a Tempo that shows spans half a minute late.

use super::{
    fixtures::{FakeClock, NOON, SECOND, metrics, query, search, span, span_id, tags, trace_id},
    reference_store::{ReferenceStore, count_by_service, found},
    scripted_tempo::{ReceivedRequest, ScriptedReply, ScriptedTempo},
};
use baton_otlp::{Encoding, attribute, attributes, tempo};
use baton_span_ports::{
    MetricsResult, ServiceStats, SpanBatch, SpanMatch, SpanMetricsRequest, SpanStore, SpansetMatch, TimeRange,
    TraceMatch, TraceSearchRequest,
};
use baton_tempo::{TeeOptions, TeeSpans};
use baton_traceql::{Field, Intrinsic, Steps};
use baton_types::{Span, SpanValue};
use http::StatusCode;
use parking_lot::Mutex;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// Delay of a Tempo's search results, in seconds.
const SEARCH_DELAY: u64 = 31;

/// The members of a search result that the client reads.
fn trace_metadata(found: &TraceMatch) -> tempo::TraceSearchMetadata {
    let span = |span: &SpanMatch| tempo::Span {
        span_id: span.id.to_string(),
        name: span.name.clone().into_owned(),
        start_time_unix_nano: span.start,
        duration_nanos: span.duration,
        attributes: attributes(&span.attributes),
    };
    let span_set = |set: &SpansetMatch| tempo::SpanSet {
        spans: set.spans.iter().map(span).collect(),
        matched: set.matched,
        attributes: set.attributes.iter().map(|(key, value)| attribute(key, value)).collect(),
    };
    let stats = |stats: &ServiceStats| tempo::ServiceStats { span_count: stats.spans, error_count: stats.errors };
    tempo::TraceSearchMetadata {
        trace_id: found.id.to_string(),
        root_service_name: found.root_service.clone(),
        root_trace_name: found.root_name.clone(),
        start_time_unix_nano: found.start,
        duration_ms: u32::try_from(found.duration / 1_000_000).expect("milliseconds"),
        span_set: None,
        span_sets: found.spansets.iter().map(span_set).collect(),
        service_stats: found.services.iter().map(|(service, known)| (service.clone(), stats(known))).collect(),
    }
}

/// A Tempo with its own spans; traces are available at once, searches later.
struct LateTempo {
    spans: Mutex<Vec<Span>>,
    hangs: AtomicBool,
    clock: Arc<FakeClock>,
}

impl LateTempo {
    fn answer(&self, asked: &ReceivedRequest) -> ScriptedReply {
        if self.hangs.load(Ordering::SeqCst) {
            return ScriptedReply::Nothing;
        }
        let spans = self.spans.lock();
        let shown: Vec<Span> =
            spans.iter().filter(|span| span.end + SEARCH_DELAY * SECOND <= self.clock.nanoseconds()).cloned().collect();
        let (start, end) = (asked.pair("start"), asked.pair("end"));
        match asked.path.as_str() {
            "/api/search" => {
                let range = TimeRange {
                    start: start.parse::<u64>().expect("start") * SECOND,
                    end: end.parse::<u64>().expect("end") * SECOND,
                };
                let ask = TraceSearchRequest {
                    query: query(asked.pair("q")),
                    range,
                    limit: 20,
                    spans_per_spanset: 10,
                    aliases: false,
                };
                let traces = found(&shown, &ask).traces.iter().map(trace_metadata).collect();
                let response = tempo::SearchResponse { traces, metrics: None };
                ScriptedReply::Json(String::from_utf8(tempo::write(&response, Encoding::Json)).expect("text"))
            }
            "/api/metrics/query_range" => {
                let step = asked.pair("step").trim_end_matches('s').parse::<u64>().expect("step") * SECOND;
                let (start, end) = (start.parse().expect("start"), end.parse().expect("end"));
                let steps = Steps::cover(start, end, step).expect("steps");
                ScriptedReply::Json(series(&count_by_service(&shown, &metrics(asked.pair("q"), steps)), steps))
            }
            "/api/metrics/query" => {
                let steps = Steps::single(start.parse().expect("start"), end.parse().expect("end"));
                let measured = count_by_service(&shown, &metrics(asked.pair("q"), steps));
                let value = |series: &baton_traceql::Series| series.samples[0].expect("a value");
                let lines: Vec<String> = measured
                    .series
                    .iter()
                    .map(|series| line(series, &format!(r#""value":{}"#, value(series))))
                    .collect();
                ScriptedReply::Json(format!(r#"{{"series":[{}]}}"#, lines.join(",")))
            }
            path => match path.strip_prefix("/api/v2/traces/") {
                Some(id) => {
                    let of: Vec<Span> = spans.iter().filter(|span| span.trace.to_string() == id).cloned().collect();
                    ScriptedReply::Protobuf(tempo::write(&tempo::trace_by_id(&of), Encoding::Protobuf))
                }
                None => ScriptedReply::Status(StatusCode::NOT_FOUND, ""),
            },
        }
    }
}

fn series(answer: &MetricsResult, steps: Steps) -> String {
    let written = |series: &baton_traceql::Series| {
        let samples = series.samples.iter().enumerate().filter_map(|(index, sample)| {
            let at = steps.end_of(index) / 1_000_000;
            sample.map(|value| format!(r#"{{"timestampMs":"{at}","value":{value}}}"#))
        });
        let samples = samples.collect::<Vec<_>>().join(",");
        line(series, &format!(r#""samples":[{samples}]"#))
    };
    let lines: Vec<String> = answer.series.iter().map(written).collect();
    format!(r#"{{"series":[{}],"metrics":{{}}}}"#, lines.join(","))
}

/// A series with its labels and values.
fn line(series: &baton_traceql::Series, measured: &str) -> String {
    let (key, value) = &series.labels[0];
    let value = value.as_text().expect("text");
    format!(r#"{{"labels":[{{"key":"{key}","value":{{"stringValue":"{value}"}}}}],{measured}}}"#)
}

struct TeeFixture {
    clock: Arc<FakeClock>,
    tempo: Arc<LateTempo>,
    local: Arc<ReferenceStore>,
    tee: TeeSpans,
    server: ScriptedTempo,
}

async fn tee_fixture(timeout: Duration) -> TeeFixture {
    let clock = FakeClock::at(NOON);
    let tempo = LateTempo { spans: Mutex::default(), hangs: AtomicBool::new(false), clock: clock.clone() };
    let tempo = Arc::new(tempo);
    let answers = Arc::clone(&tempo);
    let server = ScriptedTempo::start(move |asked| answers.answer(asked)).await;
    let local = ReferenceStore::of(Vec::new());
    let options = TeeOptions { hot: Duration::from_secs(3_600), timeout, ..TeeOptions::default() };
    let tee = TeeSpans::new(local.clone(), Arc::new(server.store(&clock)), clock.clone(), options);
    TeeFixture { clock, tempo, local, tee, server }
}

const QUERY_TIMEOUT: Duration = Duration::from_secs(20);

#[tokio::test]
async fn new_trace_is_found_once_before_and_after_the_tempo_shows_it() {
    let TeeFixture { clock, tempo, tee, server, .. } = tee_fixture(QUERY_TIMEOUT).await;
    let spans = vec![span(1, 1, NOON * SECOND, "a"), span(1, 2, NOON * SECOND + 1, "b")];
    tee.ingest(SpanBatch { spans: spans.clone(), mark: None }).await.expect("kept");
    *tempo.spans.lock() = spans.clone();
    clock.advance(2);
    let ask = search("{ span.n > 0 }");
    let expect = found(&spans, &ask).traces;
    assert_eq!(tee.search(ask.clone()).await.expect("found").traces, expect);
    clock.advance(SEARCH_DELAY);
    let later = tee.search(ask).await.expect("found");
    assert_eq!((later.traces, later.partial), (expect, false));
    assert!(server.asked().iter().all(|asked| asked.path == "/api/search"), "the local store had all spans");
    assert_eq!(tee.trace(trace_id(1)).await, Ok(spans));
}

#[tokio::test]
async fn trace_split_between_stores_is_joined() {
    let TeeFixture { clock, tempo, local, tee, server: _server } = tee_fixture(QUERY_TIMEOUT).await;
    let all = vec![
        span(1, 1, NOON * SECOND, "a"),
        span(1, 2, NOON * SECOND + 1, "b"),
        span(1, 3, NOON * SECOND + 2, "c"),
        // Only in the Tempo, and only in the local store.
        span(2, 1, (NOON - 90_000) * SECOND, "a"),
        span(3, 1, (NOON + 1) * SECOND, "a"),
    ];
    *tempo.spans.lock() = vec![all[0].clone(), all[1].clone(), all[3].clone()];
    *local.spans.lock() = vec![all[1].clone(), all[2].clone(), all[4].clone()];
    clock.advance(60);
    for text in ["{ span.n > 0 }", "{ } | count() > 0", "{ span.n = 1 } >> { span.n >= 2 }", "{ span.n = 3 }"] {
        let ask = search(text);
        let answer = tee.search(ask.clone()).await.expect("found");
        if text == "{ span.n = 1 } >> { span.n >= 2 }" {
            assert_eq!(answer.traces.len(), 1, "{text}");
        }
        let expect = found(&all, &ask);
        let ids = |answer: &baton_span_ports::TraceSearchResult| -> Vec<_> {
            let spans = |found: &baton_span_ports::TraceMatch| -> Vec<_> {
                found.spansets.iter().flat_map(|set| set.spans.iter().map(|span| span.id)).collect()
            };
            answer.traces.iter().map(|found| (found.id, spans(found))).collect()
        };
        assert_eq!((ids(&answer), answer.partial), (ids(&expect), false), "{text}");
    }
    let whole = tee.search(search("{ span.n > 0 }")).await.expect("found");
    assert_eq!(whole.traces, found(&all, &search("{ span.n > 0 }")).traces, "newest first, complete");
    let ids: Vec<_> = tee.trace(trace_id(1)).await.expect("a trace").iter().map(|span| span.id).collect();
    assert_eq!(ids, [span_id(1), span_id(2), span_id(3)]);
    let mut few = search("{ span.n > 0 }");
    few.limit = 2;
    let newest: Vec<_> = tee.search(few).await.expect("found").traces.iter().map(|found| found.id).collect();
    assert_eq!(newest, [trace_id(3), trace_id(1)]);
}

#[tokio::test(start_paused = true)]
async fn trace_reads_of_a_search_share_its_timeout() {
    const TRACES: u8 = 20;
    let part = |number| (1..=TRACES).map(move |trace| span(trace, number, (NOON - 60) * SECOND, "a")).collect();
    let (local, tempo) = (ReferenceStore::of(part(1)), ReferenceStore::of(part(2)));
    // Four at a time: ten seconds allow three rounds, and five would be needed.
    *tempo.pause.lock() = Duration::from_secs(3);
    let options = TeeOptions { timeout: Duration::from_secs(10), ..TeeOptions::default() };
    let tee = TeeSpans::new(local, tempo.clone(), FakeClock::at(NOON), options);
    let begin = tokio::time::Instant::now();
    let answer = tee.search(search("{ span.n > 0 }")).await.expect("found");
    assert!((9..=10).contains(&begin.elapsed().as_secs()), "{:?}", begin.elapsed());
    let whole = |found: &&baton_span_ports::TraceMatch| found.spansets.iter().any(|set| set.matched == 2);
    let told = (answer.traces.len(), answer.traces.iter().filter(whole).count() >= 12, answer.partial);
    assert_eq!(told, (usize::from(TRACES), true, true));
    // The timeout was short, so the Tempo is not marked as unavailable.
    *tempo.pause.lock() = Duration::ZERO;
    assert!(!tee.search(search("{ span.n > 0 }")).await.expect("found").partial);
}

#[tokio::test]
async fn series_join_at_the_boundary_without_double_counts() {
    let TeeFixture { clock, tempo, local, tee, server: _server } = tee_fixture(QUERY_TIMEOUT).await;
    // One span a minute for three hours, in both stores; the Tempo shows them half a minute late.
    let at = |minute: u64| (NOON - 180 * 60 + minute * 60) * SECOND;
    let number = |minute: u64| u8::try_from(minute + 1).expect("few");
    let all: Vec<Span> = (0..180).map(|minute| span(number(minute), 1, at(minute), "a")).collect();
    *tempo.spans.lock() = all.clone();
    *local.spans.lock() = all.clone();
    clock.advance(0);
    for step in [60, 300, 900, 7_200] {
        let steps = Steps::cover(at(0), NOON * SECOND, step * SECOND).expect("steps");
        let ask = metrics("{ } | count_over_time() by (resource.service.name)", steps);
        let answer = tee.metrics(ask.clone()).await.expect("measured");
        assert_eq!(answer, count_by_service(&all, &ask), "{step}");
    }
    // Older spans are in the Tempo only, and hot spans are not requested from it.
    local.spans.lock().retain(|span| span.start >= at(110));
    tempo.spans.lock().retain(|span| span.start < at(125));
    let steps = Steps::cover(at(0), NOON * SECOND, 300 * SECOND).expect("steps");
    let ask: SpanMetricsRequest = metrics("{ } | count_over_time() by (resource.service.name)", steps);
    assert_eq!(tee.metrics(ask.clone()).await.expect("measured"), count_by_service(&all, &ask));
}

#[tokio::test]
async fn unavailable_tempo_gives_partial_local_results() {
    let TeeFixture { clock, tempo, local, tee, server } = tee_fixture(Duration::from_millis(50)).await;
    tempo.hangs.store(true, Ordering::SeqCst);
    let spans = vec![span(1, 1, (NOON - 7_200) * SECOND, "a"), span(2, 1, (NOON - 5) * SECOND, "a")];
    *local.spans.lock() = spans.clone();
    let ask = search("{ }");
    let answer = tee.search(ask.clone()).await.expect("found");
    assert_eq!((answer.traces, answer.partial), (found(&spans, &ask).traces, true));
    let steps = Steps::cover((NOON - 7_200) * SECOND, NOON * SECOND, 600 * SECOND).expect("steps");
    let ask = metrics("{ } | count_over_time()", steps);
    let answer = tee.metrics(ask.clone()).await.expect("measured");
    assert_eq!((answer.series, answer.partial), (count_by_service(&spans, &ask).series, true), "including older spans");
    assert_eq!(tee.trace(trace_id(1)).await.map(|spans| spans.len()), Ok(1));
    tee.trace(trace_id(9)).await.expect_err("absence is unknown without the Tempo");
    assert_eq!(tee.tags(tags()).await.expect("tags").span, ["n", "z"]);
    let values = tee.tag_values(Field::Intrinsic(Intrinsic::Name), tags()).await;
    assert_eq!(values, Ok(vec![SpanValue::Int(7), SpanValue::from("b")]));
    assert_eq!(tee.mark("journal"), Some(42));
    assert_eq!(server.asked().len(), 1, "the unavailable Tempo is skipped for a while");

    // If both stores fail, the query fails.
    local.broken.store(true, Ordering::SeqCst);
    tee.search(search("{ }")).await.expect_err("both");
    tee.metrics(ask.clone()).await.expect_err("both");
    tee.trace(trace_id(1)).await.expect_err("both");
    clock.advance(16);
    tee.search(search("{ }")).await.expect_err("still both");
    assert_eq!(server.asked().len(), 2);
    tempo.hangs.store(false, Ordering::SeqCst);
    *tempo.spans.lock() = spans;
    clock.advance(5);
    tee.search(search("{ }")).await.expect_err("it is not asked yet");
    clock.advance(8);
    tee.search(search("{ }")).await.expect_err("nor now");
    clock.advance(3);
    let answer = tee.search(search("{ }")).await.expect("the Tempo answers");
    assert_eq!((answer.traces.len(), answer.partial), (2, true));
    assert_eq!(tee.trace(trace_id(1)).await.map(|spans| spans.len()), Ok(1));
    assert!(tee.metrics(ask).await.expect("measured").partial);
}
