//! The key `settings`.

use super::{located, run_controls};
use crate::permission::APPROVAL_MODE_KEYWORDS;
use baton_document::{DocumentNode, DocumentReader, Fields, LocatedValue, NodeValue};
use baton_types::{ApprovalMode, Budgets, ControlTools, Thousandths, ToolExecution};
use std::time::Duration;

pub(crate) const MAX_TURNS: u64 = 1000;
pub(crate) const MAX_PARALLEL_TOOLS: u64 = 64;
pub(crate) const MAX_DEADLINE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
pub(crate) const MAX_TOKENS: u64 = 1_000_000;
pub(crate) const MAX_TOP_K: u64 = 1000;
pub(crate) const MAX_TOP_N: u64 = 100;
pub(crate) const MAX_TOOL_ERRORS: u64 = 1000;
pub(crate) const MAX_SPILL: usize = 16 << 20;
const MIN_SPILL: usize = 1 << 10;
pub(crate) const MAX_FALLBACKS: usize = 8;
/// Maximum number of stop sequences, supported by every provider.
pub(crate) const MAX_STOP_SEQUENCES: usize = 4;
/// Maximum length of a stop sequence, in bytes.
pub(crate) const MAX_STOP_BYTES: usize = 1_024;
const MAX_TEMPERATURE: f64 = 2.0;

/// The key as written.
#[derive(Default)]
pub(crate) struct RawSettings {
    pub(crate) max_turns: Option<u64>,
    pub(crate) parallel_tools: Option<u64>,
    pub(crate) deadline: Option<Duration>,
    pub(crate) tools: Option<LocatedValue<ToolExecution>>,
    pub(crate) tool_permission: Option<LocatedValue<ApprovalMode>>,
    pub(crate) control_tools: Vec<LocatedValue<&'static str>>,
    pub(crate) orchestration: Option<RawOrchestration>,
    pub(crate) max_output_tokens: Option<u64>,
    pub(crate) temperature: Option<Thousandths>,
    pub(crate) top_p: Option<Thousandths>,
    pub(crate) stop_sequences: Vec<String>,
    pub(crate) context: RawContext,
    pub(crate) effort: Option<LocatedValue<String>>,
    pub(crate) tool_errors: Option<u64>,
    pub(crate) spill_bytes: Option<usize>,
    pub(crate) compact_at: Option<Thousandths>,
    pub(crate) budgets: Budgets,
}

/// The key `settings.context`.
#[derive(Default)]
pub(crate) struct RawContext {
    pub(crate) top_k: Option<u64>,
    pub(crate) top_n: Option<u64>,
    pub(crate) include_score: Option<Thousandths>,
}

/// The key `settings.orchestration`, unless it is `false`.
pub(crate) struct RawOrchestration {
    pub(crate) prompt: Option<LocatedValue<String>>,
}

impl RawSettings {
    pub(super) fn read(reader: &mut DocumentReader, node: DocumentNode) -> Self {
        let Some(mut fields) = Fields::open(reader, "settings", node) else { return Self::default() };
        let execution = [("agent", ToolExecution::Agent), ("caller", ToolExecution::Caller)];
        let control = ControlTools::NAMES.map(|name| (name, name));
        let second = Duration::from_secs(1);
        let raw = Self {
            max_turns: fields.take("max_turns").and_then(|n| reader.integer("max_turns", &n, 1, MAX_TURNS)),
            parallel_tools: fields
                .take("parallel_tools")
                .and_then(|n| reader.integer("parallel_tools", &n, 1, MAX_PARALLEL_TOOLS)),
            deadline: fields.take("deadline").and_then(|n| reader.duration("deadline", &n, second, MAX_DEADLINE)),
            tools: fields.take("tools").and_then(|n| located(&n, reader.choice("tools", &n, &execution))),
            tool_permission: fields
                .take("tool_permission")
                .and_then(|n| located(&n, reader.choice("tool_permission", &n, &APPROVAL_MODE_KEYWORDS))),
            control_tools: fields
                .take("control_tools")
                .map(|n| reader.list("control_tools", n))
                .unwrap_or_default()
                .iter()
                .filter_map(|n| located(n, reader.choice("a control tool", n, &control)))
                .collect(),
            orchestration: fields.take("orchestration").and_then(|n| RawOrchestration::read(reader, n)),
            max_output_tokens: fields
                .take("max_output_tokens")
                .and_then(|n| reader.integer("max_output_tokens", &n, 1, MAX_TOKENS)),
            temperature: fields.take("temperature").and_then(|n| number(reader, "temperature", &n, MAX_TEMPERATURE)),
            top_p: fields.take("top_p").and_then(|n| number(reader, "top_p", &n, 1.0)),
            stop_sequences: fields.take("stop_sequences").map(|n| stop_sequences(reader, n)).unwrap_or_default(),
            effort: fields.take("effort").and_then(|n| run_controls::effort(reader, &n)),
            tool_errors: fields.take("tool_errors").and_then(|n| reader.integer("tool_errors", &n, 0, MAX_TOOL_ERRORS)),
            spill_bytes: fields.take("spill_bytes").and_then(|n| reader.size("spill_bytes", &n, MIN_SPILL, MAX_SPILL)),
            compact_at: fields.take("compact_at").and_then(|n| number(reader, "compact_at", &n, 1.0)),
            budgets: fields.take("budgets").map(|n| run_controls::budgets(reader, n)).unwrap_or_default(),
            context: fields.take("context").map(|n| RawContext::read(reader, n)).unwrap_or_default(),
        };
        fields.finish(reader);
        raw
    }
}

/// Reads stop sequences: none may be empty, and their number and length are limited.
fn stop_sequences(reader: &mut DocumentReader, node: DocumentNode) -> Vec<String> {
    let location = node.location;
    let texts: Vec<String> = reader.texts("stop_sequences", node).into_iter().map(|text| text.value).collect();
    if texts.len() > MAX_STOP_SEQUENCES || texts.iter().any(|text| text.is_empty() || text.len() > MAX_STOP_BYTES) {
        let hint = format!("give at most {MAX_STOP_SEQUENCES} texts of 1 to {MAX_STOP_BYTES} bytes");
        reader.error(location, "stop_sequences cannot be used", hint);
        return Vec::new();
    }
    texts
}

impl RawContext {
    fn read(reader: &mut DocumentReader, node: DocumentNode) -> Self {
        let Some(mut fields) = Fields::open(reader, "context", node) else { return Self::default() };
        let raw = Self {
            top_k: fields.take("top_k").and_then(|n| reader.integer("top_k", &n, 1, MAX_TOP_K)),
            top_n: fields.take("top_n").and_then(|n| reader.integer("top_n", &n, 1, MAX_TOP_N)),
            include_score: fields.take("include_score").and_then(|n| number(reader, "include_score", &n, 1.0)),
        };
        fields.finish(reader);
        raw
    }
}

impl RawOrchestration {
    fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<Self> {
        if let NodeValue::Bool(enabled) = node.value {
            return enabled.then_some(Self { prompt: None });
        }
        let mut fields = Fields::open(reader, "orchestration", node)?;
        let raw = Self { prompt: fields.text(reader, "prompt") };
        fields.finish(reader);
        Some(raw)
    }
}

/// A number from 0 to a bound, with a precision of three decimal places.
fn number(reader: &mut DocumentReader, subject: &str, node: &DocumentNode, high: f64) -> Option<Thousandths> {
    let NodeValue::Number(written) = &node.value else { return reader.report_expected(subject, "a number", node) };
    let number = written.as_f64().filter(|number| (0.0..=high).contains(number)).and_then(Thousandths::from_f64);
    if number.is_none() {
        reader.error(node.location, format!("{subject} is {written}"), format!("choose a number from 0 to {high}"));
    }
    number
}
