//! Markdown import.

use super::{
    super::{invalid, item},
    AGENT, CALL, DATA, FAILURE, FILE, LINK, NOTICE, REQUEST_CONTEXT_MARKER, RESULT, USER, is_marker_line,
    unescape_line,
};
use crate::error_codes;
use baton_api::{ApiError, SESSION_FORMAT, SessionItem, SessionSettingsBody};
use baton_engine::ImportSession;
use baton_rules::{calls_part, results_part};
use baton_types::{
    AgentName, ContextId, Json, Message, Part, PartContent, Role, SessionEntry, Timestamp, ToolCall, ToolResult,
};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// Parses the text; also returns descriptions of the data that the format does not carry.
pub(in super::super) fn read(
    text: &str,
    agent: Option<AgentName>,
    context: Option<ContextId>,
    now: Timestamp,
) -> Result<(ImportSession, Vec<String>), ApiError> {
    let (front, body) = front_matter(text);
    if let Some(format) = front.get("format")
        && *format != SESSION_FORMAT
    {
        return Err(invalid_session(format!("format must be {SESSION_FORMAT}")));
    }
    let agent = agent.or_else(|| front.get("agent").map(|name| AgentName::from(plain(name))));
    let agent = agent.ok_or_else(|| invalid_session("the file names no agent; set the agent parameter".to_owned()))?;
    let settings: SessionSettingsBody = value(&front, "settings")?.unwrap_or_default();
    let items = |name| Ok::<_, ApiError>(value::<Vec<SessionItem>>(&front, name)?.unwrap_or_default());
    let mut reader = MarkdownReader { now, ..MarkdownReader::default() };
    for line in body.strip_suffix('\n').unwrap_or(body).split('\n') {
        reader.line(line);
    }
    let (history, files) = reader.end();
    if history.is_empty() {
        return Err(invalid_session("no message was found; each begins with a line such as '## User'".to_owned()));
    }
    let mut warnings = vec![
        "ids and metadata of messages, and the division of their text into parts".to_owned(),
        "the request context and token usage of each answer".to_owned(),
    ];
    if files > 0 {
        warnings.push(format!("files: {files}"));
    }
    let import = ImportSession {
        agent,
        context,
        original_context: front.get("context").map(|name| plain(name)),
        title: front.get("title").map(|title| plain(title)),
        settings: settings.check().map_err(|name| invalid_session(format!("{name} is out of range")))?,
        included: items("included")?.into_iter().map(item).collect(),
        excluded: items("excluded")?.into_iter().map(item).collect(),
        history,
    };
    Ok((import, warnings))
}

fn invalid_session(message: String) -> ApiError {
    invalid(message).with_code(error_codes::SESSION_INVALID)
}

/// Front matter members and the remaining text.
fn front_matter(text: &str) -> (BTreeMap<&str, &str>, &str) {
    let Some(rest) = text.strip_prefix("---\n") else { return (BTreeMap::new(), text) };
    let Some((front, body)) = rest.split_once("\n---\n") else { return (BTreeMap::new(), text) };
    let members = front.lines().filter_map(|line| line.split_once(':'));
    (members.map(|(name, value)| (name.trim(), value.trim())).collect(), body)
}

/// A string, quoted or not.
fn plain(written: &str) -> String {
    serde_json::from_str(written).unwrap_or_else(|_| written.to_owned())
}

fn value<T: DeserializeOwned>(front: &BTreeMap<&str, &str>, name: &str) -> Result<Option<T>, ApiError> {
    let parse = |text: &&str| serde_json::from_str(text).map_err(|error| invalid_session(format!("{name}: {error}")));
    front.get(name).map(parse).transpose()
}

/// Kind of a section under a heading.
#[derive(Default)]
enum MarkdownSection {
    /// Before the first message.
    #[default]
    Nothing,
    Text,
    Call(String, String),
    Result(String, String, bool),
    Data,
    Link,
    Skipped,
}

#[derive(Default)]
struct MarkdownReader {
    now: Timestamp,
    entries: Vec<SessionEntry>,
    section: MarkdownSection,
    lines: Vec<String>,
    parts: Vec<Part>,
    calls: Vec<ToolCall>,
    results: Vec<ToolResult>,
    files: usize,
    open: Option<(Role, bool, Timestamp)>,
}

impl MarkdownReader {
    fn line(&mut self, line: &str) {
        if !is_marker_line(line) {
            self.lines.push(unescape_line(line).to_owned());
            return;
        }
        let heading = line.trim_end();
        for (begins, role, notice) in
            [(USER, Role::User, false), (AGENT, Role::Agent, false), (NOTICE, Role::Agent, true)]
        {
            if let Some(rest) = heading.strip_prefix(begins).filter(|rest| rest.is_empty() || rest.starts_with(' ')) {
                self.end_message();
                let at = rest.trim_start_matches([' ', '·']);
                self.open = Some((role, notice, Timestamp::parse(at).unwrap_or(self.now)));
                self.section = MarkdownSection::Text;
                return;
            }
        }
        let Some(section) = parse_section(heading) else {
            self.lines.push(line.to_owned());
            return;
        };
        self.end_block();
        self.files += usize::from(matches!(section, MarkdownSection::Skipped));
        self.section = section;
    }

    /// Adds the finished section to the message.
    fn end_block(&mut self) {
        let lines = std::mem::take(&mut self.lines);
        match std::mem::take(&mut self.section) {
            MarkdownSection::Nothing | MarkdownSection::Skipped => {}
            MarkdownSection::Text => {
                let text = join_section(&lines);
                if !text.is_empty() {
                    self.parts.push(Part::text(text));
                }
            }
            MarkdownSection::Call(name, id) => {
                let arguments =
                    fenced_json(&lines).filter(Json::is_object).unwrap_or_else(|| Json::from(serde_json::json!({})));
                self.calls.push(ToolCall { id: id.into(), name, arguments });
            }
            MarkdownSection::Result(name, id, is_error) => {
                let output = fenced_json(&lines).unwrap_or_else(|| Json::string(join_section(&lines).as_str()));
                self.results.push(ToolResult { call: id.into(), name, output, is_error });
            }
            MarkdownSection::Data => self.parts.extend(fenced_json(&lines).map(Part::data)),
            MarkdownSection::Link => {
                let url = join_section(&lines);
                let url = url.trim().trim_start_matches('<').trim_end_matches('>').to_owned();
                self.parts.push(Part { content: PartContent::Url(url), ..Part::text("") });
            }
        }
    }

    fn end_message(&mut self) {
        self.end_block();
        let mut parts = std::mem::take(&mut self.parts);
        let (calls, results) = (std::mem::take(&mut self.calls), std::mem::take(&mut self.results));
        let Some((role, notice, at)) = self.open.take() else { return };
        if !calls.is_empty() {
            parts.push(calls_part(&calls));
        }
        if !results.is_empty() {
            parts.push(results_part(&results));
        }
        if parts.is_empty() {
            parts.push(Part::text(""));
        }
        let id = format!("imported-{}", self.entries.len() + 1).into();
        self.entries.push(SessionEntry { notice, ..SessionEntry::new(at, Message::new(id, role, parts)) });
    }

    fn end(mut self) -> (Vec<SessionEntry>, usize) {
        self.end_message();
        (self.entries, self.files)
    }
}

/// Section kind of a subheading.
fn parse_section(heading: &str) -> Option<MarkdownSection> {
    let named = |rest: &str| {
        let (name, id) = rest.strip_prefix('`')?.split_once('`')?;
        Some((name.to_owned(), id.trim().to_owned()))
    };
    if let Some((name, id)) = heading.strip_prefix(CALL).and_then(named) {
        return Some(MarkdownSection::Call(name, id));
    }
    for (begins, is_error) in [(RESULT, false), (FAILURE, true)] {
        if let Some((name, id)) = heading.strip_prefix(begins).and_then(named) {
            return Some(MarkdownSection::Result(name, id, is_error));
        }
    }
    match heading {
        DATA => Some(MarkdownSection::Data),
        LINK => Some(MarkdownSection::Link),
        // The message text follows the comment.
        _ if heading.starts_with(REQUEST_CONTEXT_MARKER) => Some(MarkdownSection::Text),
        _ if heading.starts_with(FILE) => Some(MarkdownSection::Skipped),
        _ => None,
    }
}

/// Text without one empty line at the start and one at the end.
fn join_section(lines: &[String]) -> String {
    let lines = match lines {
        [first, rest @ ..] if first.is_empty() => rest,
        lines => lines,
    };
    let lines = match lines {
        [rest @ .., last] if last.is_empty() => rest,
        lines => lines,
    };
    lines.join("\n")
}

/// JSON in a fenced block.
fn fenced_json(lines: &[String]) -> Option<Json> {
    let text: Vec<&str> = lines
        .iter()
        .map(String::as_str)
        .skip_while(|line| !line.starts_with("```"))
        .skip(1)
        .take_while(|line| !line.starts_with("```"))
        .collect();
    Json::parse(&text.join("\n")).ok()
}
