//! Spans of an instrumented team: insights, handoffs, generated code and governed tasks of two projects.

use crate::binary::request;
use serde_json::{Value, json};

/// Start of the first of two ten-minute intervals, in Unix seconds.
pub(super) const BEGIN: u64 = 1_794_816_000;

/// A compact span definition.
struct SpanSpec<'a> {
    /// Seconds after [`BEGIN`].
    at: u64,
    milliseconds: u64,
    name: &'a str,
    kind: u8,
    failed: bool,
    attributes: Value,
}

const INTERNAL: u8 = 1;
const PRODUCER: u8 = 4;

fn span(at: u64, milliseconds: u64, name: &str, attributes: Value) -> SpanSpec<'_> {
    SpanSpec { at, milliseconds, name, kind: INTERNAL, failed: false, attributes }
}

fn failed(at: u64, milliseconds: u64, name: &str, attributes: Value) -> SpanSpec<'_> {
    SpanSpec { failed: true, ..span(at, milliseconds, name, attributes) }
}

fn insight<'a>(at: u64, kind: &'a str, confidence: f64, model: &str, tokens: (u64, u64), finish: &str) -> SpanSpec<'a> {
    let system = if model.starts_with("claude") { "anthropic" } else { "openai" };
    let attributes = json!({
        "insight.type": kind.trim_start_matches("insight."), "insight.confidence": confidence,
        "insight.summary": format!("what the {kind} says"), "insight.audience": "both",
        "gen_ai.system": system, "gen_ai.request.model": model, "gen_ai.operation.name": "insight.emit",
        "gen_ai.usage.input_tokens": tokens.0, "gen_ai.usage.output_tokens": tokens.1,
        "gen_ai.response.finish_reasons": [finish],
    });
    span(at, 10, kind, attributes)
}

fn handoff(at: u64, milliseconds: u64, status: &str) -> SpanSpec<'static> {
    let attributes = json!({ "handoff.id": format!("handoff-{at}"), "handoff.capability_id": "generate_code",
        "handoff.status": status, "gen_ai.operation.name": "handoff.request" });
    SpanSpec { kind: PRODUCER, failed: status == "failed", ..span(at, milliseconds, "handoff.request", attributes) }
}

fn preflight(at: u64, lines: u64, action: &str) -> SpanSpec<'static> {
    let attributes = json!({ "gen_ai.code.estimated_lines": lines, "gen_ai.code.action": action,
        "gen_ai.code.max_lines_allowed": 150 });
    SpanSpec { failed: action == "reject", ..span(at, 5, "code_generation.preflight", attributes) }
}

fn generated(at: u64, lines: u64) -> SpanSpec<'static> {
    span(at, 900, "code_generation.generate", json!({ "gen_ai.code.actual_lines": lines }))
}

fn verified(at: u64, result: &str) -> SpanSpec<'static> {
    let attributes = json!({ "gen_ai.code.verification_result": result, "gen_ai.code.target_file": "cart.py",
        "gen_ai.code.truncated": result == "failed_truncation" });
    SpanSpec { failed: result != "passed", ..span(at, 20, "code_generation.verify", attributes) }
}

fn task(at: u64, phase: &str, status: &str, gate: &str) -> SpanSpec<'static> {
    let attributes = json!({ "task.id": format!("PI-{at}"), "task.phase": phase, "task.status": status,
        "gate.result": gate, "gate.phase": phase, "task.blocked_reason": "two features are missing",
        "task.next_action": "design them" });
    SpanSpec { failed: gate == "fail", ..span(at, 50, "task", attributes) }
}

/// Traces of the queried project; the first span of each is the root, the others are its children.
fn of_checkout() -> Vec<Vec<SpanSpec<'static>>> {
    let root = |at, milliseconds| span(at, milliseconds, "code_generation.handle", json!({}));
    vec![
        vec![insight(10, "insight.decision", 0.95, "claude-sonnet-5", (100, 20), "stop")],
        vec![insight(20, "insight.decision", 0.8, "claude-sonnet-5", (200, 40), "stop")],
        vec![insight(30, "insight.lesson", 0.7, "gpt-5", (50, 10), "length")],
        vec![insight(610, "insight.risk", 0.9, "gpt-5", (150, 30), "stop")],
        vec![insight(620, "insight.recommendation", 0.9, "claude-sonnet-5", (300, 60), "stop")],
        vec![handoff(40, 2_000, "completed")],
        vec![handoff(640, 6_000, "failed")],
        vec![root(100, 1_000), preflight(101, 80, "generate"), generated(102, 90), verified(103, "passed")],
        vec![root(700, 3_000), preflight(701, 300, "decompose"), verified(703, "failed_truncation")],
        vec![failed(800, 500, "code_generation.handle", json!({})), preflight(801, 350, "reject")],
        vec![
            root(900, 1_000),
            preflight(901, 100, "generate"),
            generated(902, 120),
            verified(903, "failed_missing_exports"),
        ],
        vec![task(200, "DESIGN", "completed", "pass"), task(300, "FINALIZE_VERIFY", "completed", "pass")],
        vec![task(1_000, "IMPLEMENT", "blocked", "fail"), task(1_100, "FINALIZE_VERIFY", "failed", "fail")],
    ]
}

/// Traces of another project, which no result may include.
fn of_billing() -> Vec<Vec<SpanSpec<'static>>> {
    vec![
        vec![insight(50, "insight.decision", 0.99, "claude-sonnet-5", (1_000, 1_000), "length")],
        vec![verified(60, "failed_truncation")],
        vec![handoff(70, 1_000, "failed")],
        vec![task(1_050, "FINALIZE_VERIFY", "blocked", "fail")],
    ]
}

fn value(value: &Value) -> Value {
    match value {
        Value::String(text) => json!({ "stringValue": text }),
        Value::Bool(flag) => json!({ "boolValue": flag }),
        Value::Array(values) => {
            json!({ "arrayValue": { "values": values.iter().map(self::value).collect::<Vec<_>>() } })
        }
        Value::Number(number) if number.is_u64() => json!({ "intValue": number.to_string() }),
        number => json!({ "doubleValue": number }),
    }
}

fn attributes(object: &Value) -> Vec<Value> {
    let fields = object.as_object().expect("an object").iter();
    fields.map(|(key, of)| json!({ "key": key, "value": value(of) })).collect()
}

/// Sends all traces as OTLP.
pub(super) fn send(url: &str) {
    let projects = [("checkout", of_checkout()), ("billing", of_billing())];
    let resources = projects.iter().enumerate().map(|(project, (name, traces))| {
        let spans = traces.iter().enumerate().flat_map(|(trace, spans)| {
            let id = (project * 100 + trace + 1) * 100;
            spans.iter().enumerate().map(move |(number, span)| {
                let start = (BEGIN + span.at) * 1_000_000_000;
                let mut all = attributes(&span.attributes);
                all.extend(attributes(&json!({ "project.id": name })));
                json!({
                    "traceId": format!("{id:032x}"), "spanId": format!("{:016x}", id + number), "name": span.name,
                    "parentSpanId": if number == 0 { String::new() } else { format!("{id:016x}") },
                    "kind": span.kind, "status": { "code": if span.failed { 2 } else { 0 } }, "attributes": all,
                    "startTimeUnixNano": start.to_string(),
                    "endTimeUnixNano": (start + span.milliseconds * 1_000_000).to_string(),
                })
            })
        });
        json!({
            "resource": { "attributes": attributes(&json!({ "service.name": "contextcore", "project.id": name })) },
            "scopeSpans": [{ "spans": spans.collect::<Vec<_>>() }],
        })
    });
    let body = json!({ "resourceSpans": resources.collect::<Vec<_>>() }).to_string();
    let reply = request(url, "POST", "/v1/traces", &[("Content-Type", "application/json")], &body);
    assert_eq!(reply.status, 200, "{reply:?}");
}
