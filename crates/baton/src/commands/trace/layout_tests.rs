//! Text output of traces, including malformed ones.

use super::{
    rows::Fold,
    side_by_side,
    terminal_style::{Glyphs, TerminalStyle},
    text_output,
    waterfall::WaterfallDetail,
};
use crate::screen::{Paint, render};
use baton_types::{
    Attributes, Span, SpanDropCounts, SpanEvent, SpanId, SpanKind, SpanLink, SpanResource, SpanScope, SpanStatus,
    SpanValue, TraceId,
};
use std::sync::Arc;

const MILLI: u64 = 1_000_000;
/// 2026-11-16 08:00 UTC.
const START: u64 = 1_794_816_000_000 * MILLI;

/// A span with this id and parent id; `from` and `to` are microseconds after [`START`].
fn span(id: u64, parent: u64, name: &str, from: u64, to: u64) -> Span {
    Span {
        trace: TraceId(*b"a trace to show!"),
        id: SpanId(id.to_be_bytes()),
        parent: (parent > 0).then(|| SpanId(parent.to_be_bytes())),
        trace_state: String::new(),
        flags: 1,
        name: name.to_owned().into(),
        kind: SpanKind::Internal,
        start: START + from * 1_000,
        end: START + to * 1_000,
        attributes: Vec::new(),
        events: Vec::new(),
        links: Vec::new(),
        status: SpanStatus::Unset,
        status_message: String::new(),
        dropped: SpanDropCounts::default(),
        resource: service("baton"),
        scope: Arc::new(SpanScope::default()),
    }
}

fn service(name: &str) -> Arc<SpanResource> {
    Arc::new(SpanResource {
        attributes: vec![("service.name".into(), name.to_owned().into())],
        ..SpanResource::default()
    })
}

trait SpanExt: Sized {
    fn with(self, key: &'static str, value: impl Into<SpanValue>) -> Self;
    fn kind(self, kind: SpanKind) -> Self;
    fn of(self, name: &str) -> Self;
    fn failed(self, why: &str) -> Self;
}

impl SpanExt for Span {
    fn with(mut self, key: &'static str, value: impl Into<SpanValue>) -> Self {
        self.attributes.push((key.into(), value.into()));
        self
    }

    fn kind(mut self, kind: SpanKind) -> Self {
        self.kind = kind;
        self
    }

    fn of(mut self, name: &str) -> Self {
        self.resource = service(name);
        self
    }

    fn failed(mut self, why: &str) -> Self {
        (self.status, self.status_message) = (SpanStatus::Error, why.to_owned());
        self
    }
}

fn look(width: usize) -> TerminalStyle {
    TerminalStyle { width, glyphs: Glyphs::UNICODE, paint: Paint::PLAIN }
}

fn shown(spans: &[Span], look: &TerminalStyle) -> String {
    text_output::lines(spans, Fold::Repeated, WaterfallDetail::Row, look).join("\n")
}

/// No line may be wider than the terminal.
fn checked(page: String, width: usize) -> String {
    for line in page.lines() {
        assert!(super::formatting::columns(line) <= width, "{} columns: {line}", super::formatting::columns(line));
    }
    page
}

macro_rules! snapshot {
    ($name:literal, $text:expr) => {
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!($name, $text);
        })
    };
}

/// A question through two agents in two processes, as in the demo.
fn two_agents() -> Vec<Span> {
    let agent = |span: Span, name: &'static str| span.with("gen_ai.agent.name", name).with("agent.id", name);
    let said =
        |role: &str, text: &str| format!(r#"[{{"role":"{role}","parts":[{{"type":"text","content":"{text}"}}]}}]"#);
    let call = r#"[{"role":"assistant","parts":[{"type":"tool_call","id":"call_1","name":"handoff","arguments":{}}]}]"#;
    vec![
        span(1, 0, "POST /agents/{agent}", 0, 1_842_000).kind(SpanKind::Server),
        agent(span(2, 1, "invoke_agent planner", 900, 1_840_000), "planner")
            .with("gen_ai.operation.name", "invoke_agent")
            .with("gen_ai.usage.input_tokens", 1_212_i64)
            .with("gen_ai.usage.output_tokens", 116_i64)
            .with("gen_ai.input.messages", said("user", "Should I take an umbrella in Oakland tomorrow?"))
            .with("gen_ai.output.messages", said("assistant", "No: it stays dry, at 18 degrees.")),
        agent(span(3, 2, "chat playbook", 1_000, 412_000), "planner")
            .with("gen_ai.operation.name", "chat")
            .with("gen_ai.usage.input_tokens", 400_i64)
            .with("gen_ai.usage.output_tokens", 20_i64)
            .with("gen_ai.usage.cost", 0.0012)
            .with("gen_ai.output.messages", call.to_owned()),
        agent(span(4, 2, "execute_tool handoff", 412_000, 1_500_000), "planner")
            .with("gen_ai.operation.name", "execute_tool")
            .with("gen_ai.tool.call.id", "call_1")
            .with("handoff.id", "h-1"),
        span(5, 4, "handoff.request", 412_000, 1_499_000)
            .kind(SpanKind::Producer)
            .with("gen_ai.operation.name", "handoff.request")
            .with("handoff.id", "h-1")
            .with("handoff.from_agent", "planner")
            .with("handoff.to_agent", "weather")
            .with("handoff.task", "The weather in Oakland tomorrow")
            .with("handoff.inputs", r#"{"city":"Oakland","day":"tomorrow"}"#)
            .with("handoff.status", "completed")
            .with("handoff.result", r#"{"response":"Dry, 18 degrees."}"#),
        span(6, 5, "SendStreamingMessage", 413_000, 1_498_000).kind(SpanKind::Client),
        span(7, 6, "POST /agents/{agent}", 412_800, 1_497_000).kind(SpanKind::Server).of("weather-service"),
        agent(span(8, 7, "invoke_agent weather", 415_000, 1_496_000), "weather")
            .of("weather-service")
            .with("gen_ai.operation.name", "invoke_agent")
            .with("gen_ai.input.messages", said("user", "The weather in Oakland tomorrow")),
        span(9, 8, "approval", 500_000, 900_000)
            .of("weather-service")
            .with("gen_ai.tool.name", "get_weather")
            .with("approval.decision", "allow_session"),
        agent(span(10, 8, "execute_tool get_weather", 900_000, 1_300_000), "weather")
            .of("weather-service")
            .with("gen_ai.operation.name", "execute_tool")
            .with("gen_ai.tool.name", "get_weather")
            .with("gen_ai.tool.call.arguments", r#"{"city":"Oakland"}"#)
            .with("gen_ai.tool.call.result", r#""18 degrees, no rain""#),
        agent(span(11, 8, "chat gpt-5", 1_300_000, 1_495_000), "weather")
            .of("weather-service")
            .kind(SpanKind::Client)
            .with("gen_ai.operation.name", "chat")
            .with("gen_ai.usage.input_tokens", 812_i64)
            .with("gen_ai.usage.output_tokens", 96_i64)
            .with("gen_ai.usage.cost", 0.0111)
            .with("gen_ai.output.messages", said("assistant", "Dry, 18 degrees.")),
        agent(span(12, 2, "insight.decision", 1_600_000, 1_600_300), "planner")
            .with("insight.type", "decision")
            .with("insight.summary", "No umbrella")
            .with("insight.rationale", "The forecast is dry, and the walk is short.")
            .with("insight.confidence", 0.9),
        agent(span(13, 2, "chat playbook", 1_600_000, 1_839_000), "planner")
            .with("gen_ai.operation.name", "chat")
            .with("gen_ai.output.messages", said("assistant", "No: it stays dry, at 18 degrees.")),
    ]
}

#[test]
fn a_question_through_two_agents() {
    let spans = two_agents();
    snapshot!("two_agents", checked(shown(&spans, &look(120)), 120));
    let ascii = TerminalStyle { glyphs: Glyphs::ASCII, ..look(80) };
    let text = checked(shown(&spans, &ascii), 80);
    assert!(text.is_ascii(), "{text}");
    snapshot!("two_agents_ascii", text);
    snapshot!("two_agents_narrow", checked(shown(&spans, &look(44)), 44));
    let coloured = TerminalStyle { paint: Paint::ALWAYS_COLOURED, ..look(100) };
    snapshot!("two_agents_coloured", render(&shown(&spans, &coloured)).replace('\u{1b}', "ESC"));
}

#[test]
fn a_run_that_fails() {
    let mut spans = vec![
        span(1, 0, "invoke_agent files", 0, 900)
            .with("gen_ai.agent.name", "files")
            .failed("the run reached its limit of model calls"),
        span(2, 1, "chat gpt-5", 0, 400),
        span(3, 1, "execute_tool read_file", 400, 700)
            .with("gen_ai.tool.name", "read_file")
            .with("error.type", "tool_error")
            .failed(
                "no such file: /etc/motd, and this message is so long that no terminal of this width shows all of it",
            ),
        span(4, 1, "execute_tool read_file", 700, 800).with("gen_ai.tool.name", "read_file"),
    ];
    let thrown: Attributes = vec![("exception.message".into(), "connection reset".into())];
    spans[3].status = SpanStatus::Error;
    spans[3].events =
        vec![SpanEvent { at: START + 750_000, name: "exception".into(), attributes: thrown, dropped_attributes: 0 }];
    spans[3].links = vec![SpanLink {
        trace: TraceId([7; 16]),
        span: SpanId([9; 8]),
        trace_state: String::new(),
        attributes: vec![("link.relationship".into(), "retry".into())],
        dropped_attributes: 0,
        flags: 1,
    }];
    snapshot!("failing", checked(shown(&spans, &look(90)), 90));
    let all = text_output::lines(&spans, Fold::Repeated, WaterfallDetail::Attributes, &look(90)).join("\n");
    snapshot!("failing_attributes", checked(all, 90));
}

#[test]
fn odd_trees() {
    let mut spans = vec![
        span(10, 99, "an orphan", 2_000, 3_000),
        span(1, 0, "first root", 0, 1_000),
        span(2, 0, "second root", 500, 4_000).of("other"),
        span(3, 1, "no time at all", 700, 700),
        span(4, 1, "ends before it begins", 900, 100),
        span(5, 2, "begins a little before its parent", 100, 3_000).of("other"),
        span(6, 2, "begins long before its parent", 0, 600).of("other"),
        span(7, 8, "in a circle", 1_000, 1_100),
        span(8, 7, "in the same circle", 1_050, 1_200),
        span(9, 8, "below the circle", 1_060, 1_100),
        span(11, 11, "its own parent", 3_500, 3_600),
        span(12, 1, "", 100, 200),
        span(13, 1, "天気予報を確認する、とても長い名前のスパン", 200, 900).kind(SpanKind::Consumer),
        span(14, 1, "steer\u{1b}[31m the\nterminal", 300, 400),
    ];
    // Sent twice, as by a retrying client.
    spans.push(spans[1].clone());
    spans[6].start = START - 40 * MILLI;
    snapshot!("odd_trees", checked(shown(&spans, &look(100)), 100));
    assert_eq!(shown(&[], &look(100)), "");
    snapshot!("one_moment", checked(shown(&[span(1, 0, "now", 5, 5)], &look(60)), 60));
}

/// Small clock differences do not make a trace longer; larger ones are shown.
#[test]
fn a_child_that_began_before_its_parent() {
    let spans = |before: u64| [span(1, 0, "parent", 5_000, 9_000), span(2, 1, "child", 5_000 - before, 7_000)];
    let of = |before: u64| {
        let spans = spans(before);
        let tree = super::tree::TraceTree::new(&spans);
        (tree.start - START, tree.nodes[1].start - START, tree.duration())
    };
    assert_eq!([of(1), of(1_000), of(1_001)].map(|(start, ..)| start / 1_000), [5_000, 5_000, 3_999]);
    assert_eq!((of(1_000), of(1_001).2), ((5 * MILLI, 5 * MILLI, 4 * MILLI), 5_001_000));
}

#[test]
fn ten_thousand_spans_are_counted_not_listed() {
    let mut spans = vec![span(1, 0, "invoke_agent busy", 0, 10_000_000)];
    for id in 2..10_000 {
        let name = if id % 2 == 0 { "execute_tool search" } else { "chat gpt-5" };
        let one = span(id, 1, name, id * 1_000, id * 1_000 + 500);
        spans.push(if id == 7_000 { one.failed("out of memory") } else { one });
    }
    spans.push(span(20_000, 5, "inner", 5_000, 5_100));
    snapshot!("ten_thousand", checked(shown(&spans, &look(100)), 100));
    let all = text_output::lines(&spans, Fold::Nothing, WaterfallDetail::Row, &look(100));
    assert!(all.len() > 10_000, "{} lines", all.len());
}

#[test]
fn deep_and_wide_trees_are_truncated() {
    let deep: Vec<Span> = (1..=10_000).map(|id| span(id, id - 1, "deeper", id, 20_000 - id)).collect();
    let text = checked(shown(&deep, &look(100)), 100);
    let (start, end): (Vec<&str>, Vec<&str>) = (text.lines().take(30).collect(), text.lines().skip(1_000).collect());
    snapshot!("deep", format!("{}\n[...]\n{}", start.join("\n"), end.join("\n")));
    let wide: Vec<Span> =
        (1..=5_000).map(|id| span(id, u64::from(id > 1), &format!("step {id}"), id, id + 5)).collect();
    let text = checked(shown(&wide, &look(100)), 100);
    let end: Vec<&str> = text.lines().skip(100).collect();
    snapshot!("wide", end.join("\n"));
}

#[test]
fn missing_content_is_reported() {
    let spans = [
        span(1, 0, "invoke_agent helper", 0, 2_000).with("gen_ai.agent.name", "helper"),
        span(2, 1, "chat gpt-5", 0, 500),
        span(3, 1, "execute_tool get_time", 500, 900).with("gen_ai.agent.name", "helper"),
    ];
    snapshot!("without_content", checked(shown(&spans, &look(80)), 80));
    let http = [span(1, 0, "GET /", 0, 2_000).kind(SpanKind::Server)];
    assert!(!shown(&http, &look(80)).contains("transcript"));
}

/// The same question, answered by another model, with a failing tool and without one of the earlier calls.
fn second_run() -> Vec<Span> {
    let mut spans = two_agents();
    spans.retain(|span| !span.name.starts_with("insight") && &*span.name != "approval");
    for span in &mut spans {
        span.trace = TraceId(*b"a trace to diff!");
        if &*span.name == "chat gpt-5" {
            span.name = "chat gpt-5-mini".into();
        }
        if &*span.name == "execute_tool get_weather" {
            span.end += 900 * MILLI;
            *span = span.clone().failed("the weather service does not answer");
        }
    }
    let again = |id: u64, name: &str| {
        let mut span = span(id, 8, name, 1_400_000, 1_450_000).of("weather-service");
        span.trace = TraceId(*b"a trace to diff!");
        span
    };
    spans.push(again(20, "execute_tool get_weather"));
    spans.push(again(21, "execute_tool cached_weather"));
    spans
}

#[test]
fn two_traces_side_by_side() {
    let (a, b) = (two_agents(), second_run());
    let shown = |look: &TerminalStyle| side_by_side::lines(&a, &b, Fold::Repeated, look).join("\n");
    snapshot!("diff", checked(shown(&look(120)), 120));
    let ascii = TerminalStyle { glyphs: Glyphs::ASCII, ..look(80) };
    let text = checked(shown(&ascii), 80);
    assert!(text.is_ascii(), "{text}");
    snapshot!("diff_ascii", text);
    snapshot!("diff_narrow", checked(shown(&look(50)), 50));
    let same = side_by_side::lines(&a, &a, Fold::Repeated, &look(100));
    assert_eq!(same.last().map(String::as_str), Some("every span has a counterpart"));
    assert!(same.iter().all(|line| !line.contains('%') && !line.contains("only in")), "{same:#?}");
}

/// Deep, wide and malformed traces are truncated, too.
#[test]
fn large_traces_side_by_side() {
    let deep: Vec<Span> = (1..=10_000).map(|id| span(id, id - 1, "deeper", id, 20_000 - id)).collect();
    let wide: Vec<Span> =
        (1..=5_000).map(|id| span(id, u64::from(id > 1), &format!("step {id}"), id, id + 5)).collect();
    let repeated: Vec<Span> = (1..=5_000).map(|id| span(id, u64::from(id > 1), "again", id, id + 5)).collect();
    for (a, b, rows) in [(&deep, &wide, 1_000), (&wide, &deep, 1_000), (&deep, &deep, 1_000), (&repeated, &wide, 1_000)]
    {
        let lines = side_by_side::lines(a, b, Fold::Repeated, &look(100));
        assert!(lines.len() > rows && lines.len() < rows + 20, "{}", lines.len());
        checked(lines.join("\n"), 100);
    }
    let twice = side_by_side::lines(&repeated, &repeated, Fold::Repeated, &look(100));
    assert!(twice.iter().any(|line| line.contains("again x4999")), "{twice:#?}");
    assert_eq!(side_by_side::lines(&[], &[], Fold::Repeated, &look(100)).len(), 9);
}
