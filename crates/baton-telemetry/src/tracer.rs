//! Spans of what happens now: begun, filled in, and emitted when they end.

use crate::{Settings, names, shape::shape};
use baton_ports::SpanSink;
use baton_types::{
    Dropped, Key, Resource, Span, SpanEvent, SpanId, SpanKind, SpanLink, SpanScope, SpanStatus, TraceContext, TraceId,
    Value,
};
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// The name of the instrumentation of every span that this process makes.
pub const SCOPE: &str = "baton";

/// Makes spans; cheap to clone, and one that is off makes none.
#[derive(Clone, Default)]
pub struct Tracer {
    on: Option<Arc<On>>,
}

struct On {
    sink: Arc<dyn SpanSink>,
    origin: Origin,
    /// Whether a span has said which emit mode is in force.
    told: AtomicBool,
}

/// Who says so, and how: what the spans of a process have in common.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The service on its machine.
    pub resource: Arc<Resource>,
    /// The instrumentation.
    pub scope: Arc<SpanScope>,
    /// Which names, and how much is said.
    pub settings: Settings,
}

impl Origin {
    /// The service that the settings name, on this version.
    pub fn new(settings: Settings, instance: &str) -> Self {
        let version = env!("CARGO_PKG_VERSION");
        let mut attributes: Vec<(Key, Value)> = vec![
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
        let resource = Resource { attributes, ..Resource::default() };
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
    /// Emits what it makes into the sink.
    pub fn new(sink: Arc<dyn SpanSink>, origin: Origin) -> Self {
        Self { on: Some(Arc::new(On { sink, origin, told: AtomicBool::new(false) })) }
    }

    /// Makes no spans, and passes contexts on.
    pub fn off() -> Self {
        Self::default()
    }

    /// Whether spans are made.
    pub fn is_on(&self) -> bool {
        self.on.is_some()
    }

    /// How much is said.
    pub fn settings(&self) -> Option<&Settings> {
        self.on.as_ref().map(|on| &on.origin.settings)
    }

    /// Begins a span: inside of `parent`, or as the first of a new trace.
    pub fn start(&self, kind: SpanKind, name: impl Into<Key>, parent: Option<TraceContext>) -> OpenSpan {
        let Some(on) = &self.on else { return OpenSpan { passed: parent, open: None } };
        let fresh = on.sink.fresh();
        let mut id = [0; 8];
        id.copy_from_slice(&fresh[8..]);
        id[0] |= 1;
        let trace = parent.map_or_else(|| TraceId(on.sink.fresh()), |parent| parent.trace);
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
            events: on.flag(),
            links: Vec::new(),
            status: SpanStatus::Unset,
            status_message: String::new(),
            dropped: Dropped::default(),
            resource: Arc::clone(&on.origin.resource),
            scope: Arc::clone(&on.origin.scope),
        };
        OpenSpan { passed: None, open: Some(Box::new(Open { span, on: Arc::clone(on) })) }
    }
}

impl On {
    /// Which emit mode was chosen, and by whom: an event of the first span.
    fn flag(&self) -> Vec<SpanEvent> {
        if self.told.load(Ordering::Relaxed) || self.told.swap(true, Ordering::Relaxed) {
            return Vec::new();
        }
        let Settings { mode, mode_source, .. } = &self.origin.settings;
        let mut attributes: Vec<(Key, Value)> = vec![
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
    passed: Option<TraceContext>,
    open: Option<Box<Open>>,
}

struct Open {
    span: Span,
    on: Arc<On>,
}

impl OpenSpan {
    /// What happens inside of it carries this; without spans, what came in goes on.
    pub fn context(&self) -> Option<TraceContext> {
        match &self.open {
            Some(open) => Some(TraceContext {
                trace: open.span.trace,
                span: open.span.id,
                flags: u8::try_from(open.span.flags & 0xff).unwrap_or(1),
            }),
            None => self.passed,
        }
    }

    /// Whether anybody will see it.
    pub fn is_on(&self) -> bool {
        self.open.is_some()
    }

    /// Says something about it; a later word about the same replaces the earlier.
    pub fn set(&mut self, key: impl Into<Key>, value: impl Into<Value>) {
        if let Some(open) = &mut self.open {
            let key = key.into();
            match open.span.attributes.iter_mut().find(|(known, _)| *known == key) {
                Some((_, known)) => *known = value.into(),
                None => open.span.attributes.push((key, value.into())),
            }
        }
    }

    /// Says something about it that costs something to say.
    pub fn set_with<V: Into<Value>>(&mut self, key: &'static str, value: impl FnOnce() -> V) {
        if self.open.is_some() {
            self.set(key, value());
        }
    }

    /// Says something about it, if it is known.
    pub fn set_some(&mut self, key: &'static str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.set(key, value);
        }
    }

    /// Gives it the name that is only known now.
    pub fn rename(&mut self, name: impl Into<Key>) {
        if let Some(open) = &mut self.open {
            open.span.name = name.into();
        }
    }

    /// Notes something that happens at this moment.
    pub fn event(&mut self, name: impl Into<Key>, attributes: Vec<(Key, Value)>) {
        if let Some(open) = &mut self.open {
            let at = open.on.sink.now();
            open.span.events.push(SpanEvent { at, name: name.into(), attributes, dropped_attributes: 0 });
        }
    }

    /// Notes another span that it has to do with.
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

    /// It ended badly: a stable word for what went wrong, and a sentence without secrets.
    pub fn fail(&mut self, error_type: impl Into<Key>, message: impl Into<String>) {
        if let Some(open) = &mut self.open {
            open.span.status = SpanStatus::Error;
            open.span.status_message = message.into();
            self.set(names::ERROR_TYPE, Value::Text(error_type.into()));
        }
    }

    /// It happens inside of that span, which is only known now; one that has a parent keeps it.
    pub fn adopt(&mut self, parent: TraceContext) {
        match &mut self.open {
            Some(open) if open.span.parent.is_none() => {
                open.span.trace = parent.trace;
                open.span.parent = Some(parent.span);
                open.span.flags = u32::from(parent.flags);
            }
            Some(_) => {}
            None => {
                self.passed.get_or_insert(parent);
            }
        }
    }

    /// Whether it is known that it ends badly.
    pub fn has_failed(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.span.status == SpanStatus::Error)
    }

    /// Ends it now.
    pub fn end(self) {}
}

impl Drop for OpenSpan {
    fn drop(&mut self) {
        if let Some(open) = self.open.take() {
            let Open { mut span, on } = *open;
            span.end = on.sink.now().max(span.start);
            shape(&mut span.attributes, on.origin.settings.mode, on.origin.settings.schema);
            on.sink.emit(span);
        }
    }
}
