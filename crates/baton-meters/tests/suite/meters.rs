//! Metering of spans.

use baton_meters::{MAX_SERIES, MeterLevels, MeterSource, Meters, instruments};
use baton_telemetry::{SpanObserver as _, SpanOrigin, TelemetrySettings, names, rewrite_attributes};
use baton_types::{
    InstrumentKind, MeterFamily, MeterSnapshot, MetricValue, Span, SpanDropCounts, SpanId, SpanKind, SpanStatus,
    SpanValue, TraceId,
};
use proptest::prelude::*;
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    future::Future,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

const SINCE: u64 = 1_000;

fn meters() -> Meters {
    Meters::new(&SpanOrigin::new(TelemetrySettings::default(), "here"), SINCE)
}

fn span(kind: SpanKind, name: &str, nanos: u64, attributes: &[(&'static str, SpanValue)]) -> Span {
    let origin = SpanOrigin::new(TelemetrySettings::default(), "here");
    Span {
        trace: TraceId([1; 16]),
        id: SpanId([1; 8]),
        parent: None,
        trace_state: String::new(),
        flags: 1,
        name: name.to_owned().into(),
        kind,
        start: 500,
        end: 500 + nanos,
        attributes: attributes.iter().map(|(key, value)| ((*key).into(), value.clone())).collect(),
        events: Vec::new(),
        links: Vec::new(),
        status: SpanStatus::Unset,
        status_message: String::new(),
        dropped: SpanDropCounts::default(),
        resource: origin.resource,
        scope: origin.scope,
    }
}

/// Result of a future that is ready at once, as those of all test sources are.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it waits"),
    }
}

fn read(meters: &Meters) -> MeterSnapshot {
    now(meters.read(2_000))
}

fn family<'a>(snapshot: &'a MeterSnapshot, name: &str) -> &'a MeterFamily {
    snapshot.families.iter().find(|family| family.instrument.name == name).unwrap_or_else(|| panic!("no {name}"))
}

fn shown(snapshot: &MeterSnapshot) -> String {
    let mut text = String::new();
    for MeterFamily { instrument, points } in &snapshot.families {
        for point in points {
            let labels: Vec<String> = point.labels.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
            let figure = match &point.value {
                MetricValue::Counter(figure) => format!("count {figure}"),
                MetricValue::Gauge(figure) => format!("level {figure}"),
                MetricValue::Histogram { buckets, sum } => {
                    let InstrumentKind::Histogram { bounds, .. } = instrument.kind else { panic!("{instrument:?}") };
                    assert_eq!(buckets.len(), bounds.len() + 1, "{instrument:?}");
                    let filled = buckets.iter().enumerate().filter(|(_, count)| **count > 0);
                    let upto = |index: usize| bounds.get(index).map_or("inf".to_owned(), f64::to_string);
                    let filled: Vec<String> =
                        filled.map(|(index, count)| format!("<={}: {count}", upto(index))).collect();
                    format!("{} sum {sum}", filled.join(", "))
                }
            };
            let _ = writeln!(text, "{} [{}] {{{}}} {figure}", instrument.name, instrument.unit, labels.join(", "));
        }
    }
    text
}

/// One span of each metered kind, and some that must be ignored.
fn one_of_each() -> Vec<Span> {
    let text = |text: &'static str| SpanValue::from(text);
    let tool = |name: &'static str, more: &[(&'static str, SpanValue)]| {
        let said = [
            (names::GEN_AI_OPERATION_NAME, text("execute_tool")),
            (names::GEN_AI_TOOL_NAME, text(name)),
            (names::GEN_AI_AGENT_NAME, text("weather")),
            (names::GEN_AI_TOOL_TYPE, text("function")),
        ];
        span(SpanKind::Internal, &format!("execute_tool {name}"), 30_000_000, &[&said, more].concat())
    };
    let served = |more: &[(&'static str, SpanValue)]| {
        let said = [
            (names::HTTP_REQUEST_METHOD, text("POST")),
            (names::HTTP_ROUTE, text("/agents/{agent}")),
            (names::HTTP_RESPONSE_STATUS_CODE, SpanValue::Int(200)),
            (names::URL_SCHEME, text("http")),
        ];
        span(SpanKind::Server, "SendMessage", 5_000_000, &[&said, more].concat())
    };
    let chat = [
        (names::GEN_AI_OPERATION_NAME, text("chat")),
        (names::GEN_AI_PROVIDER_NAME, text("baton")),
        (names::GEN_AI_REQUEST_MODEL, text("playbook")),
        (names::GEN_AI_USAGE_INPUT_TOKENS, SpanValue::Int(100)),
        (names::GEN_AI_USAGE_OUTPUT_TOKENS, SpanValue::Int(4)),
    ];
    let run = [
        (names::GEN_AI_OPERATION_NAME, text("invoke_agent")),
        (names::GEN_AI_AGENT_NAME, text("weather")),
        (names::TASK_STATE, text("completed")),
        // Totals of the run's model calls, which were counted already.
        (names::GEN_AI_USAGE_INPUT_TOKENS, SpanValue::Int(100)),
        (names::RUN_MODEL_CALLS, SpanValue::Int(2)),
        (names::RUN_TOOL_CALLS, SpanValue::Int(0)),
    ];
    let handoff = [
        (names::GEN_AI_OPERATION_NAME, text("handoff.request")),
        (names::HANDOFF_FROM_AGENT, text("trip")),
        (names::HANDOFF_TO_AGENT, text("weather")),
        (names::HANDOFF_CAPABILITY_ID, text("forecast")),
        (names::HANDOFF_STATUS, text("completed")),
    ];
    let mcp = |method: &'static str| [(names::MCP_METHOD_NAME, text(method)), (names::MCP_SERVER_NAME, text("files"))];
    let called = [(names::MCP_METHOD_NAME, text("tools/call")), (names::GEN_AI_TOOL_NAME, text("ask"))];
    let made_up = [(names::GEN_AI_TOOL_NAME, text("made-up")), (names::ERROR_TYPE, text("-32602"))];
    vec![
        span(SpanKind::Internal, "chat playbook", 20_000_000, &chat),
        span(SpanKind::Internal, "chat playbook", 20_000_001, &chat),
        span(SpanKind::Internal, "invoke_agent weather", 2_000_000_000, &run),
        tool("get_weather", &[]),
        tool("get_weather", &[(names::ERROR_TYPE, text("tool_error"))]),
        tool("read", &mcp("tools/call")),
        tool("refused", &[(names::BATON_OUTCOME, text("did_not_run"))]),
        tool("asks", &[(names::BATON_OUTCOME, text("asks"))]),
        tool("denied", &[(names::BATON_DECISION, text("deny"))]),
        span(SpanKind::Producer, "handoff.request", 3_000_000_000, &handoff),
        span(SpanKind::Internal, "approval", 90_000_000_000, &[(names::APPROVAL_DECISION, text("allow"))]),
        span(SpanKind::Internal, "input", 1, &[(names::APPROVAL_DECISION, text("allow"))]),
        span(SpanKind::Client, "tools/list", 60_000_000, &mcp("tools/list")),
        served(&[]),
        served(&called),
        served(&[&mcp("tools/call")[..1], &made_up].concat()),
        span(SpanKind::Client, "POST", 7, &[(names::HTTP_REQUEST_METHOD, text("POST"))]),
        span(SpanKind::Internal, "chat_room", 7, &[]),
    ]
}

#[test]
fn spans_are_metered_as_series() {
    let meters = meters();
    one_of_each().iter().for_each(|span| meters.observe(span));
    let snapshot = read(&meters);
    assert_eq!((snapshot.since, snapshot.at), (SINCE, 2_000));
    insta::assert_snapshot!(shown(&snapshot));
}

/// Older names have no tokens and no providers; everything else is counted equally.
#[test]
fn every_emit_mode_is_metered() {
    let counts = |mode| {
        let meters = meters();
        for mut span in one_of_each() {
            rewrite_attributes(&mut span.attributes, mode, baton_telemetry::Schema::V1_41);
            meters.observe(&span);
        }
        let snapshot = read(&meters);
        let total = |family: &MeterFamily| family.points.iter().map(|point| point.value.total()).sum::<u64>();
        snapshot.families.iter().map(|family| (family.instrument.name, total(family))).collect::<BTreeMap<_, _>>()
    };
    let dual = counts(baton_telemetry::EmitMode::Dual);
    assert_eq!(counts(baton_telemetry::EmitMode::Otel), dual);
    let mut legacy = counts(baton_telemetry::EmitMode::Legacy);
    assert_eq!(legacy.insert("gen_ai.client.token.usage", 4), None);
    assert_eq!(legacy, dual);
}

#[test]
fn series_beyond_the_limit_are_combined() {
    let meters = meters();
    let call = |number: usize| {
        let said = [
            (names::GEN_AI_OPERATION_NAME, SpanValue::from("execute_tool")),
            (names::GEN_AI_TOOL_NAME, format!("tool-{number}").into()),
        ];
        meters.observe(&span(SpanKind::Internal, "execute_tool", 1, &said));
    };
    (0..MAX_SERIES + 5).chain(0..3).for_each(call);
    let snapshot = read(&meters);
    let tools = &family(&snapshot, "gen_ai.execute_tool.duration").points;
    assert_eq!(tools.len(), MAX_SERIES + 1);
    let overflow: Vec<_> = tools.iter().filter(|point| point.labels[0].0 == instruments::OVERFLOW).collect();
    assert!(matches!(overflow.as_slice(), [point] if point.value.total() == 5), "{overflow:?}");
    assert_eq!(tools.iter().map(|point| point.value.total()).sum::<u64>(), MAX_SERIES as u64 + 8);
    let long = "é".repeat(100);
    let said = [(names::APPROVAL_DECISION, SpanValue::from(long))];
    meters.observe(&span(SpanKind::Internal, "approval", 1, &said));
    let snapshot = read(&meters);
    let (_, value) = &family(&snapshot, "baton.approval.duration").points[0].labels[0];
    assert_eq!(value.as_text().map(str::len), Some(128), "long names are truncated");
}

struct FixedSource;

impl MeterSource for FixedSource {
    fn collect<'a>(&'a self, levels: &'a mut MeterLevels) -> baton_ports::BoxFuture<'a, ()> {
        levels.add(&instruments::EXPORT_SENT, &["tempo", "traces"], 7);
        levels.add(&instruments::EXPORT_SENT, &["collector", "traces"], 5);
        levels.add(&instruments::EXPORT_WAITING, &["tempo", "traces"], 3);
        levels.add(&instruments::HTTP_DURATION, &["not told this way"], 1);
        Box::pin(std::future::ready(()))
    }
}

#[test]
fn sources_are_read_at_every_snapshot() {
    let meters = meters();
    meters.add_source(Arc::new(FixedSource));
    insta::assert_snapshot!(shown(&read(&meters)), @r#"
    baton.journal.events [{event}] {} count 0
    baton.journal.commits [{commit}] {} count 0
    baton.export.sent [{item}] {target=Text("collector"), signal=Text("traces")} count 5
    baton.export.sent [{item}] {target=Text("tempo"), signal=Text("traces")} count 7
    baton.export.waiting [By] {target=Text("tempo"), signal=Text("traces")} level 3
    "#);
}

#[test]
fn instrument_names_are_unique() {
    let mut names: Vec<&str> = instruments::ALL.iter().map(|instrument| instrument.name).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    for instrument in instruments::ALL {
        if let InstrumentKind::Histogram { bounds, .. } = instrument.kind {
            assert!(bounds.windows(2).all(|pair| pair[0] < pair[1]), "{instrument:?}");
        }
        assert!(instrument.help.ends_with('.') && !instrument.help.contains(['\\', '\n', '"']), "{instrument:?}");
    }
}

proptest! {
    /// Every value is counted in its bucket, also with concurrent writers.
    #[test]
    fn values_are_counted_in_their_bucket(
        values in prop::collection::vec((0_usize..3, prop_oneof![0_u64..20_000_000, 0_u64..100_000_000_000]), 1..60),
    ) {
        let meters = meters();
        let tools = ["a", "b", "c"];
        std::thread::scope(|scope| {
            let meters = &meters;
            for part in values.chunks(20) {
                scope.spawn(move || {
                    for (tool, took) in part {
                        let said = [
                            (names::GEN_AI_OPERATION_NAME, SpanValue::from("execute_tool")),
                            (names::GEN_AI_TOOL_NAME, SpanValue::from(tools[*tool])),
                        ];
                        meters.observe(&span(SpanKind::Internal, "execute_tool", *took, &said));
                    }
                });
            }
        });
        let snapshot = read(&meters);
        let family = family(&snapshot, "gen_ai.execute_tool.duration");
        let InstrumentKind::Histogram { bounds, .. } = family.instrument.kind else { panic!("{family:?}") };
        for point in &family.points {
            let tool = point.labels[0].1.as_text().and_then(|name| tools.iter().position(|tool| *tool == name));
            let took: Vec<f64> =
                values.iter().filter(|(name, _)| Some(*name) == tool).map(|(_, took)| *took as f64 / 1e9).collect();
            let MetricValue::Histogram { buckets, sum } = &point.value else { panic!("{point:?}") };
            let mut below = 0;
            for (count, bound) in buckets.iter().zip(bounds.iter().copied().chain([f64::INFINITY])) {
                below += count;
                prop_assert_eq!(below as usize, took.iter().filter(|took| **took <= bound).count());
            }
            prop_assert!((sum - took.iter().sum::<f64>()).abs() < 1e-6);
        }
        let told: usize = family.points.iter().map(|point| point.value.total() as usize).sum();
        prop_assert_eq!(told, values.len());
    }
}
