//! The operations.

use crate::{
    exchange::{Exchange, PLACEHOLDER},
    served::ServedAgents,
};
use anyhow::{Result, bail};
use baton_otlp::{Encoding, write_export};
use baton_types::{Span, SpanDropCounts, SpanId, SpanKind, SpanResource, SpanScope, SpanStatus, SpanValue, TraceId};
use serde_json::json;
use std::sync::Arc;

const SPANS_PER_TRACE: u8 = 10;
/// Traces of one export when the store is filled.
const STORED_TRACES: u8 = 20;
/// Exports in the store before the first operation; their numbers are above those of operations. A closing store writes
/// blocks only from this many spans on, so that the blocks are part of the cost of every operation.
const STORED_EXPORTS: std::ops::Range<u64> = 1_000_000..1_000_041;

/// An operation that can be repeated.
pub struct Operation(Exchange);

impl Operation {
    /// Names of all operations.
    pub const NAMES: [&str; 6] =
        ["a2a_send", "a2a_stream", "mcp_tool_call", "openai_response", "otlp_export", "traceql_query"];

    /// Prepares an operation and what it needs.
    pub async fn prepare(name: &str, served: &ServedAgents) -> Result<Self> {
        let mut filling = otlp_export(STORED_TRACES);
        for number in STORED_EXPORTS {
            filling.perform(served, number).await?;
        }
        Ok(Self(match name {
            "a2a_send" => a2a("SendMessage"),
            "a2a_stream" => a2a("SendStreamingMessage"),
            "mcp_tool_call" => mcp_tool_call(),
            "openai_response" => openai_response(),
            "otlp_export" => otlp_export(1),
            "traceql_query" => traceql_query(),
            _ => bail!("unknown operation {name}; the names are {}", Self::NAMES.join(", ")),
        }))
    }

    /// Does it once.
    pub async fn perform(&mut self, served: &ServedAgents, number: u64) -> Result<()> {
        self.0.perform(served, number).await
    }
}

fn a2a(method: &str) -> Exchange {
    let part = json!({ "text": format!("hello {PLACEHOLDER}") });
    let message = json!({ "messageId": format!("m-{PLACEHOLDER}"), "role": "ROLE_USER", "parts": [part] });
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": { "message": message } });
    Exchange::new("/agents/echo", request.to_string())
        .with_headers(&[("content-type", "application/json"), ("a2a-version", "1.0")])
        .expecting("TASK_STATE_COMPLETED")
        .expecting(&format!("echo: hello {PLACEHOLDER}"))
}

fn mcp_tool_call() -> Exchange {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "operations", "version": "1" },
    });
    // The operands are numbers, which have no leading zeros.
    let arguments = format!(r#"{{"a":2{PLACEHOLDER},"b":1000000000000}}"#);
    let params = format!(r#"{{"name":"add","arguments":{arguments},"_meta":{meta}}}"#);
    Exchange::new("/agents/adder/mcp", format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#))
        .with_headers(&[
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "add"),
        ])
        .expecting(&format!(r#""structuredContent":{{"sum":3{PLACEHOLDER}}}"#))
}

fn openai_response() -> Exchange {
    let request = json!({ "model": "echo", "input": format!("hello {PLACEHOLDER}") });
    Exchange::new("/v1/responses", request.to_string())
        .expecting(r#""status":"completed""#)
        .expecting(&format!("echo: hello {PLACEHOLDER}"))
}

/// An export of complete traces, whose ids contain the number of the request.
fn otlp_export(traces: u8) -> Exchange {
    let resource = SpanResource {
        attributes: vec![("service.name".into(), SpanValue::Text("shop".into()))],
        ..SpanResource::default()
    };
    let (resource, scope) = (Arc::new(resource), Arc::new(SpanScope::default()));
    let start = u64::try_from(baton_server::now().as_millis()).unwrap_or_default() * 1_000_000;
    let span = |trace: u8, step: u8| Span {
        trace: trace_id(trace),
        id: SpanId([b's', b'p', b'a', b'n', 0, 0, 0, step + 1]),
        parent: (step > 0).then_some(SpanId(*b"span\0\0\0\x01")),
        trace_state: String::new(),
        flags: 1,
        name: if step == 0 { "checkout".into() } else { "charge".into() },
        kind: if step == 0 { SpanKind::Server } else { SpanKind::Internal },
        start: start + u64::from(step) * 1_000_000,
        end: start + u64::from(step) * 2_000_000 + 5_000_000,
        attributes: vec![
            ("order".into(), SpanValue::Text(PLACEHOLDER.into())),
            ("http.route".into(), SpanValue::Text("/checkout".into())),
            ("step".into(), SpanValue::Int(step.into())),
            ("cached".into(), SpanValue::Bool(step.is_multiple_of(2))),
        ],
        events: Vec::new(),
        links: Vec::new(),
        status: SpanStatus::Unset,
        status_message: String::new(),
        dropped: SpanDropCounts::default(),
        resource: Arc::clone(&resource),
        scope: Arc::clone(&scope),
    };
    let spans: Vec<_> = (0..traces)
        .flat_map(|trace| (0..SPANS_PER_TRACE).map(move |step| (trace, step)))
        .map(|(trace, step)| span(trace, step))
        .collect();
    Exchange::new("/v1/traces", write_export(&spans, Encoding::Protobuf))
        .with_headers(&[("content-type", "application/x-protobuf")])
}

fn trace_id(trace: u8) -> TraceId {
    let mut id = [b'#'; 16];
    id[..4].copy_from_slice(&[b's', b'h', b'o', trace]);
    TraceId(id)
}

/// `{ resource.service.name = "shop" && span.order = "000001000007" && duration > 5ms }`: two of the traces of one export.
fn traceql_query() -> Exchange {
    let path = "/tempo/api/search?q=%7B%20resource.service.name%20%3D%20%22shop%22%20%26%26%20span.order%20%3D%20%22\
                000001000007%22%20%26%26%20duration%20%3E%205ms%20%7D&limit=2";
    Exchange::new(path, Vec::new()).with_headers(&[("accept", "application/json")]).expecting(r#""traceID""#)
}
