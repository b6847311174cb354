//! Tempo responses, compared byte for byte.

use crate::generate::span;
use baton_otlp::{Encoding, tempo};
use baton_types::{SpanEvent, SpanId, SpanKind, SpanLink, SpanStatus, SpanValue, TraceId};
use prost::Message;
use serde::Serialize;

fn shown(message: &(impl Message + Serialize)) -> String {
    pretty(&tempo::write(message, Encoding::Json))
}

fn pretty(json: &[u8]) -> String {
    let tree: serde_json::Value = serde_json::from_slice(json).expect("JSON");
    serde_json::to_string_pretty(&tree).expect("JSON")
}

#[test]
fn trace_response_is_written() {
    let mut span = span();
    span.parent = Some(SpanId([3; 8]));
    span.kind = SpanKind::Client;
    span.status = SpanStatus::Error;
    span.status_message = "no answer".to_owned();
    span.attributes = vec![
        ("list".into(), SpanValue::List(vec![SpanValue::Int(1), SpanValue::from("b")])),
        ("map".into(), SpanValue::Map(vec![("nan".into(), SpanValue::Float(f64::NAN))])),
        ("bytes".into(), SpanValue::Bytes(vec![1, 2, 3])),
        ("empty".into(), SpanValue::Empty),
    ];
    span.events = vec![SpanEvent { at: 5, name: "exception".into(), ..SpanEvent::default() }];
    span.links = vec![SpanLink {
        trace: TraceId([9; 16]),
        span: SpanId([8; 8]),
        trace_state: String::new(),
        attributes: Vec::new(),
        dropped_attributes: 0,
        flags: 1,
    }];
    let spans = [span];
    insta::assert_snapshot!("trace_v2", shown(&tempo::trace_by_id(&spans)));
    insta::assert_snapshot!("trace_v1", pretty(&tempo::write_batches(&tempo::trace(&spans))));
    insta::assert_snapshot!("trace_v2_empty", shown(&tempo::trace_by_id(&[])));
    let empty = tempo::write(&tempo::trace_by_id(&[]), Encoding::Protobuf);
    assert_eq!(empty, [0x0a, 0, 0x12, 0], "an empty trace is present");
}
