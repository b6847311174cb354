//! Spans with all fields.

use baton_types::{
    AttributeKey, Span, SpanDropCounts, SpanEvent, SpanId, SpanKind, SpanLink, SpanResource, SpanScope, SpanStatus,
    SpanValue, TraceId,
};
use std::sync::Arc;

pub(crate) fn span(number: u8) -> Span {
    Span {
        trace: TraceId([number; 16]),
        id: SpanId([number; 8]),
        parent: None,
        trace_state: String::new(),
        flags: 0,
        name: AttributeKey::Borrowed("chat model"),
        kind: SpanKind::Internal,
        start: 1_794_816_000_000_000_000 + u64::from(number),
        end: 1_794_816_000_250_000_000 + u64::from(number),
        attributes: Vec::new(),
        events: Vec::new(),
        links: Vec::new(),
        status: SpanStatus::Unset,
        status_message: String::new(),
        dropped: SpanDropCounts::default(),
        resource: Arc::default(),
        scope: Arc::default(),
    }
}

pub(crate) fn full() -> Span {
    let key = |text: &'static str| AttributeKey::Borrowed(text);
    Span {
        parent: Some(SpanId([9; 8])),
        trace_state: "a=b".to_owned(),
        kind: SpanKind::Client,
        status: SpanStatus::Error,
        status_message: "no such city".to_owned(),
        attributes: vec![
            (key("gen_ai.request.model"), "model-1".into()),
            (key("gen_ai.usage.input_tokens"), SpanValue::Int(9_007_199_254_740_993)),
            (key("gen_ai.usage.output_tokens"), "many".into()),
            (key("insight.confidence"), SpanValue::Int(1)),
            (key("agent.id"), SpanValue::Int(7)),
            (key("score"), SpanValue::Float(0.5)),
            (key("whole"), SpanValue::Float(2.0)),
            (key("not a number"), SpanValue::Float(f64::NAN)),
            (key("cached"), SpanValue::Bool(true)),
            (key("list"), SpanValue::List(vec![SpanValue::Int(1), "two".into(), SpanValue::Empty])),
            (key("map"), SpanValue::Map(vec![(key("b"), SpanValue::Bool(false)), (key("a"), SpanValue::Float(1.5))])),
            (key("bytes"), SpanValue::Bytes(vec![1, 2, 3])),
            (key("nothing"), SpanValue::Empty),
        ],
        events: vec![SpanEvent {
            at: 1_794_816_000_100_000_000,
            name: key("exception"),
            attributes: vec![(key("message"), "a \"quoted\" word".into())],
            dropped_attributes: 0,
        }],
        links: vec![SpanLink {
            trace: TraceId([3; 16]),
            span: SpanId([4; 8]),
            trace_state: String::new(),
            attributes: vec![(key("link.relationship"), "caused_by".into())],
            dropped_attributes: 0,
            flags: 0,
        }],
        resource: Arc::new(SpanResource {
            attributes: vec![
                (key("service.name"), "weather".into()),
                (key("project.id"), "checkout".into()),
                (key("agent.id"), "of the resource".into()),
            ],
            ..SpanResource::default()
        }),
        scope: Arc::new(SpanScope { name: "baton".to_owned(), version: "1".to_owned(), ..SpanScope::default() }),
        ..span(1)
    }
}
