//! Parser of `playbook.yaml`; every problem is reported with its position.

use super::{
    condition::{FormatMatcher, RuleCondition, TurnMatcher},
    parse_action::action,
    rule::{ChunkPace, PlaybookOptions, PlaybookRule, PlaybookRules, UsagePolicy},
};
use baton_agentdir::PLAYBOOK_FILE;
use baton_document::{Diagnostic, DocumentNode, DocumentReader, Fields, NodeValue};
use baton_types::Usage;
use regex::{Regex, RegexBuilder};
use std::{sync::atomic::AtomicU64, time::Duration};

const MAX_RULES: usize = 1000;
const MAX_REGEX_BYTES: usize = 1 << 20;
const MAX_DELAY_MS: u64 = 60_000;
const MAX_CHUNK: u64 = 1 << 20;

/// Diagnostics of a playbook text; it is usable if none of them is an error.
pub fn check_playbook(text: &str) -> Vec<Diagnostic> {
    let (_, diagnostics) = parse(text);
    diagnostics
}

/// The parsed rules; valid only if no diagnostic is an error.
pub(super) fn parse(text: &str) -> (PlaybookRules, Vec<Diagnostic>) {
    let mut reader = DocumentReader::new(PLAYBOOK_FILE);
    let script = match baton_document::read(PLAYBOOK_FILE, text.as_bytes()) {
        Ok(node) => script(&mut reader, node).unwrap_or_default(),
        Err(diagnostic) => {
            reader.push(diagnostic);
            PlaybookRules::default()
        }
    };
    warn_about_loops(&mut reader, &script.rules);
    (script, reader.finish())
}

fn script(reader: &mut DocumentReader, node: DocumentNode) -> Option<PlaybookRules> {
    let mut fields = Fields::open(reader, "the playbook", node)?;
    if let Some(node) = fields.take("model") {
        reader.choice("model", &node, &[("playbook", ())]);
    }
    let options = fields.take("options").map(|node| options(reader, node)).unwrap_or_default();
    let location = fields.location;
    let nodes = fields.take("rules").map(|node| reader.list("rules", node)).unwrap_or_default();
    fields.finish(reader);
    if nodes.len() > MAX_RULES {
        reader.error(location, format!("there are {} rules", nodes.len()), format!("keep it to {MAX_RULES}"));
        return None;
    }
    let rules = nodes.into_iter().filter_map(|node| rule(reader, node, &options)).collect();
    Some(PlaybookRules { rules, options })
}

fn options(reader: &mut DocumentReader, node: DocumentNode) -> PlaybookOptions {
    let Some(mut fields) = Fields::open(reader, "options", node) else { return PlaybookOptions::default() };
    let options = PlaybookOptions {
        seed: fields.take("seed").and_then(|n| reader.integer("seed", &n, 0, u64::MAX)).unwrap_or_default(),
        pace: pace(reader, &mut fields, ChunkPace::default()),
        usage: fields.take("usage").and_then(|node| usage(reader, node)).unwrap_or_default(),
        window: fields.take("window").and_then(|node| reader.integer("window", &node, 512, 1 << 40)),
    };
    fields.finish(reader);
    options
}

fn usage(reader: &mut DocumentReader, node: DocumentNode) -> Option<UsagePolicy> {
    if let NodeValue::Text(_) = node.value {
        return reader.choice("usage", &node, &[("estimate", UsagePolicy::Estimate), ("none", UsagePolicy::None)]);
    }
    let mut fields = Fields::open(reader, "usage", node)?;
    let mut tokens = |key| fields.take(key).and_then(|n| reader.integer(key, &n, 0, 1 << 40)).unwrap_or_default();
    let usage = Usage::new(tokens("input_tokens"), tokens("output_tokens"));
    fields.finish(reader);
    Some(UsagePolicy::Fixed(usage))
}

/// A delay applies between chunks, so a delay without a chunk size uses short chunks.
fn pace(reader: &mut DocumentReader, fields: &mut Fields, default: ChunkPace) -> ChunkPace {
    const CHUNK_WITH_DELAY: usize = 12;
    let chunk = fields.take("chunk").and_then(|n| reader.integer("chunk", &n, 1, MAX_CHUNK));
    let delay = fields.take("ms_per_chunk").and_then(|n| reader.integer("ms_per_chunk", &n, 0, MAX_DELAY_MS));
    let delay = delay.map_or(default.delay, Duration::from_millis);
    let chunk = chunk.and_then(|n| usize::try_from(n).ok()).or(default.chunk);
    ChunkPace { chunk: chunk.or_else(|| (!delay.is_zero()).then_some(CHUNK_WITH_DELAY)), delay }
}

fn rule(reader: &mut DocumentReader, node: DocumentNode, options: &PlaybookOptions) -> Option<PlaybookRule> {
    let mut fields = Fields::open(reader, "a rule", node)?;
    let name = fields.text(reader, "name").map(|name| name.value);
    let when = fields.take("when").and_then(|node| condition(reader, node)).unwrap_or_default();
    let pace = pace(reader, &mut fields, options.pace);
    let action = action(reader, &mut fields, &when);
    let location = fields.location;
    fields.finish(reader);
    Some(PlaybookRule { location, name, when, action, pace, uses: AtomicU64::new(0) })
}

fn condition(reader: &mut DocumentReader, node: DocumentNode) -> Option<RuleCondition> {
    let mut fields = Fields::open(reader, "when", node)?;
    let formats = [
        ("text", FormatMatcher::Text),
        ("json_object", FormatMatcher::JsonObject),
        ("json_schema", FormatMatcher::JsonSchema),
    ];
    let condition = RuleCondition {
        user: regex_field(reader, &mut fields, "user"),
        earlier: regex_field(reader, &mut fields, "earlier"),
        system: regex_field(reader, &mut fields, "system"),
        message_id: regex_field(reader, &mut fields, "message_id"),
        metadata: fields.take("metadata").map(|node| metadata(reader, node)).unwrap_or_default(),
        tools: fields.take("tool").map(|node| texts(reader, "tool", node)).unwrap_or_default(),
        files: fields.take("file").map(|node| files(reader, node)).unwrap_or_default(),
        after_tool: fields.text(reader, "after_tool").map(|tool| tool.value),
        failed: fields.take("failed").and_then(|n| reader.boolean("failed", &n)),
        result: regex_field(reader, &mut fields, "result"),
        turn: fields.take("turn").and_then(|node| turn(reader, &node)),
        attempt: fields.take("attempt").and_then(|n| number(reader, "attempt", &n)),
        model: fields.text(reader, "model").map(|model| model.value),
        agent: fields.text(reader, "agent").map(|agent| agent.value),
        format: fields.take("format").and_then(|node| reader.choice("format", &node, &formats)),
    };
    fields.finish(reader);
    Some(condition)
}

fn turn(reader: &mut DocumentReader, node: &DocumentNode) -> Option<TurnMatcher> {
    match &node.value {
        NodeValue::Text(_) => {
            reader.choice("turn", node, &[("first", TurnMatcher::Number(1)), ("any", TurnMatcher::Any)])
        }
        _ => number(reader, "turn", node).map(TurnMatcher::Number),
    }
}

fn number(reader: &mut DocumentReader, key: &str, node: &DocumentNode) -> Option<u32> {
    reader.integer(key, node, 1, u64::from(u32::MAX)).and_then(|n| u32::try_from(n).ok())
}

/// One string or a list of strings.
fn texts(reader: &mut DocumentReader, key: &str, node: DocumentNode) -> Vec<String> {
    match node.value {
        NodeValue::List(_) => reader.texts(key, node).into_iter().map(|text| text.value).collect(),
        _ => reader.text(key, &node).into_iter().map(|text| text.value).collect(),
    }
}

fn files(reader: &mut DocumentReader, node: DocumentNode) -> Vec<String> {
    let location = node.location;
    let all = texts(reader, "file", node);
    let is_type = |text: &String| text.split_once('/').is_some_and(|(kind, of)| !kind.is_empty() && !of.is_empty());
    if let Some(wrong) = all.iter().find(|text| !is_type(text)) {
        let problem = format!("file: {wrong:?} is not a MIME type");
        reader.error(location, problem, "write a type such as image/png, or a kind such as image/*");
    }
    all
}

fn metadata(reader: &mut DocumentReader, node: DocumentNode) -> Vec<(String, Regex)> {
    let Some(fields) = Fields::open(reader, "metadata", node) else { return Vec::new() };
    let entries = fields.into_entries().into_iter();
    entries.filter_map(|entry| Some((entry.key.clone(), regex(reader, &entry.key, &entry.node)?))).collect()
}

fn regex_field(reader: &mut DocumentReader, fields: &mut Fields, key: &'static str) -> Option<Regex> {
    let node = fields.take(key)?;
    regex(reader, key, &node)
}

fn regex(reader: &mut DocumentReader, key: &str, node: &DocumentNode) -> Option<Regex> {
    let text = reader.text(key, node)?;
    match RegexBuilder::new(&text.value).size_limit(MAX_REGEX_BYTES).nest_limit(50).build() {
        Ok(regex) => Some(regex),
        Err(error) => {
            let error = error.to_string();
            let last = error.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            reader.error(
                node.location,
                format!("{key} is not a regular expression: {last}"),
                "escape special characters; in double quotes a backslash is written twice: \"\\\\bword\\\\b\"",
            );
            None
        }
    }
}

/// Warns about rules that call a tool based on the user message alone: they match again after the result until the turn
/// limit of the run is reached.
fn warn_about_loops(reader: &mut DocumentReader, rules: &[PlaybookRule]) {
    for (index, rule) in rules.iter().enumerate() {
        let when = &rule.when;
        if rule.action.calls.is_empty() || when.turn.is_some() || when.wants_result() {
            continue;
        }
        let answered = rules[..index]
            .iter()
            .filter_map(|rule| rule.when.after_tool.as_deref())
            .any(|tool| tool == "*" || rule.action.calls.iter().any(|call| call.tool == tool));
        if !answered {
            reader.warning(
                rule.location,
                "the rule calls a tool and matches again after the result",
                "add `turn: first` (or `turn: any` if this is intended) to when, or put a rule with after_tool before it",
            );
        }
    }
}
