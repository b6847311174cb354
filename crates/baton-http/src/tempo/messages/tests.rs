//! Tempo responses, compared byte for byte.

use super::{TagScope, ValueKind, search_response, tag_names, tag_scopes, tag_values};
use baton_otlp::{Encoding, tempo};
use baton_span_ports::{ServiceStats, SpanMatch, SpansetMatch, TagNames, TraceMatch, TraceSearchResult};
use baton_types::{SpanId, SpanStatus, SpanValue, TraceId};
use prost::Message;
use serde::Serialize;

fn shown(message: &(impl Message + Serialize)) -> String {
    let json = tempo::write(message, Encoding::Json);
    let tree: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    serde_json::to_string_pretty(&tree).expect("JSON")
}

#[test]
fn search_response_is_written() {
    let found = SpanMatch {
        id: SpanId([0xab; 8]),
        name: "insight.decision".into(),
        start: 1_794_767_304_664_938_900,
        duration: 2827,
        status: SpanStatus::Unset,
        attributes: vec![
            ("insight.type".into(), "decision".into()),
            ("insight.confidence".into(), SpanValue::Float(0.5)),
            ("gen_ai.usage.input_tokens".into(), SpanValue::Int(7)),
            ("ok".into(), SpanValue::Bool(false)),
        ],
    };
    let trace = TraceMatch {
        id: TraceId([0x01; 16]),
        root_service: "checkout-agents".to_owned(),
        root_name: "invoke_agent orchestrator".to_owned(),
        start: 1_794_767_304_664_938_900,
        duration: 12_900_000,
        spansets: vec![SpansetMatch {
            spans: vec![found],
            matched: 1,
            attributes: vec![
                ("by(span.insight.type)".to_owned(), "decision".into()),
                ("count()".to_owned(), SpanValue::Int(1)),
            ],
        }],
        services: vec![("checkout-agents".to_owned(), ServiceStats { spans: 4, errors: 1 })],
    };
    let answer = TraceSearchResult { traces: vec![trace], inspected_traces: 1, inspected_bytes: 21114, partial: false };
    insta::assert_snapshot!("search", shown(&search_response(&answer)));
    let given_up = TraceSearchResult { partial: true, ..TraceSearchResult::default() };
    insta::assert_snapshot!("search_given_up", shown(&search_response(&given_up)));
}

#[test]
fn tag_names_and_values_are_written() {
    let tags = TagNames {
        span: vec!["a".to_owned(), "b".to_owned()],
        resource: vec!["b".to_owned(), "service.name".to_owned()],
        ..TagNames::default()
    };
    insta::assert_snapshot!("tags_v2", shown(&tag_scopes(&tags, TagScope::All)));
    assert_eq!(tag_scopes(&tags, TagScope::Event).scopes, []);
    assert_eq!(tag_names(&tags, TagScope::All).tag_names, ["a", "b", "service.name"]);
    assert_eq!(tag_names(&tags, TagScope::Intrinsic).tag_names.len(), super::tags::INTRINSICS.len());
    let values = [
        SpanValue::from("x"),
        SpanValue::Int(1),
        SpanValue::Float(0.5),
        SpanValue::Bool(true),
        SpanValue::Bytes(Vec::new()),
    ];
    let (typed, plain) = tag_values(&values, ValueKind::Native);
    insta::assert_snapshot!("tag_values_v2", shown(&typed));
    assert_eq!(plain.tag_values, ["x", "1", "0.5", "true"]);
    let words = |values: &[SpanValue], kind| tag_values(values, kind).0.tag_values;
    let keyword = &words(&["error".into()], ValueKind::Keyword)[0];
    assert_eq!((keyword.kind.as_str(), keyword.value.as_str()), ("keyword", "error"));
    let times = words(&[0, 1, 1500, 2_000_000, 90_000_000_000].map(SpanValue::Int), ValueKind::Duration);
    let times: Vec<_> = times.iter().map(|time| time.value.as_str()).collect();
    assert_eq!(times, ["0ns", "1ns", "1500ns", "2ms", "90s"]);
}
