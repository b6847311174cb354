//! Spans derived from a journal form complete trees and contain every propagated trace context.

use crate::{check::all_events, world::World};
use baton_ports::StoredEvent;
use baton_telemetry::{EventMetadata, HandoffSpans, ModelLabel, SpanOrigin, TaskSpans, TelemetrySettings};
use baton_types::{JournalEvent, Span, SpanId, StreamId, TaskEvent, TraceContext, TraceId};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

pub(crate) fn projected(events: &[Arc<StoredEvent>]) -> Vec<Span> {
    let origin = SpanOrigin::new(TelemetrySettings::default(), "test");
    let label = |_: &baton_types::Digest| Some(ModelLabel::default());
    let (mut tasks, mut handoffs, mut spans) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    for event in events {
        match (&event.stream, &event.fact) {
            (StreamId::Task(id), JournalEvent::Task(fact)) => {
                let metadata = EventMetadata { number: event.number, at: event.at, trace: event.trace.as_deref() };
                let state = tasks.entry(id).or_insert_with(|| TaskSpans::submitted(id, fact).unwrap());
                state.apply(metadata, fact, label, &origin, &mut spans);
            }
            (StreamId::Handoff(id), JournalEvent::Handoff(fact)) => {
                let state: &mut HandoffSpans = handoffs.entry(id).or_default();
                spans.extend(state.apply(event.at, fact, &origin));
            }
            mixed => panic!("{mixed:?}"),
        }
    }
    assert!(tasks.values().all(TaskSpans::is_idle), "a span is still open at the end");
    spans
}

/// Every span is unique and has a parent in its trace; every run, model call, tool call and handoff has a span.
pub(crate) async fn assert_complete(world: &World) {
    let events = all_events(&world.journal).await;
    let spans = projected(&events);
    let mut known: BTreeMap<(TraceId, SpanId), &Span> = BTreeMap::new();
    for span in &spans {
        assert!(known.insert((span.trace, span.id), span).is_none(), "{} is duplicated", span.name);
    }
    for span in &spans {
        let parent = span.parent.map(|parent| known.get(&(span.trace, parent)).copied());
        let fits = match (span.name.split(' ').next().unwrap_or_default(), parent) {
            ("invoke_agent", None) => true,
            ("invoke_agent", Some(Some(parent))) => {
                parent.name == "handoff.request" || parent.name.starts_with("invoke_agent ")
            }
            ("handoff.request", Some(Some(parent))) => parent.name.starts_with("execute_tool "),
            (_, Some(Some(parent))) => parent.name.starts_with("invoke_agent "),
            _ => false,
        };
        assert!(fits, "{} has the wrong parent: {:?}", span.name, parent.flatten().map(|parent| &parent.name));
    }
    let count = |word: &str| spans.iter().filter(|span| span.name.split(' ').next() == Some(word)).count();
    let facts = |wanted: fn(&TaskEvent) -> bool| {
        events.iter().filter(|event| matches!(&event.fact, JournalEvent::Task(fact) if wanted(fact))).count()
    };
    assert_eq!(count("invoke_agent"), facts(|fact| matches!(fact, TaskEvent::RunStarted { .. })));
    assert_eq!(count("chat"), facts(|fact| matches!(fact, TaskEvent::AttemptStarted { .. })));
    let finished = facts(|fact| matches!(fact, TaskEvent::ToolFinished { .. }));
    assert!(count("execute_tool") >= finished, "{} of {finished} tool calls", count("execute_tool"));
    let mut called: BTreeSet<(&str, SpanId)> = BTreeSet::new();
    for span in &spans {
        if let Some(call) = span.attribute("gen_ai.tool.call.id").and_then(|call| call.as_text()) {
            called.insert((call, span.id));
        }
    }
    let ended = |call: &str| called.iter().any(|(known, _)| *known == call);
    for (call, trace) in world.traces.lock().unwrap().iter().filter(|(call, _)| ended(call.as_str())) {
        let given = TraceContext::parse(trace).unwrap_or_else(|| panic!("{call} was given no trace context"));
        assert!(called.contains(&(call.as_str(), given.span)), "{call} got a trace context without a span: {trace}");
    }
}
