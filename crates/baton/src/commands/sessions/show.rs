//! `baton sessions show`: all messages of a session.

use super::{SessionSelector, format_timestamp, settings_lines};
use crate::{
    connect::client_failure,
    failure::{CliError, Exit},
    screen::{Paint, Screen, escape_for_terminal, one_line},
};
use baton_api::{SessionContextItem, SessionDetails, SessionMessage};
use baton_types::{InclusionMode, Json};
use baton_wire::a2a::v1::{Message, Role};
use clap::Args;
use serde_json::{Value, json};

/// Maximum characters of arguments and results.
const MAX_VALUE_CHARS: usize = 200;

/// Options of `baton sessions show`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton sessions show 0199...
  baton sessions show 0199... --json | jq '.messages[].message'

Each message has its TASK:EVENT, which `baton sessions fork --at` accepts. Each answer has the
rules, references and tools that were in the model's context. Long values are shortened; --json and
`baton sessions export` print them in full.")]
pub(super) struct SessionShowOptions {
    #[command(flatten)]
    selector: SessionSelector,
}

/// Prints the session.
pub(super) async fn run(options: SessionShowOptions, screen: Screen) -> Result<Exit, CliError> {
    let SessionShowOptions { selector } = options;
    let session = selector.open_session().await?;
    let shown = session.client.session(selector.name()).await;
    session.close().await;
    let details = shown.map_err(client_failure)?;
    if screen.is_json() {
        screen.print(&json!(details).to_string());
        return Ok(Exit::Ok);
    }
    for line in lines(&details, screen.stdout_paint()) {
        screen.print(&line);
    }
    Ok(Exit::Ok)
}

fn lines(details: &SessionDetails<Message<'_>>, paint: Paint) -> Vec<String> {
    let session = &details.session;
    let title = session.title.as_deref().map(|title| one_line(title, 256));
    let mut lines = vec![
        paint.strong(&title.unwrap_or_else(|| one_line(&session.context_id, 256))),
        format!("  session {} with {}", one_line(&session.context_id, 256), one_line(&session.agent, 64)),
    ];
    lines.extend(session.forked_from.iter().map(|from| format!("  forked from {}", one_line(from, 256))));
    lines.extend(session.imported.then(|| "  imported from a file".to_owned()));
    lines.extend(settings_lines(&details.settings).iter().map(|setting| format!("  {setting}")));
    for (label, items) in [("included", &details.included), ("excluded", &details.excluded)] {
        lines
            .extend(items.iter().map(|item| format!("  {label} {} {}", item.kind.as_str(), one_line(&item.name, 256))));
    }
    for message in &details.messages {
        lines.push(String::new());
        message_lines(message, paint, &mut lines);
    }
    lines
}

fn message_lines(entry: &SessionMessage<Message<'_>>, paint: Paint, lines: &mut Vec<String>) {
    let author = match (entry.notice, entry.message.role) {
        (true, _) => paint.warn("notice"),
        (false, Role::Agent) => paint.name("agent"),
        (false, _) => paint.good("user"),
    };
    let position = match (&entry.message.task_id, entry.event) {
        (Some(task), Some(event)) => format!("{}:{event}", one_line(task, 256)),
        _ => String::new(),
    };
    lines.push(format!("{author}  {}", paint.faint(format!("{}  {position}", format_timestamp(entry.at)).trim_end())));
    for part in &entry.message.parts {
        let text = part.text.as_deref().unwrap_or_default();
        lines.extend(escape_for_terminal(text).lines().map(|line| format!("  {line}")));
        if let Some(data) = &part.data {
            data_lines(data, lines);
        }
        lines.extend(part.url.iter().map(|url| format!("  {}", one_line(url, 2000))));
        if part.raw.is_some() {
            let name = part.filename.as_deref().unwrap_or("without a name");
            lines.push(format!("  a file {}", one_line(name, 256)));
        }
    }
    let context: Vec<String> = entry.request_context.iter().flatten().map(context_item).collect();
    if !context.is_empty() {
        lines.push(paint.faint(&format!("  context: {}", context.join(", "))));
    }
}

fn data_lines(data: &Json, lines: &mut Vec<String>) {
    let value = data.to_value();
    let list = |name: &str| value[name].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let (calls, results) = (list("tool_calls"), list("tool_results"));
    if calls.is_empty() && results.is_empty() {
        lines.push(format!("  {}", one_line(data.as_str(), MAX_VALUE_CHARS)));
    }
    for call in calls {
        let arguments = one_line(&call["arguments"].to_string(), MAX_VALUE_CHARS);
        lines.push(format!("  calls {} {arguments}", one_line(&text(&call["name"]), 120)));
    }
    for result in results {
        let failed = if result["is_error"] == true { " failed:" } else { "" };
        let output = one_line(&text(&result["output"]), MAX_VALUE_CHARS);
        lines.push(format!("  {}{failed} → {output}", one_line(&text(&result["name"]), 120)));
    }
}

fn context_item(item: &SessionContextItem) -> String {
    let cause = match (item.include, item.score) {
        (InclusionMode::Always, _) => "always".to_owned(),
        (InclusionMode::Manual, _) => "named".to_owned(),
        (InclusionMode::Agent, Some(score)) => score.to_string(),
        (InclusionMode::Agent, None) => "relevant".to_owned(),
    };
    format!("{} {} ({cause})", item.kind.as_str(), one_line(&item.name, 256))
}
