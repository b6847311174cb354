//! Traces and spans in the formats of servers.

use super::{reply, server};
use baton_api::error_codes;
use baton_client::{ClientError, SearchRequest, TailEvent, TraceReply};
use baton_types::{ErrorCode, SpanId, SpanKind, SpanStatus, SpanValue, TraceId};

fn request() -> SearchRequest {
    SearchRequest { query: "{ .ü = 1 }".into(), limit: 1, spans_per_spanset: 1, ..SearchRequest::default() }
}

#[test]
fn trace_is_read_in_each_json_format() {
    let words = r#"{"trace":{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},
        "scopeSpans":[{"scope":{"name":"s"},"spans":[{"traceId":"S/kvNXezTaajzpKdDg5HNg==","spanId":"AAAAAAAAAAE=",
        "parentSpanId":"AAAAAAAAAAI=","name":"pay","kind":"SPAN_KIND_CLIENT","startTimeUnixNano":"10","endTimeUnixNano":"30",
        "attributes":[{"key":"n","value":{"intValue":"9007199254740993"}},{"key":"l","value":{"arrayValue":{"values":[{"boolValue":true},{}]}}}],
        "status":{"code":"STATUS_CODE_ERROR","message":"no"}}]}]}]},"status":"PARTIAL"}"#;
    let numbers = r#"{"trace":{"batches":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},
        "scopeSpans":[{"scope":{"name":"s"},"spans":[{"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"0000000000000001",
        "parentSpanId":"0000000000000002","name":"pay","kind":3,"startTimeUnixNano":10,"endTimeUnixNano":30,
        "attributes":[{"key":"n","value":{"intValue":9007199254740993}},{"key":"l","value":{"arrayValue":{"values":[{"boolValue":true},{}]}}}],
        "status":{"code":2,"message":"no"}}]}]}]},"status":1}"#;
    let [words, numbers] = [words, numbers].map(|text| TraceReply::read(text.to_owned()).unwrap());
    assert_eq!((&words.spans, words.partial), (&numbers.spans, numbers.partial));
    let span = &words.spans[0];
    assert_eq!(span.trace, "4bf92f3577b34da6a3ce929d0e0e4736".parse::<TraceId>().unwrap());
    assert_eq!((span.id, span.parent), (SpanId([0, 0, 0, 0, 0, 0, 0, 1]), Some(SpanId([0, 0, 0, 0, 0, 0, 0, 2]))));
    assert_eq!((span.kind, span.status, span.service()), (SpanKind::Client, SpanStatus::Error, Some("shop")));
    assert_eq!(span.attribute("n"), Some(&SpanValue::Int(9_007_199_254_740_993)));
    assert_eq!(span.attribute("l"), Some(&SpanValue::List(vec![SpanValue::Bool(true), SpanValue::Empty])));
    assert_eq!(TraceReply::read("{}".to_owned()).unwrap().spans, []);
    assert!(TraceReply::read("nothing".to_owned()).is_err());
}

#[tokio::test]
async fn plain_text_errors_have_codes() {
    let client = server(vec![
        reply("400 Bad Request", "invalid TraceQL query: parse error at line 1, col 3: no"),
        reply("400 Bad Request", "invalid start: it must not be after end"),
        reply("501 Not Implemented", "this Baton keeps no spans"),
        reply("403 Forbidden", "the token does not allow this (BTN-1011)"),
        reply("413 Content Too Large", "the body is over the limit (BTN-1002)"),
        reply("502 Bad Gateway", "<html>"),
    ])
    .await;
    let mut seen = Vec::new();
    for _ in 0..6 {
        seen.push(match client.search_traces(&request()).await.unwrap_err() {
            ClientError::Refused(refusal) => (refusal.baton_code.unwrap(), refusal.message),
            other => ("none".to_owned(), other.to_string().chars().take(14).collect()),
        });
    }
    let of = |code: ErrorCode, message: &str| (code.code.to_owned(), message.to_owned());
    let expect = [
        of(ErrorCode::TRACEQL_INVALID, "parse error at line 1, col 3: no"),
        of(ErrorCode::INVALID_REQUEST, "invalid start: it must not be after end"),
        of(error_codes::NOT_OFFERED, "this Baton keeps no spans"),
        of(error_codes::SCOPE_MISSING, "the token does not allow this"),
        // A code that the client does not declare.
        ("BTN-1002".to_owned(), "the body is over the limit".to_owned()),
        ("none".to_owned(), "invalid respon".to_owned()),
    ];
    assert_eq!(seen, expect);
}

#[tokio::test]
async fn query_and_warnings_are_read_from_headers() {
    let body = r#"{"traces":[{"traceID":"1","startTimeUnixNano":"5","spanSet":{"matched":2,"spans":[{"spanID":"2","durationNanos":"7"}]},
        "serviceStats":{"shop":{"spanCount":3,"errorCount":1}}}]}"#;
    let head = "x-baton-canonical-query: { .%C3%BC = 1 %25 2 }\r\nx-baton-warnings: one; two";
    let client =
        server(vec![format!("HTTP/1.1 200 OK\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len())]).await;
    let found = client.search_traces(&request()).await.unwrap();
    assert_eq!(found.canonical.as_deref(), Some("{ .ü = 1 % 2 }"));
    assert_eq!((found.warnings.as_deref(), found.body.as_str()), (Some("one; two"), body));
    let trace = &found.traces[0];
    assert_eq!((trace.start, trace.services["shop"]), (5, (3, 1)));
    assert_eq!((trace.spansets[0].matched, trace.spansets[0].spans[0].duration), (2, 7));
}

#[tokio::test]
async fn tail_reports_spans_and_missed_batches() {
    let span =
        r#"{"trace_id":"1","span_id":"2","name":"pay","kind":"client","status":"ok","start":"","duration_ms":1.5}"#;
    let events = format!(
        ": listening\n\nevent: span\ndata: {span}\n\nevent: new\ndata: {{}}\n\nevent: missed\ndata: {{\"batches\":3}}\n\n"
    );
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream";
    let client = server(vec![format!("{head}\r\nContent-Length: {}\r\n\r\n{events}", events.len())]).await;
    let mut tail = client.tail_spans(Some("{ }")).await.unwrap();
    let Some(Ok(TailEvent::Span(entry, json))) = tail.next().await else { panic!("no span") };
    assert_eq!((entry.name.as_str(), json.as_str()), ("pay", span));
    assert_eq!(tail.next().await.unwrap().unwrap(), TailEvent::Missed(3));
    assert!(tail.next().await.is_none());
}
