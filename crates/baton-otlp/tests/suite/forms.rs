//! JSON variants of exporters, and rejection of invalid spans.

use baton_otlp::{DecodedExport, Encoding, Export, SpanRejection};
use baton_types::{Span, SpanKind, SpanStatus, SpanValue};
use serde_json::{Value as Tree, json};

const TRACE: &str = "5B8EFFF798038103D269B633813FC60C";
const SPAN: &str = "eee19b7ec3c1b174";

fn decode(body: &Tree) -> DecodedExport {
    let body = body.to_string();
    Export::measure(Encoding::Json, body.as_bytes()).and_then(|export| export.decode()).expect("readable")
}

fn request(spans: &Tree) -> Tree {
    json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": spans }] }] })
}

/// Decodes one span with these members and its ids.
fn decode_span(mut members: Tree) -> Span {
    members["traceId"] = TRACE.into();
    members["spanId"] = SPAN.into();
    let mut arrival = decode(&request(&json!([members])));
    assert_eq!(arrival.rejected, []);
    arrival.spans.pop().expect("a span")
}

#[test]
fn numbers_may_be_text() {
    for time in [json!("1544712660300000000"), json!(1_544_712_660_300_000_000_u64), json!(1.5447126603e18)] {
        assert_eq!(decode_span(json!({ "startTimeUnixNano": time })).start, 1_544_712_660_300_000_000, "{time}");
    }
    for (kind, expect) in [
        (json!(2), SpanKind::Server),
        (json!("2"), SpanKind::Server),
        (json!("SPAN_KIND_SERVER"), SpanKind::Server),
        (json!(0), SpanKind::Unspecified),
        (json!(77), SpanKind::Unspecified),
        (json!("SPAN_KIND_OF_TOMORROW"), SpanKind::Unspecified),
        (Tree::Null, SpanKind::Unspecified),
    ] {
        assert_eq!(decode_span(json!({ "kind": kind })).kind, expect, "{kind}");
    }
    for code in [json!(2), json!("STATUS_CODE_ERROR")] {
        assert_eq!(decode_span(json!({ "status": { "code": code } })).status, SpanStatus::Error, "{code}");
    }
    assert_eq!(decode_span(json!({ "droppedEventsCount": "7", "flags": 257 })).dropped.events, 7);
}

#[test]
fn attribute_values_of_all_types_are_decoded() {
    for (value, expect) in [
        (json!({ "stringValue": "" }), SpanValue::from("")),
        (json!({ "boolValue": false }), SpanValue::Bool(false)),
        (json!({ "intValue": "-9223372036854775808" }), SpanValue::Int(i64::MIN)),
        (json!({ "intValue": 5 }), SpanValue::Int(5)),
        (json!({ "doubleValue": 0.1 }), SpanValue::Float(0.1)),
        (json!({ "doubleValue": 1 }), SpanValue::Float(1.0)),
        (json!({ "doubleValue": "-Infinity" }), SpanValue::Float(f64::NEG_INFINITY)),
        (json!({ "bytesValue": "+/8=" }), SpanValue::Bytes(vec![0xfb, 0xff])),
        (json!({ "bytesValue": "-_8" }), SpanValue::Bytes(vec![0xfb, 0xff])),
        (json!({ "arrayValue": {} }), SpanValue::List(Vec::new())),
        (
            json!({ "arrayValue": { "values": [{ "intValue": "1" }, {}] } }),
            SpanValue::List(vec![SpanValue::Int(1), SpanValue::Empty]),
        ),
        (
            json!({ "kvlistValue": { "values": [{ "key": "a", "value": { "stringValue": "b" } }] } }),
            SpanValue::Map(vec![("a".into(), "b".into())]),
        ),
        (json!({}), SpanValue::Empty),
        (Tree::Null, SpanValue::Empty),
        (json!({ "valueOfTomorrow": { "x": [1] } }), SpanValue::Empty),
        (json!({ "stringValue": null, "intValue": 3 }), SpanValue::Int(3)),
    ] {
        let span = decode_span(json!({ "attributes": [{ "key": "k", "value": value }] }));
        assert_eq!(span.attributes, [("k".into(), expect)], "{value}");
    }
    let twice =
        json!([{ "key": "a", "value": { "intValue": 1 } }, { "key": "b" }, { "key": "a", "value": { "intValue": 2 } }]);
    assert_eq!(
        decode_span(json!({ "attributes": twice })).attributes,
        [("a".into(), SpanValue::Int(2)), ("b".into(), SpanValue::Empty)],
        "the last of several counts"
    );
}

#[test]
fn members_may_be_unknown_null_or_in_snake_case() {
    let body = json!({ "resource_spans": [{
        "unknown": { "deep": [[]] },
        "resource": null,
        "scope_spans": [{ "scope": { "name": "s", "more": 1 }, "spans": [{
            "trace_id": TRACE, "span_id": SPAN, "parent_span_id": "", "start_time_unix_nano": 5, "name": null,
            "events": null, "links": [{ "traceId": TRACE, "spanId": SPAN }], "tomorrow": [{}],
        }] }],
    }, {}], "more": null });
    let arrival = decode(&body);
    let span = &arrival.spans[0];
    assert_eq!((span.trace.to_string(), span.id.to_string()), (TRACE.to_lowercase(), SPAN.to_owned()));
    assert_eq!((span.start, span.parent, span.links.len(), span.scope.name.as_str()), (5, None, 1, "s"));
    assert_eq!(decode(&json!({})), DecodedExport::default());
}

#[test]
fn invalid_span_is_rejected_and_others_are_kept() {
    let zeros = "0".repeat(32);
    let arrival = decode(&request(&json!([
        { "traceId": TRACE, "spanId": SPAN, "name": "kept" },
        { "traceId": zeros, "spanId": SPAN },
        { "traceId": "abc", "spanId": SPAN },
        { "traceId": "not hex at all, 32 characters ..", "spanId": SPAN },
        { "spanId": SPAN },
        { "traceId": TRACE, "spanId": "0000000000000000" },
        { "traceId": TRACE, "spanId": SPAN, "parentSpanId": "xyz" },
        { "traceId": TRACE, "spanId": SPAN, "name": "root", "parentSpanId": "0000000000000000" },
        { "traceId": TRACE, "spanId": SPAN, "name": "x".repeat(1024 * 1024) },
        { "traceId": TRACE, "spanId": SPAN, "name": "links", "links": [{ "traceId": "ff", "spanId": SPAN }, {}] },
    ])));
    let kept: Vec<_> = arrival.spans.iter().map(|span| (&*span.name, span.parent, span.dropped.links)).collect();
    assert_eq!(kept, [("kept", None, 0), ("root", None, 0), ("links", None, 1)]);
    use SpanRejection::{ParentId, SpanId, TooLarge, TraceId};
    assert_eq!(arrival.rejected, [(TraceId, 4), (SpanId, 1), (ParentId, 1), (TooLarge, 1)]);
    insta::assert_snapshot!(String::from_utf8(arrival.write_response(Encoding::Json)).expect("UTF-8"));
}
