//! Deterministic test spans, generated from an index: ten per trace, with twelve attributes each.

use baton_types::{
    AttributeKey, Span, SpanDropCounts, SpanId, SpanKind, SpanResource, SpanScope, SpanStatus, SpanValue, TraceId,
    find_attribute,
};
use std::{borrow::Cow, sync::Arc};

pub const SPANS_PER_TRACE: u64 = 10;
/// Start time of the first span; each further span starts a step later.
const FIRST_START: u64 = 1_790_000_000_000_000_000;
const START_STEP: u64 = 40_000;

/// Values of a span, before it becomes a span or a row.
pub struct SpanFacts {
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

impl SpanFacts {
    pub fn from_index(index: u64) -> Self {
        let (trace, within) = (index / SPANS_PER_TRACE, index % SPANS_PER_TRACE);
        let mixed = mix(index);
        let of_trace = mix(trace ^ 0x5eed);
        Self {
            trace,
            within,
            start: FIRST_START + index * START_STEP,
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

    /// Key and value of every attribute, for rows.
    pub fn attributes(&self) -> [(&'static str, SpanValue); 12] {
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
            ("app.tokens", SpanValue::Int(i64::try_from(self.tokens).unwrap_or_default())),
            ("app.score", SpanValue::Float(self.score)),
            ("app.cached", SpanValue::Bool(self.cached)),
        ]
    }
}

fn text(word: &str, number: u64) -> SpanValue {
    SpanValue::Text(Cow::Owned(format!("{word}-{number}")))
}

/// Deterministic pseudorandom numbers (splitmix64).
fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Generates spans.
pub struct SpanGenerator {
    resources: Vec<Arc<SpanResource>>,
    scope: Arc<SpanScope>,
    /// Typical size of a real span's data besides its attributes.
    body: Cow<'static, str>,
}

impl SpanGenerator {
    pub fn new() -> Self {
        let resource = |number: u64| {
            let attributes = vec![(AttributeKey::Borrowed("service.name"), text("service", number))];
            Arc::new(SpanResource { attributes, ..SpanResource::default() })
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
        let facts = SpanFacts::from_index(index);
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
            attributes: facts
                .attributes()
                .into_iter()
                .map(|(key, value)| (AttributeKey::Borrowed(key), value))
                .collect(),
            events: Vec::new(),
            links: Vec::new(),
            status: if facts.error { SpanStatus::Error } else { SpanStatus::Unset },
            status_message: self.body.to_string(),
            dropped: SpanDropCounts::default(),
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
    SpanId((trace * SPANS_PER_TRACE + within + 1).to_be_bytes())
}

/// Service name of a span, for rows.
pub fn service(span: &Span) -> String {
    let found = find_attribute(&span.resource.attributes, "service.name").and_then(SpanValue::as_text);
    found.unwrap_or_default().to_owned()
}
