//! Spans emitted by the tracer.

use baton_telemetry::{SpanOrigin, SpanSink, TelemetrySettings, Tracer};
use baton_types::{Span, SpanKind, SpanStatus, SpanValue, TraceContext};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

#[derive(Default)]
struct RecordingSink {
    spans: Mutex<Vec<Span>>,
    ticks: AtomicU64,
}

impl SpanSink for RecordingSink {
    fn emit(&self, span: Span) {
        self.spans.lock().unwrap().push(span);
    }

    fn now(&self) -> u64 {
        self.ticks.fetch_add(1, Ordering::Relaxed)
    }

    fn random_bytes(&self) -> [u8; 16] {
        u128::from(self.ticks.fetch_add(1, Ordering::Relaxed) + 1).to_be_bytes()
    }
}

const GIVEN: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[test]
fn nested_span_is_emitted_when_it_ends() {
    let sink = Arc::new(RecordingSink::default());
    let tracer = Tracer::new(sink.clone(), SpanOrigin::new(TelemetrySettings::default(), "here"));
    let given = TraceContext::parse(GIVEN).unwrap();
    let mut outer = tracer.start(SpanKind::Server, "outer", Some(given));
    let inner = tracer.start(SpanKind::Client, "inner", outer.context());
    assert!(sink.spans.lock().unwrap().is_empty(), "no span has ended");
    inner.end();
    outer.set("a", 1_i64);
    outer.set("a", 2_i64);
    outer.fail("timeout", "it took too long");
    drop(outer);
    let spans = sink.spans.lock().unwrap();
    let [inner, outer] = spans.as_slice() else { panic!("{spans:?}") };
    assert_eq!((outer.trace, outer.parent), (given.trace, Some(given.span)));
    assert_eq!((inner.trace, inner.parent), (given.trace, Some(outer.id)));
    assert_eq!(outer.attribute("a"), Some(&SpanValue::Int(2)));
    assert_eq!((outer.status, outer.status_message.as_str()), (SpanStatus::Error, "it took too long"));
    assert!(outer.start <= inner.start && inner.end <= outer.end);
    assert_eq!(outer.events[0].name, "feature_flag", "the first span contains the emit mode");
    assert!(inner.events.is_empty());
}

#[test]
fn without_a_sink_contexts_pass_through() {
    let tracer = Tracer::off();
    let given = TraceContext::parse(GIVEN);
    let mut span = tracer.start(SpanKind::Server, "nothing", given);
    span.set("a", 1_i64);
    assert_eq!(span.context(), given);
    assert!(!span.is_on());
    assert_eq!(tracer.start(SpanKind::Server, "nothing", None).context(), None);
}

#[test]
fn trace_contexts_are_parsed_as_recommended() {
    for (text, good) in [
        (GIVEN, true),
        ("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-the-future-is", true),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", false),
        ("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false),
        ("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", false),
        ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", false),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false),
        ("00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01", false),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7", false),
        ("", false),
    ] {
        assert_eq!(TraceContext::parse(text).is_some(), good, "{text}");
    }
    let read = TraceContext::parse(GIVEN).unwrap();
    assert_eq!(read.to_string(), GIVEN);
}
