//! Markdown export.

use super::{
    super::{file, items},
    AGENT, CALL, DATA, FAILURE, FILE, LINK, NOTICE, REQUEST_CONTEXT_MARKER, RESULT, USER, escape_line,
};
use baton_api::{SESSION_FORMAT, SessionFile};
use baton_engine::SessionView;
use baton_rules::{parse_tool_calls, parse_tool_results};
use baton_types::{IncludedItem, InclusionMode, Message, Part, PartContent, Role, SessionEntry};
use serde::Serialize;
use std::fmt::Write as _;

/// The session as Markdown.
pub(in super::super) fn write(view: &SessionView) -> String {
    let SessionFile { agent, context_id, title, settings, .. } = file::write(view);
    let record = view.record.as_ref();
    let mut text = format!("---\nformat: {SESSION_FORMAT}\nagent: {agent}\n");
    member(&mut text, "context", context_id.as_ref());
    member(&mut text, "title", title.as_ref());
    member(&mut text, "settings", record.filter(|record| !record.settings.is_empty()).map(|_| &settings));
    let (included, excluded) =
        record.map(|record| (items(&record.included), items(&record.excluded))).unwrap_or_default();
    member(&mut text, "included", Some(&included).filter(|items| !items.is_empty()));
    member(&mut text, "excluded", Some(&excluded).filter(|items| !items.is_empty()));
    text.push_str("---\n\n");
    for line in &view.lines {
        entry(&mut text, &line.entry);
    }
    text
}

/// Writes a front matter member as one line of JSON, which is valid YAML.
fn member(text: &mut String, name: &str, value: Option<&impl Serialize>) {
    if let Some(value) = value.and_then(|value| serde_json::to_string(value).ok()) {
        let _ = writeln!(text, "{name}: {value}");
    }
}

fn entry(text: &mut String, entry: &SessionEntry) {
    let heading = match (entry.notice, entry.message.role) {
        (true, _) => NOTICE,
        (false, Role::User) => USER,
        (false, Role::Agent) => AGENT,
    };
    let _ = writeln!(text, "{heading} · {}\n", entry.at);
    if let Some(request) = &entry.request {
        let items: Vec<String> = request.items.iter().map(describe_used_item).collect();
        let _ = writeln!(text, "{REQUEST_CONTEXT_MARKER}{} -->\n", items.join(", ").replace("-->", "--"));
    }
    let content = entry.message.text();
    if !content.is_empty() {
        for line in content.split('\n') {
            let _ = writeln!(text, "{}", escape_line(line));
        }
        text.push('\n');
    }
    calls(text, &entry.message);
    for part in &entry.message.parts {
        write_other_part(text, part);
    }
}

fn describe_used_item(item: &IncludedItem) -> String {
    let IncludedItem { kind, name, include, score, .. } = item;
    let reason = match (include, score) {
        (InclusionMode::Always, _) => "always".to_owned(),
        (InclusionMode::Manual, _) => "named".to_owned(),
        (InclusionMode::Agent, Some(score)) => score.to_string(),
        (InclusionMode::Agent, None) => "chosen".to_owned(),
    };
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    format!("{} {name} ({reason})", kind.as_str())
}

fn calls(text: &mut String, message: &Message) {
    if message.role == Role::Agent {
        for call in parse_tool_calls(message) {
            let _ = writeln!(text, "{CALL}`{}` {}\n", call.name, call.id);
            block(text, call.arguments.as_str());
        }
        return;
    }
    for result in parse_tool_results(message).unwrap_or_default() {
        let heading = if result.is_error { FAILURE } else { RESULT };
        let _ = writeln!(text, "{heading}`{}` {}\n", result.name, result.call);
        block(text, result.output.as_str());
    }
}

/// Writes a part that is neither text nor tool data.
fn write_other_part(text: &mut String, part: &Part) {
    match &part.content {
        PartContent::Text(_) => {}
        PartContent::Data(data) => {
            let of_tools = ["\"tool_calls\"", "\"tool_results\"", "\"input_requests\"", "\"input_responses\""];
            if !of_tools.iter().any(|member| data.as_str().contains(member)) {
                let _ = writeln!(text, "{DATA}\n");
                block(text, data.as_str());
            }
        }
        PartContent::Url(url) => {
            let url: String = url.chars().filter(|c| !c.is_control()).collect();
            let _ = writeln!(text, "{LINK}\n\n<{url}>\n");
        }
        PartContent::Raw(_) => {
            let name = part.filename.as_deref().unwrap_or("without a name");
            let name: String = name.chars().filter(|c| !c.is_control()).collect();
            let _ = writeln!(text, "{FILE} {name}\n");
        }
    }
}

/// Writes a fenced block; JSON text has no line breaks, so its content cannot end the block.
fn block(text: &mut String, json: &str) {
    let _ = writeln!(text, "```json\n{json}\n```\n");
}
