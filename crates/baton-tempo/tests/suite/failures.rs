//! Faults of a Tempo.

use super::{
    fixtures::{FakeClock, NOON, SECOND, metrics, search, tags, trace_id},
    scripted_tempo::{ScriptedReply, ScriptedTempo},
};
use baton_span_ports::{SpanStore, SpanStoreError, TimeRange};
use baton_tempo::{SetupError, TempoOptions, TempoSpans};
use baton_traceql::Steps;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

const EMPTY: &str = r#"{"traces":[],"metrics":{}}"#;

/// Fault, replies in order, expected number of requests, and the expected error text.
type Case = (&'static str, Vec<fn() -> ScriptedReply>, usize, &'static str);

/// Sends these replies in order and repeats the last one.
async fn scripted_replies(lines: Vec<fn() -> ScriptedReply>) -> ScriptedTempo {
    let count = AtomicUsize::new(0);
    ScriptedTempo::start(move |_| {
        let number = count.fetch_add(1, Ordering::SeqCst).min(lines.len() - 1);
        lines[number]()
    })
    .await
}

#[tokio::test]
async fn transient_faults_are_retried() {
    let nothing = || ScriptedReply::Json(EMPTY.to_owned());
    let cases: Vec<Case> = vec![
        ("busy for a moment", vec![|| ScriptedReply::RetryAfter("0"), nothing], 2, ""),
        ("busy", vec![|| ScriptedReply::RetryAfter("0")], 4, "busy"),
        ("busy for longer than anybody waits", vec![|| ScriptedReply::RetryAfter("3600")], 1, "busy"),
        ("a gateway", vec![|| ScriptedReply::Status(StatusCode::BAD_GATEWAY, "bad gateway"), nothing], 2, ""),
        (
            "gone",
            vec![|| ScriptedReply::Status(StatusCode::SERVICE_UNAVAILABLE, "starting\n up")],
            4,
            "503: starting up",
        ),
        ("broken", vec![|| ScriptedReply::Status(StatusCode::INTERNAL_SERVER_ERROR, "oh")], 1, "500: oh"),
        ("unknown", vec![|| ScriptedReply::Status(StatusCode::UNAUTHORIZED, "")], 1, "check the credentials"),
        ("elsewhere", vec![|| ScriptedReply::Status(StatusCode::NOT_FOUND, "")], 1, "is the address right?"),
        (
            "refused",
            vec![|| ScriptedReply::Status(StatusCode::BAD_REQUEST, "invalid TraceQL query: parse error")],
            1,
            "refused the query: invalid TraceQL query: parse error",
        ),
        ("no JSON", vec![|| ScriptedReply::Json("<html>".to_owned())], 1, "cannot be read"),
        ("other JSON", vec![|| ScriptedReply::Json(r#"{"error":"no"}"#.to_owned())], 1, "cannot be read"),
        (
            "wrong JSON",
            vec![|| ScriptedReply::Json(r#"{"traces":[{"traceID":"zz"}]}"#.to_owned())],
            1,
            "cannot be read",
        ),
        ("a number", vec![|| ScriptedReply::Json(r#"{"traces":[{"traceID":7}]}"#.to_owned())], 1, "cannot be read"),
    ];
    for (case, lines, requests, expect) in cases {
        let server = scripted_replies(lines).await;
        let store = server.store_with(&FakeClock::at(NOON), |options| options.timeout = Duration::from_secs(20));
        let mut ask = search("{ }");
        ask.range = TimeRange { start: (NOON - 60) * SECOND, end: NOON * SECOND };
        let found = store.search(ask).await;
        assert_eq!(server.asked().len(), requests, "{case}");
        match found {
            Ok(_) => assert_eq!(expect, "", "{case}"),
            Err(error) => assert!(!expect.is_empty() && error.to_string().contains(expect), "{case}: {error}"),
        }
    }
}

#[tokio::test]
async fn single_trace_is_retried_once_and_never_read_as_json() {
    let server = ScriptedTempo::start(|_| ScriptedReply::Status(StatusCode::BAD_GATEWAY, "")).await;
    let store = server.store(&FakeClock::at(NOON));
    store.trace(trace_id(1)).await.expect_err("a gateway");
    assert_eq!(server.asked().len(), 2);
    let server = ScriptedTempo::start(|_| ScriptedReply::Json(r#"{"trace":{}}"#.to_owned())).await;
    let error = server.store(&FakeClock::at(NOON)).trace(trace_id(1)).await.expect_err("JSON");
    assert!(error.to_string().contains("protobuf was asked for"), "{error}");
    let server = ScriptedTempo::start(|_| ScriptedReply::Protobuf(vec![10, 200])).await;
    let error = server.store(&FakeClock::at(NOON)).trace(trace_id(1)).await.expect_err("cut off");
    assert!(error.to_string().contains("cannot be read"), "{error}");
}

#[tokio::test]
async fn requests_time_out() {
    let server = ScriptedTempo::start(|_| ScriptedReply::Nothing).await;
    let store = server.store_with(&FakeClock::at(NOON), |options| options.timeout = Duration::from_millis(30));
    let late = |error: SpanStoreError| assert!(error.to_string().contains("within 30 ms"), "{error}");
    late(store.search(search("{ }")).await.expect_err("late"));
    late(store.trace(trace_id(1)).await.expect_err("late"));
    late(store.tags(tags()).await.expect_err("late"));
    let steps = Steps::single((NOON - 60) * SECOND, NOON * SECOND);
    late(store.metrics(metrics("{ } | rate()", steps)).await.expect_err("late"));
}

/// A secret in which every sixteen characters are unique.
fn token() -> String {
    (0..150).map(|number| format!("{number:03}x")).collect()
}

fn leaks(said: &str) -> bool {
    let token = token();
    (0..token.len() - 16).any(|at| said.contains(&token[at..at + 16]))
}

#[tokio::test]
async fn requests_send_credentials_and_errors_redact_them() {
    let statuses = [400, 401, 403, 404, 418, 422, 429, 500, 502, 503];
    for (status, before) in statuses.into_iter().flat_map(|status| [0, 150, 280, 500].map(|before| (status, before))) {
        let server = ScriptedTempo::start(move |asked| {
            let shown = |name: &str| asked.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
            assert_eq!(shown("x-scope-orgid"), "a");
            let said = format!("{} {} is not known", "x".repeat(before), shown("authorization"));
            ScriptedReply::StatusText(StatusCode::from_u16(status).expect("a status"), said)
        })
        .await;
        let mut shown = HeaderMap::new();
        let mut value = HeaderValue::try_from(format!("Bearer {}", token())).expect("a value");
        value.set_sensitive(true);
        shown.insert(header::AUTHORIZATION, value);
        shown.insert("x-scope-orgid", HeaderValue::from_static("a"));
        let clock = FakeClock::at(NOON);
        let store = server.store_with(&clock, |options| options.headers = Arc::new(move || Ok(shown.clone())));
        let error = store.search(search("{ }")).await.expect_err("broken").to_string();
        assert!(!leaks(&error), "{status} {before}: {error}");
        let said = !matches!(status, 401 | 403 | 404 | 429) && before < 280;
        assert_eq!(error.contains("[hidden] is not known"), said, "{status} {before}: {error}");
        assert!(!leaks(&format!("{store:?}")));
    }
}

#[tokio::test]
async fn unreadable_responses_are_not_quoted() {
    let server =
        ScriptedTempo::start(|_| ScriptedReply::Json(format!(r#"{{"traces":"{}"}}"#, token().repeat(100)))).await;
    let error = server.store(&FakeClock::at(NOON)).search(search("{ }")).await.expect_err("other JSON").to_string();
    assert!(!leaks(&error) && error.contains("line 1 column") && error.len() < 200, "{error}");
}

#[tokio::test]
async fn missing_secrets_are_named() {
    let server = ScriptedTempo::start(|_| ScriptedReply::Json(EMPTY.to_owned())).await;
    let store = server.store_with(&FakeClock::at(NOON), |options| {
        options.headers = Arc::new(|| Err("the secret env://TEMPO_TOKEN is not there".to_owned()));
    });
    let error = store.search(search("{ }")).await.expect_err("no secret").to_string();
    assert!(error.contains("env://TEMPO_TOKEN"), "{error}");
    assert_eq!(server.asked().len(), 0);
}

#[test]
fn invalid_urls_are_rejected() {
    let client = baton_outbound::GuardedClient::new(
        baton_outbound::AddressPolicy::public_only(),
        &baton_outbound::OutboundOptions::default(),
    )
    .expect("a client");
    for url in ["tempo:3200", "http://user:secret@tempo:3200", "http://tempo:3200/?tenant=a", ""] {
        let made = TempoSpans::new(&client, &TempoOptions::with_url(url), FakeClock::at(NOON));
        let error = made.map(drop).expect_err(url);
        assert!(matches!(error, SetupError::Url(_)) && !error.to_string().contains("secret"), "{error}");
    }
}
