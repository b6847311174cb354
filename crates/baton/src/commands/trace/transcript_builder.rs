//! Builds the transcript of a trace from its spans.

use super::{
    messages::{MessageItem, parse_messages},
    span_attributes,
    terminal_style::Glyphs,
    tree::{SpanNode, TraceTree},
};
use baton_telemetry::names::{self, operation};
use std::collections::HashSet;

/// Kind of an entry, for its color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryTone {
    /// Event.
    Plain,
    /// Message.
    Speech,
    /// Question or request.
    Question,
    /// Failure.
    Bad,
}

/// One entry of the transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TranscriptEntry {
    /// Time in nanoseconds since the Unix epoch.
    pub(crate) at: u64,
    /// Number of runs around this entry, without the root run.
    pub(crate) depth: usize,
    /// Actor and action.
    pub(crate) head: String,
    /// Duration, where it is shown.
    pub(crate) took: Option<u64>,
    /// Text, arguments or result.
    pub(crate) body: String,
    /// Kind of the entry.
    pub(crate) tone: EntryTone,
}

/// Entries of a trace, in chronological order.
pub(crate) fn transcript_entries(tree: &TraceTree<'_>, glyphs: Glyphs) -> Vec<TranscriptEntry> {
    let mut builder = TranscriptBuilder::new(tree, glyphs);
    let mut open: Vec<(usize, bool)> = tree.roots.iter().rev().map(|root| (*root, false)).collect();
    while let Some((index, has_ended)) = open.pop() {
        if has_ended {
            builder.span_ended(index);
            continue;
        }
        builder.span_started(index);
        open.push((index, true));
        open.extend(tree.nodes[index].children.iter().rev().map(|child| (*child, false)));
    }
    // The sort is stable: entries with equal times keep the order of the tree.
    builder.entries.sort_by_key(|entry| entry.at);
    builder.entries
}

struct TranscriptBuilder<'t, 'a> {
    tree: &'t TraceTree<'a>,
    glyphs: Glyphs,
    /// Run of each span: the nearest enclosing `invoke_agent`.
    runs: Vec<Option<usize>>,
    /// Number of enclosing runs of each span.
    depths: Vec<usize>,
    /// Calls with spans of their own, by run.
    calls: HashSet<(Option<usize>, &'a str)>,
    /// Handoffs with spans of their own.
    handoffs: HashSet<&'a str>,
    /// Tasks of handoffs; the receiver gets them as user messages.
    handoff_tasks: HashSet<String>,
    /// Messages already added, by run.
    added_messages: HashSet<(Option<usize>, String)>,
    entries: Vec<TranscriptEntry>,
}

impl<'t, 'a> TranscriptBuilder<'t, 'a> {
    fn new(tree: &'t TraceTree<'a>, glyphs: Glyphs) -> Self {
        let (mut runs, mut depths) = (vec![None; tree.nodes.len()], vec![0; tree.nodes.len()]);
        let (mut calls, mut handoffs) = (HashSet::new(), HashSet::new());
        for index in tree.order.iter().copied() {
            let SpanNode { span, parent, .. } = &tree.nodes[index];
            let (outer, depth) = parent.map_or((None, 0), |parent| (runs[parent], depths[parent]));
            (runs[index], depths[index]) = match span_attributes::operation(span) {
                operation::INVOKE_AGENT => (Some(index), depth + 1),
                _ => (outer, depth),
            };
            match span_attributes::operation(span) {
                operation::EXECUTE_TOOL => {
                    calls
                        .extend(span_attributes::text(span, &[names::GEN_AI_TOOL_CALL_ID]).map(|id| (runs[index], id)));
                }
                operation::HANDOFF_REQUEST => handoffs.extend(span_attributes::text(span, &[names::HANDOFF_ID])),
                _ => {}
            }
        }
        Self {
            tree,
            glyphs,
            runs,
            depths,
            calls,
            handoffs,
            handoff_tasks: HashSet::new(),
            added_messages: HashSet::new(),
            entries: Vec::new(),
        }
    }

    fn push_entry(&mut self, index: usize, at: u64, tone: EntryTone, head: String, body: String) {
        let depth = self.depths[index].saturating_sub(1);
        self.entries.push(TranscriptEntry { at, depth, head, took: None, body, tone });
    }

    /// Adds an entry with the duration of its span.
    fn push_timed_entry(&mut self, index: usize, at: u64, tone: EntryTone, head: String, body: String) {
        self.push_entry(index, at, tone, head, body);
        if let Some(entry) = self.entries.last_mut() {
            entry.took = Some(self.tree.nodes[index].span.duration());
        }
    }

    /// Agent of a span: its own attribute, or the agent of its run.
    fn agent(&self, index: usize) -> String {
        let named = |index: usize| span_attributes::agent(self.tree.nodes[index].span).map(str::to_owned);
        named(index).or_else(|| self.runs[index].and_then(named)).unwrap_or_else(|| "an agent".to_owned())
    }

    fn span_started(&mut self, index: usize) {
        let node = &self.tree.nodes[index];
        let (span, at) = (node.span, node.start);
        match span_attributes::operation(span) {
            operation::INVOKE_AGENT | operation::CHAT => {
                if let Some(messages) = span_attributes::text(span, &[names::GEN_AI_INPUT_MESSAGES, "gen_ai.prompt"]) {
                    self.push_messages(index, at, messages);
                }
            }
            operation::EXECUTE_TOOL if !self.has_handoff_span(index) => {
                let tool = tool(node);
                let arguments = span_attributes::text(span, &[names::GEN_AI_TOOL_CALL_ARGUMENTS]).unwrap_or_default();
                let (head, arguments) = (format!("{} calls {tool}", self.agent(index)), arguments.to_owned());
                match self.has_result(node) {
                    true => self.push_entry(index, at, EntryTone::Plain, head, arguments),
                    false => self.push_timed_entry(index, at, EntryTone::Plain, head, arguments),
                }
            }
            operation::HANDOFF_REQUEST => {
                let from = span_attributes::text(span, &[names::HANDOFF_FROM_AGENT]).map(str::to_owned);
                let from = from.unwrap_or_else(|| self.agent(index));
                let to = span_attributes::text(span, &[names::HANDOFF_TO_AGENT]).unwrap_or("another agent");
                let task = span_attributes::text(span, &[names::HANDOFF_TASK]).unwrap_or_default();
                let inputs = span_attributes::text(span, &[names::HANDOFF_INPUTS, names::GEN_AI_TOOL_CALL_ARGUMENTS]);
                let inputs = inputs.map(|inputs| extra_inputs(inputs, task)).unwrap_or_default();
                let head = format!("{from} {} {to}: handoff", self.glyphs.to);
                let body =
                    [task, &inputs].iter().filter(|text| !text.is_empty()).copied().collect::<Vec<_>>().join("\n");
                self.handoff_tasks.insert(task.to_owned());
                self.push_entry(index, at, EntryTone::Question, head, body);
            }
            "approval" | "input" if span.attribute(names::APPROVAL_DECISION).is_some() => {
                let verb = if span.name == "input" { "asks" } else { "needs approval" };
                let head = format!("{} {verb}, for {}", tool(node), self.agent(index));
                self.push_entry(index, at, EntryTone::Question, head, String::new());
            }
            _ => self.insight(index),
        }
    }

    fn span_ended(&mut self, index: usize) {
        let node = &self.tree.nodes[index];
        let (span, at) = (node.span, node.end);
        match span_attributes::operation(span) {
            operation::INVOKE_AGENT | operation::CHAT => {
                if let Some(messages) =
                    span_attributes::text(span, &[names::GEN_AI_OUTPUT_MESSAGES, "gen_ai.completion"])
                {
                    self.push_messages(index, at, messages);
                }
                if let Some(error) = span_attributes::error(span) {
                    let head = format!("{} fails", self.agent(index));
                    self.push_entry(index, at, EntryTone::Bad, head, error);
                }
            }
            operation::EXECUTE_TOOL if !self.has_handoff_span(index) && self.has_result(node) => {
                let result = span_attributes::text(span, &[names::GEN_AI_TOOL_CALL_RESULT]);
                let error = span_attributes::error(span);
                let (verb, tone) =
                    if error.is_some() { ("fails", EntryTone::Bad) } else { ("answers", EntryTone::Plain) };
                let head = format!("{} {verb}", tool(node));
                let body = result.map(str::to_owned).or(error).unwrap_or_default();
                self.push_timed_entry(index, at, tone, head, body);
            }
            operation::HANDOFF_REQUEST => {
                let to = span_attributes::text(span, &[names::HANDOFF_TO_AGENT]).unwrap_or("the other agent");
                let status = span_attributes::text(span, &[names::HANDOFF_STATUS]).unwrap_or("ended");
                let from = span_attributes::text(span, &[names::HANDOFF_FROM_AGENT]).map(str::to_owned);
                let from = from.unwrap_or_else(|| self.agent(index));
                let head = format!("{to} {} {from}: {status}", self.glyphs.to);
                let result = span_attributes::text(span, &[names::HANDOFF_RESULT, names::GEN_AI_TOOL_CALL_RESULT]);
                let error = span_attributes::text(span, &[names::HANDOFF_ERROR])
                    .map(str::to_owned)
                    .or_else(|| span_attributes::error(span));
                let tone = if error.is_some() { EntryTone::Bad } else { EntryTone::Plain };
                let body = error.or_else(|| result.map(response_text)).unwrap_or_default();
                self.push_timed_entry(index, at, tone, head, body);
            }
            "approval" | "input" => {
                if let Some(decision) = span_attributes::text(span, &[names::APPROVAL_DECISION]) {
                    let head = format!("{}: {}", tool(node), decision_text(decision));
                    let tone = if decision == "deny" { EntryTone::Bad } else { EntryTone::Plain };
                    self.push_timed_entry(index, at, tone, head, String::new());
                }
            }
            _ => {}
        }
    }

    /// Adds the insight that a span records.
    fn insight(&mut self, index: usize) {
        let node = &self.tree.nodes[index];
        let Some(kind) = span_attributes::text(node.span, &["insight.type"]) else { return };
        let sure = node.span.attribute("insight.confidence").map(super::formatting::plain);
        let sure = sure.map(|sure| format!(" (confidence {sure})")).unwrap_or_default();
        let head = format!("{} notes a {kind}{sure}", self.agent(index));
        let of = |key: &str| span_attributes::text(node.span, &[key]).unwrap_or_default().to_owned();
        let body = [of("insight.summary"), of("insight.rationale")].join("\n");
        self.push_entry(index, node.start, EntryTone::Speech, head, body);
    }

    /// Adds new messages. Calls and results are skipped if their tools have spans of their own.
    fn push_messages(&mut self, index: usize, at: u64, messages: &str) {
        let run = self.runs[index];
        for message in parse_messages(messages) {
            let agent = self.agent(index);
            let (tone, head, body) = match message {
                MessageItem::Text { role, text } if role == "user" && self.handoff_tasks.contains(text.as_str()) => {
                    continue;
                }
                MessageItem::Text { role, text } if !text.trim().is_empty() => match role.as_str() {
                    "assistant" | "agent" | "" => (EntryTone::Speech, agent, text),
                    role => (EntryTone::Speech, format!("{role} {} {agent}", self.glyphs.to), text),
                },
                MessageItem::Thought(text) => (EntryTone::Plain, format!("{agent} thinks"), text),
                MessageItem::Call { id, name, arguments } if !self.calls.contains(&(run, id.as_str())) => {
                    (EntryTone::Plain, format!("{agent} calls {name}"), arguments)
                }
                MessageItem::Answer { id, response } if !self.calls.contains(&(run, id.as_str())) => {
                    (EntryTone::Plain, format!("call {id} answers"), response)
                }
                _ => continue,
            };
            if self.added_messages.insert((run, format!("{head}\n{body}"))) {
                self.push_entry(index, at, tone, head, body);
            }
        }
    }

    fn has_handoff_span(&self, index: usize) -> bool {
        let span = self.tree.nodes[index].span;
        span_attributes::text(span, &[names::HANDOFF_ID]).is_some_and(|id| self.handoffs.contains(id))
    }

    fn has_result(&self, node: &SpanNode<'_>) -> bool {
        span_attributes::text(node.span, &[names::GEN_AI_TOOL_CALL_RESULT]).is_some()
            || span_attributes::error(node.span).is_some()
    }
}

/// Handoff inputs without the task and the address of the receiver; empty if nothing else remains.
fn extra_inputs(inputs: &str, task: &str) -> String {
    let Ok(serde_json::Value::Object(mut members)) = serde_json::from_str(inputs) else { return inputs.to_owned() };
    members.retain(|name, value| name != "agent_uri" && value.as_str() != Some(task));
    if members.is_empty() { String::new() } else { serde_json::Value::Object(members).to_string() }
}

/// Response text of a result, if it has one.
fn response_text(result: &str) -> String {
    let object = serde_json::from_str::<serde_json::Value>(result).unwrap_or_default();
    object["response"].as_str().map_or_else(|| result.to_owned(), str::to_owned)
}

fn tool(node: &SpanNode<'_>) -> String {
    let named = span_attributes::text(node.span, &[names::GEN_AI_TOOL_NAME]);
    named.or_else(|| node.span.name.split_once(' ').map(|(_, name)| name)).unwrap_or("a tool").to_owned()
}

fn decision_text(decision: &str) -> &str {
    match decision {
        "allow" => "allowed once",
        "allow_session" => "allowed for the session",
        "deny" => "denied",
        other => other,
    }
}
