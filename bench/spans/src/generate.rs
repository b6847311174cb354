//! The same spans for everybody: ten to a trace, twelve attributes each, from a number alone.

use baton_types::{
    Dropped, Key, Resource, Span, SpanId, SpanKind, SpanScope, SpanStatus, TraceId, Value, find_attribute,
};
use std::{borrow::Cow, sync::Arc};

pub const PER_TRACE: u64 = 10;
/// The first span begins here, and each a little after the one before.
const BEGIN: u64 = 1_790_000_000_000_000_000;
const STEP: u64 = 40_000;

/// What a span is made of, before it is a span or a row.
pub struct Facts {
    pub trace: u64,
    pub within: u64,
    pub start: u64,
    pub duration: u64,
    pub error: bool,
    pub agent: u64,
    pub project: u64,
    pub tool: u64,
    pub user: u64,
    pub model: u64,
    pub route: u64,
    pub region: u64,
    pub phase: u64,
    pub tokens: u64,
    pub score: f64,
    pub cached: bool,
}

impl Facts {
    pub fn of(index: u64) -> Self {
        let (trace, within) = (index / PER_TRACE, index % PER_TRACE);
        let mixed = mix(index);
        let of_trace = mix(trace ^ 0x5eed);
        Self {
            trace,
            within,
            start: BEGIN + index * STEP,
            duration: mixed % 2_000_000_000,
            error: mixed >> 40 & 63 == 0,
            agent: of_trace % 200,
            project: (of_trace >> 8) % 50,
            tool: (mixed >> 8) % 100,
            user: (of_trace >> 20) % 10_000,
            model: (mixed >> 16) % 8,
            route: (mixed >> 24) % 30,
            region: (of_trace >> 34) % 5,
            phase: (mixed >> 30) % 6,
            tokens: (mixed >> 33) % 10_000,
            score: (mixed >> 12 & 0xffff) as f64 / 65_536.0,
            cached: mixed >> 50 & 1 == 1,
        }
    }

    /// Key and value of every attribute, as rows want them.
    pub fn attributes(&self) -> [(&'static str, Value); 12] {
        [
            ("app.agent", text("agent", self.agent)),
            ("app.project", text("project", self.project)),
            ("app.tool", text("tool", self.tool)),
            ("app.session", text("session", self.trace)),
            ("app.user", text("user", self.user)),
            ("app.model", text("model", self.model)),
            ("app.route", text("/v1/route", self.route)),
            ("app.region", text("region", self.region)),
            ("app.phase", text("phase", self.phase)),
            ("app.tokens", Value::Int(i64::try_from(self.tokens).unwrap_or_default())),
            ("app.score", Value::Float(self.score)),
            ("app.cached", Value::Bool(self.cached)),
        ]
    }
}

fn text(word: &str, number: u64) -> Value {
    Value::Text(Cow::Owned(format!("{word}-{number}")))
}

/// Numbers without a pattern, the same every time (splitmix64).
fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Makes spans.
pub struct Generator {
    resources: Vec<Arc<Resource>>,
    scope: Arc<SpanScope>,
    /// About what a real span carries beside its attributes.
    body: Cow<'static, str>,
}

impl Generator {
    pub fn new() -> Self {
        let resource = |number: u64| {
            let attributes = vec![(Key::Borrowed("service.name"), text("service", number))];
            Arc::new(Resource { attributes, ..Resource::default() })
        };
        Self {
            resources: (0..10).map(resource).collect(),
            scope: Arc::new(SpanScope { name: "bench".to_owned(), ..SpanScope::default() }),
            body: Cow::Borrowed(
                "the status message of a span that says in some words how it ended and why it took so long",
            ),
        }
    }

    pub fn span(&self, index: u64) -> Span {
        let facts = Facts::of(index);
        Span {
            trace: trace_id(facts.trace),
            id: span_id(facts.trace, facts.within),
            parent: (facts.within > 0).then(|| span_id(facts.trace, (facts.within - 1) / 3)),
            trace_state: String::new(),
            flags: 1,
            name: Cow::Borrowed(match facts.within {
                0 => "invoke_agent",
                1 | 2 => "chat",
                _ => "execute_tool",
            }),
            kind: if facts.within == 0 { SpanKind::Server } else { SpanKind::Internal },
            start: facts.start,
            end: facts.start + facts.duration,
            attributes: facts.attributes().into_iter().map(|(key, value)| (Key::Borrowed(key), value)).collect(),
            events: Vec::new(),
            links: Vec::new(),
            status: if facts.error { SpanStatus::Error } else { SpanStatus::Unset },
            status_message: self.body.to_string(),
            dropped: Dropped::default(),
            resource: Arc::clone(&self.resources[usize::try_from(facts.trace % 10).unwrap_or_default()]),
            scope: Arc::clone(&self.scope),
        }
    }
}

pub fn trace_id(trace: u64) -> TraceId {
    let mut id = [0; 16];
    id[..8].copy_from_slice(&mix(trace).to_be_bytes());
    id[8..].copy_from_slice(&trace.to_be_bytes());
    TraceId(id)
}

fn span_id(trace: u64, within: u64) -> SpanId {
    SpanId((trace * PER_TRACE + within + 1).to_be_bytes())
}

/// The service of a span, as rows want it.
pub fn service(span: &Span) -> String {
    let found = find_attribute(&span.resource.attributes, "service.name").and_then(Value::as_text);
    found.unwrap_or_default().to_owned()
}
