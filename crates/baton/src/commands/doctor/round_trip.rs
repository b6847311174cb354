//! Sends one span like any exporter and reads it back.

use super::{
    check::CheckResult,
    server::{format_duration, millis},
};
use crate::{
    connect::{BatonConnection, client_failure},
    failure::CliError,
};
use baton_client::SearchRequest;
use baton_server::now;
use baton_types::{
    ErrorCode, Span, SpanDropCounts, SpanId, SpanKind, SpanResource, SpanScope, SpanStatus, SpanValue, TraceId,
};
use serde_json::json;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

const NAME: &str = "round trip";
/// Service name of the test span.
const SERVICE: &str = "baton-doctor";

/// Duration of each step.
struct RoundTripTimes {
    emitted: Duration,
    by_id: Duration,
    by_query: Duration,
}

/// Emits a span and queries it by trace id and with TraceQL.
pub(super) async fn check(session: &BatonConnection) -> CheckResult {
    match round_trip(session).await {
        Ok(RoundTripTimes { emitted, by_id, by_query }) => {
            let message = format!(
                "a span was stored in {}, found by trace id in {}, by TraceQL in {}",
                format_duration(emitted),
                format_duration(by_id),
                format_duration(by_query)
            );
            let times = json!({
                "emit_millis": millis(emitted),
                "trace_millis": millis(by_id),
                "search_millis": millis(by_query),
            });
            CheckResult::passed(NAME, message).with_data(times)
        }
        Err(failure) => CheckResult::from_failure(NAME, &failure),
    }
}

async fn round_trip(session: &BatonConnection) -> Result<RoundTripTimes, CliError> {
    let client = &session.client;
    let span = test_span()?;
    let began = Instant::now();
    client.emit_spans(std::slice::from_ref(&span)).await.map_err(client_failure)?;
    let emitted = began.elapsed();
    let began = Instant::now();
    let trace = client.trace(span.trace).await.map_err(client_failure)?;
    let by_id = began.elapsed();
    if !trace.spans.iter().any(|found| found.id == span.id) {
        return Err(missing_span("was accepted but is not in its trace"));
    }
    let request = SearchRequest {
        query: format!("{{ resource.service.name = \"{SERVICE}\" && trace:id = \"{}\" }}", span.trace),
        limit: 1,
        spans_per_spanset: 1,
        ..SearchRequest::default()
    };
    let began = Instant::now();
    let found = client.search_traces(&request).await.map_err(client_failure)?;
    let by_query = began.elapsed();
    if found.traces.is_empty() {
        return Err(missing_span("was accepted but TraceQL does not find it"));
    }
    Ok(RoundTripTimes { emitted, by_id, by_query })
}

fn missing_span(problem: &str) -> CliError {
    CliError::new(ErrorCode::SPANS_UNAVAILABLE, format!("a span {problem}"))
        .hint("Check the server log. If the disk is healthy, report this as a bug.")
}

/// A test span with random ids.
fn test_span() -> Result<Span, CliError> {
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes)
        .map_err(|error| CliError::new(ErrorCode::INTERNAL, format!("cannot generate random numbers: {error}")))?;
    let (mut trace, mut id) = ([0; 16], [0; 8]);
    trace.copy_from_slice(&bytes[..16]);
    id.copy_from_slice(&bytes[16..]);
    (trace[0], id[0]) = (trace[0] | 1, id[0] | 1);
    let end = u64::try_from(now().as_millis()).unwrap_or(0).saturating_mul(1_000_000);
    let resource =
        SpanResource { attributes: vec![("service.name".into(), SERVICE.into())], ..SpanResource::default() };
    let scope = SpanScope { name: "baton".into(), version: env!("CARGO_PKG_VERSION").into(), ..SpanScope::default() };
    Ok(Span {
        trace: TraceId(trace),
        id: SpanId(id),
        parent: None,
        trace_state: String::new(),
        flags: 1,
        name: "doctor.round_trip".into(),
        kind: SpanKind::Internal,
        start: end.saturating_sub(1_000_000),
        end,
        attributes: vec![("baton.doctor".into(), SpanValue::Bool(true))],
        events: Vec::new(),
        links: Vec::new(),
        status: SpanStatus::Ok,
        status_message: String::new(),
        dropped: SpanDropCounts::default(),
        resource: Arc::new(resource),
        scope: Arc::new(scope),
    })
}
