//! Live spans: started, edited, and emitted when they end.

use crate::{SpanSink, TelemetrySettings, names, shape::rewrite_attributes};
use baton_types::{
    AttributeKey, Span, SpanDropCounts, SpanEvent, SpanId, SpanKind, SpanLink, SpanResource, SpanScope, SpanStatus,
    SpanValue, TraceContext, TraceId,
};
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Instrumentation scope of all spans of this process.
pub const SCOPE: &str = "baton";

/// Creates spans; cheap to clone. A disabled tracer creates none.
#[derive(Clone, Default)]
pub struct Tracer {
    on: Option<Arc<ActiveTracer>>,
}

struct ActiveTracer {
    sink: Arc<dyn SpanSink>,
    origin: SpanOrigin,
    /// Whether a span has already reported the emit mode.
    mode_reported: AtomicBool,
}

/// Resource, scope and settings that all spans of a process share.
#[derive(Clone, Debug)]
pub struct SpanOrigin {
    /// The service on its host.
    pub resource: Arc<SpanResource>,
    /// The instrumentation scope.
    pub scope: Arc<SpanScope>,
    /// Telemetry settings.
    pub settings: TelemetrySettings,
}

impl SpanOrigin {
    /// Origin with the service name of the settings and the version of this build.
    pub fn new(settings: TelemetrySettings, instance: &str) -> Self {
        let version = env!("CARGO_PKG_VERSION");
        let mut attributes: Vec<(AttributeKey, SpanValue)> = vec![
            (names::SERVICE_NAME.into(), settings.service.clone().into()),
            (names::SERVICE_VERSION.into(), version.into()),
            (names::SERVICE_INSTANCE_ID.into(), instance.to_owned().into()),
            (names::TELEMETRY_SDK_NAME.into(), SCOPE.into()),
            (names::TELEMETRY_SDK_LANGUAGE.into(), "rust".into()),
        ];
        for (key, value) in &settings.resource {
            match attributes.iter_mut().find(|(known, _)| known == key) {
                Some((_, known)) if key != names::SERVICE_NAME => *known = value.clone().into(),
                Some(_) => {}
                None => attributes.push((key.clone().into(), value.clone().into())),
            }
        }
        let resource = SpanResource { attributes, ..SpanResource::default() };
        let scope = SpanScope {
            name: SCOPE.to_owned(),
            version: version.to_owned(),
            schema_url: settings.schema.url().to_owned(),
            ..SpanScope::default()
        };
        Self { resource: Arc::new(resource), scope: Arc::new(scope), settings }
    }
}

impl Tracer {
    /// A tracer that emits spans into the sink.
    pub fn new(sink: Arc<dyn SpanSink>, origin: SpanOrigin) -> Self {
        Self { on: Some(Arc::new(ActiveTracer { sink, origin, mode_reported: AtomicBool::new(false) })) }
    }

    /// A disabled tracer, which creates no spans and propagates contexts.
    pub fn off() -> Self {
        Self::default()
    }

    /// Whether spans are created.
    pub fn is_on(&self) -> bool {
        self.on.is_some()
    }

    /// Telemetry settings; none if disabled.
    pub fn settings(&self) -> Option<&TelemetrySettings> {
        self.on.as_ref().map(|on| &on.origin.settings)
    }

    /// Starts a span: as a child of `parent`, or as the root of a new trace.
    pub fn start(&self, kind: SpanKind, name: impl Into<AttributeKey>, parent: Option<TraceContext>) -> OpenSpan {
        let Some(on) = &self.on else { return OpenSpan { parent_context: parent, open: None } };
        let fresh = on.sink.random_bytes();
        let mut id = [0; 8];
        id.copy_from_slice(&fresh[8..]);
        id[0] |= 1;
        let trace = parent.map_or_else(|| TraceId(on.sink.random_bytes()), |parent| parent.trace);
        let span = Span {
            trace,
            id: SpanId(id),
            parent: parent.map(|parent| parent.span),
            trace_state: String::new(),
            flags: parent.map_or(1, |parent| u32::from(parent.flags)),
            name: name.into(),
            kind,
            start: on.sink.now(),
            end: 0,
            attributes: Vec::with_capacity(12),
            events: on.mode_event(),
            links: Vec::new(),
            status: SpanStatus::Unset,
            status_message: String::new(),
            dropped: SpanDropCounts::default(),
            resource: Arc::clone(&on.origin.resource),
            scope: Arc::clone(&on.origin.scope),
        };
        OpenSpan { parent_context: None, open: Some(Box::new(RecordedSpan { span, on: Arc::clone(on) })) }
    }
}

impl ActiveTracer {
    /// Feature flag event with the emit mode and its source, for the first span only.
    fn mode_event(&self) -> Vec<SpanEvent> {
        if self.mode_reported.load(Ordering::Relaxed) || self.mode_reported.swap(true, Ordering::Relaxed) {
            return Vec::new();
        }
        let TelemetrySettings { mode, mode_source, .. } = &self.origin.settings;
        let mut attributes: Vec<(AttributeKey, SpanValue)> = vec![
            (names::FEATURE_FLAG_KEY.into(), "contextcore.emit_mode".into()),
            (names::FEATURE_FLAG_VARIANT.into(), mode.as_str().into()),
            (names::FEATURE_FLAG_PROVIDER.into(), mode_source.provider().into()),
        ];
        if let Some(value) = mode_source.value() {
            attributes.push((names::FEATURE_FLAG_VALUE.into(), value.to_owned().into()));
        }
        vec![SpanEvent { at: self.sink.now(), name: "feature_flag".into(), attributes, dropped_attributes: 0 }]
    }
}

impl fmt::Debug for Tracer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tracer").field("on", &self.is_on()).finish()
    }
}

/// A span that has not ended; dropping it ends it.
pub struct OpenSpan {
    parent_context: Option<TraceContext>,
    open: Option<Box<RecordedSpan>>,
}

struct RecordedSpan {
    span: Span,
    on: Arc<ActiveTracer>,
}

impl OpenSpan {
    /// Context for child spans; a disabled tracer returns the context of the parent.
    pub fn context(&self) -> Option<TraceContext> {
        match &self.open {
            Some(open) => Some(TraceContext {
                trace: open.span.trace,
                span: open.span.id,
                flags: u8::try_from(open.span.flags & 0xff).unwrap_or(1),
            }),
            None => self.parent_context,
        }
    }

    /// Whether the span is recorded.
    pub fn is_on(&self) -> bool {
        self.open.is_some()
    }

    /// Sets an attribute, replacing an earlier value.
    pub fn set(&mut self, key: impl Into<AttributeKey>, value: impl Into<SpanValue>) {
        if let Some(open) = &mut self.open {
            let key = key.into();
            match open.span.attributes.iter_mut().find(|(known, _)| *known == key) {
                Some((_, known)) => *known = value.into(),
                None => open.span.attributes.push((key, value.into())),
            }
        }
    }

    /// Sets an attribute; the value is computed only if the span is recorded.
    pub fn set_with<V: Into<SpanValue>>(&mut self, key: &'static str, value: impl FnOnce() -> V) {
        if self.open.is_some() {
            self.set(key, value());
        }
    }

    /// Sets an attribute, if there is a value.
    pub fn set_some(&mut self, key: &'static str, value: Option<impl Into<SpanValue>>) {
        if let Some(value) = value {
            self.set(key, value);
        }
    }

    /// Replaces the name.
    pub fn rename(&mut self, name: impl Into<AttributeKey>) {
        if let Some(open) = &mut self.open {
            open.span.name = name.into();
        }
    }

    /// Adds an event at the current time.
    pub fn event(&mut self, name: impl Into<AttributeKey>, attributes: Vec<(AttributeKey, SpanValue)>) {
        if let Some(open) = &mut self.open {
            let at = open.on.sink.now();
            open.span.events.push(SpanEvent { at, name: name.into(), attributes, dropped_attributes: 0 });
        }
    }

    /// Adds a link to another span.
    pub fn link(&mut self, to: TraceContext, relationship: &'static str) {
        if let Some(open) = &mut self.open {
            open.span.links.push(SpanLink {
                trace: to.trace,
                span: to.span,
                trace_state: String::new(),
                attributes: vec![(names::LINK_RELATIONSHIP.into(), relationship.into())],
                dropped_attributes: 0,
                flags: u32::from(to.flags),
            });
        }
    }

    /// Marks the span as failed: a stable error type, and a message without secrets.
    pub fn fail(&mut self, error_type: impl Into<AttributeKey>, message: impl Into<String>) {
        if let Some(open) = &mut self.open {
            open.span.status = SpanStatus::Error;
            open.span.status_message = message.into();
            self.set(names::ERROR_TYPE, SpanValue::Text(error_type.into()));
        }
    }

    /// Sets the parent, unless the span already has one.
    pub fn adopt(&mut self, parent: TraceContext) {
        match &mut self.open {
            Some(open) if open.span.parent.is_none() => {
                open.span.trace = parent.trace;
                open.span.parent = Some(parent.span);
                open.span.flags = u32::from(parent.flags);
            }
            Some(_) => {}
            None => {
                self.parent_context.get_or_insert(parent);
            }
        }
    }

    /// Whether the span is marked as failed.
    pub fn has_failed(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.span.status == SpanStatus::Error)
    }

    /// Ends the span.
    pub fn end(self) {}
}

impl Drop for OpenSpan {
    fn drop(&mut self) {
        if let Some(open) = self.open.take() {
            let RecordedSpan { mut span, on } = *open;
            span.end = on.sink.now().max(span.start);
            rewrite_attributes(&mut span.attributes, on.origin.settings.mode, on.origin.settings.schema);
            on.sink.emit(span);
        }
    }
}
