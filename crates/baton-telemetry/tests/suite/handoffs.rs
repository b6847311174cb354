//! Spans of handoffs: message, result and error are content and appear only if content is captured.

use baton_telemetry::{ContentCapture, EmitMode, HandoffSpans, SpanOrigin, TelemetrySettings};
use baton_types::{
    ChannelReason, ExpectedOutput, Handoff, HandoffChannel, HandoffEvent, HandoffStatus, Json, Priority, Span,
    Timestamp,
};

/// Occurs in every part written by the sender or the receiver.
const SECRET: &str = "the merger closes on Friday";

fn handoff() -> Handoff {
    Handoff {
        id: "h1".into(),
        from_agent: "personal".into(),
        to_agent: "weather".into(),
        capability_id: "forecast".to_owned(),
        task: SECRET.to_owned(),
        inputs: Json::string(SECRET),
        expected_output: ExpectedOutput::default(),
        priority: Priority::Normal,
        timeout_ms: 1000,
        created_at: Timestamp::from_millis(1),
        parent_task: Some("t1".into()),
        parent_call: None,
        child_task: Some("t2".into()),
        child_context: "c2".into(),
        channel: HandoffChannel::default(),
        channel_reason: None,
        agent_uri: None,
        trace: None,
    }
}

fn span(content: ContentCapture, mode: EmitMode, to: HandoffStatus) -> Span {
    let origin = SpanOrigin::new(TelemetrySettings { content, mode, ..TelemetrySettings::default() }, "test");
    let mut spans = HandoffSpans::default();
    let created = HandoffEvent::Created(Box::new(handoff()));
    assert!(spans.apply(Timestamp::from_millis(1), &created, &origin).is_none());
    let moved = HandoffEvent::StatusChanged {
        to,
        result: (to == HandoffStatus::Completed).then(|| Json::string(SECRET)),
        error: (to != HandoffStatus::Completed).then(|| SECRET.to_owned()),
        result_trace_id: None,
    };
    spans.apply(Timestamp::from_millis(2), &moved, &origin).unwrap()
}

#[test]
fn handoff_texts_are_recorded_only_with_content() {
    for mode in [EmitMode::Dual, EmitMode::Otel, EmitMode::Legacy] {
        for to in [HandoffStatus::Completed, HandoffStatus::Failed, HandoffStatus::Rejected] {
            for (content, shown) in [
                (ContentCapture::Hidden, false),
                (ContentCapture::Event, false),
                (ContentCapture::Span, true),
                (ContentCapture::Both, true),
            ] {
                let span = format!("{:?}", span(content, mode, to));
                assert_eq!(span.contains(SECRET), shown, "{mode:?} {to:?} {content:?}: {span}");
                for known in ["personal", "weather", to.as_str()] {
                    assert!(span.contains(known), "{known} in {span}");
                }
            }
        }
    }
}

#[test]
fn handoff_span_contains_channel_and_reason() {
    let origin = SpanOrigin::new(TelemetrySettings::default(), "test");
    let mut spans = HandoffSpans::default();
    let reason = Some(ChannelReason::CallerRunsTools);
    let begun = Handoff { channel: HandoffChannel::Sampling, channel_reason: reason, ..handoff() };
    let ended = |spans: &mut HandoffSpans| {
        let (to, error) = (HandoffStatus::Completed, None);
        let moved = HandoffEvent::StatusChanged { to, result: None, error, result_trace_id: None };
        spans.apply(Timestamp::from_millis(3), &moved, &origin).unwrap()
    };
    let said = |span: &Span| {
        let said = |key: &str| {
            let found = span.attributes.iter().find(|(name, _)| name.as_ref() == key);
            found.map(|(_, value)| format!("{value:?}")).unwrap_or_default()
        };
        [said("handoff.channel"), said("handoff.channel_reason")].join(" ")
    };
    spans.apply(Timestamp::from_millis(1), &HandoffEvent::Created(Box::new(begun.clone())), &origin);
    let asked = said(&ended(&mut spans.clone()));
    assert!(asked.contains("sampling") && asked.contains("caller_runs_tools"), "{asked}");
    let rerouted = HandoffEvent::Rerouted {
        channel: HandoffChannel::Direct,
        reason: ChannelReason::OtherModel,
        model: Some(SECRET.to_owned()),
    };
    assert!(spans.apply(Timestamp::from_millis(2), &rerouted, &origin).is_none());
    let span = ended(&mut spans);
    let direct = said(&span);
    assert!(direct.contains("direct") && direct.contains("other_model"), "{direct}");
    assert!(span.events.iter().any(|event| event.name.as_ref() == "handoff.rerouted"), "{span:?}");
    assert!(!format!("{span:?}").contains(SECRET), "text of a client is content");
}
