//! The keys `answer`, `guardrails`, `settings.budgets` and `settings.effort`.

use super::{RawHttp, entries, located};
use baton_document::{DocumentNode, DocumentReader, Fields, LocatedValue, NodeValue};
use baton_types::{Budget, Budgets, GuardStage};
use std::time::Duration;

pub(crate) const MAX_REPAIRS: u64 = 10;
pub(crate) const MAX_GUARD_TIMEOUT: Duration = Duration::from_secs(10 * 60);
pub(crate) const MAX_BUDGET_COUNT: u64 = 1_000_000_000_000;
pub(crate) const MAX_DOLLARS: f64 = 1_000_000.0;
/// Values of `on_failure`: whether processing continues if a guardrail is unavailable.
pub(crate) const ON_FAILURE: [(&str, bool); 2] = [("block", false), ("allow", true)];

/// The key `answer`.
pub(crate) struct RawAnswer {
    pub(crate) schema: Option<DocumentNode>,
    pub(crate) repairs: Option<u64>,
}

/// One entry of `guardrails`.
pub(crate) struct RawGuardrail {
    pub(crate) location: baton_document::SourceLocation,
    pub(crate) name: Option<LocatedValue<String>>,
    pub(crate) on: Vec<GuardStage>,
    pub(crate) command: Option<LocatedValue<Vec<LocatedValue<String>>>>,
    pub(crate) http: Option<LocatedValue<RawHttp>>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) fails_open: Option<bool>,
}

impl RawAnswer {
    pub(super) fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<Self> {
        let mut fields = Fields::open(reader, "answer", node)?;
        let location = fields.location;
        let schema = fields.take("schema");
        if schema.is_none() {
            reader.error(location, "answer has no schema", "add the JSON Schema that every answer must match");
        }
        let schema = schema.and_then(|node| match node.value {
            NodeValue::Map(_) => Some(node),
            _ => reader.report_expected("schema", "a JSON Schema", &node),
        });
        let repairs = fields.take("repairs").and_then(|node| reader.integer("repairs", &node, 0, MAX_REPAIRS));
        fields.finish(reader);
        Some(Self { schema, repairs })
    }
}

impl RawGuardrail {
    pub(super) fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<Self> {
        let mut fields = Fields::open(reader, "a guardrail", node)?;
        let location = fields.location;
        let name = fields.required_text(reader, "name", "add a name such as `name: no-secrets`");
        let stages = GuardStage::ALL.map(|stage| (stage.as_str(), stage));
        let on = fields.take("on").map(|node| match node.value {
            NodeValue::Text(_) => vec![node],
            _ => reader.list("on", node),
        });
        if on.is_none() {
            let hint = "list at least one of input, output, tool_call and tool_result, as in `on: [input, output]`";
            reader.error(location, "a guardrail has no stage", hint);
        }
        let mut stages: Vec<GuardStage> =
            on.unwrap_or_default().iter().filter_map(|node| reader.choice("on", node, &stages)).collect();
        stages.sort_unstable();
        stages.dedup();
        let command = fields.take("command").and_then(|node| super::command(reader, node));
        let http = fields.take("http").and_then(|node| RawHttp::read(reader, node));
        let shortest = Duration::from_millis(10);
        let timeout = fields.take("timeout");
        let timeout = timeout.and_then(|node| reader.duration("timeout", &node, shortest, MAX_GUARD_TIMEOUT));
        let fails_open = fields.take("on_failure").and_then(|node| reader.choice("on_failure", &node, &ON_FAILURE));
        fields.finish(reader);
        Some(Self { location, name, on: stages, command, http, timeout, fails_open })
    }

    pub(super) fn read_all(reader: &mut DocumentReader, fields: &mut Fields) -> Vec<Self> {
        entries(reader, fields, "guardrails", Self::read)
    }
}

/// The key `settings.budgets`.
pub(super) fn budgets(reader: &mut DocumentReader, node: DocumentNode) -> Budgets {
    let Some(mut fields) = Fields::open(reader, "budgets", node) else { return Budgets::default() };
    let mut one = |key: &'static str| fields.take(key).map(|node| budget(reader, key, node)).unwrap_or_default();
    let budgets = Budgets { run: one("run"), session: one("session"), month: one("month") };
    fields.finish(reader);
    budgets
}

fn budget(reader: &mut DocumentReader, subject: &str, node: DocumentNode) -> Budget {
    let Some(mut fields) = Fields::open(reader, subject, node) else { return Budget::default() };
    let mut count = |reader: &mut DocumentReader, key: &'static str| {
        fields.take(key).and_then(|node| reader.integer(key, &node, 0, MAX_BUDGET_COUNT))
    };
    let (tokens, tool_calls) = (count(reader, "tokens"), count(reader, "tool_calls"));
    let micro_dollars = fields.take("dollars").and_then(|node| dollars(reader, &node));
    fields.finish(reader);
    Budget { tokens, micro_dollars, tool_calls }
}

fn dollars(reader: &mut DocumentReader, node: &DocumentNode) -> Option<u64> {
    let NodeValue::Number(written) = &node.value else { return reader.report_expected("dollars", "a number", node) };
    let amount = written.as_f64().filter(|amount| (0.0..=MAX_DOLLARS).contains(amount));
    if amount.is_none() {
        let hint = format!("choose a number from 0 to {MAX_DOLLARS}");
        reader.error(node.location, format!("dollars is {written}"), hint);
    }
    // The amount is within 0 and `MAX_DOLLARS`, so the cast cannot overflow.
    amount.map(|amount| (amount * 1_000_000.0).round() as u64)
}

/// The key `settings.effort`.
pub(super) fn effort(reader: &mut DocumentReader, node: &DocumentNode) -> Option<LocatedValue<String>> {
    const MAX_EFFORT_TOKENS: u64 = super::MAX_TOKENS;
    match &node.value {
        NodeValue::Text(level) if EFFORTS.contains(&level.as_str()) => located(node, Some(level.clone())),
        NodeValue::Number(number)
            if number.as_u64().is_some_and(|tokens| (1..=MAX_EFFORT_TOKENS).contains(&tokens)) =>
        {
            located(node, Some(number.to_string()))
        }
        _ => {
            let hint = format!("choose one of: {}; or a number of tokens", EFFORTS.join(", "));
            reader.error(node.location, "effort is neither a level nor a number of tokens", hint);
            None
        }
    }
}

/// Keywords for reasoning effort.
pub(crate) const EFFORTS: [&str; 7] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
