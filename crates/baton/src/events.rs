//! Journaled events, one per line.

use crate::{screen::one_line, steps};
use baton_api::EventEntry;
use baton_types::{Message, ModelNote, TaskEvent};

const MAX_SUMMARY_CHARS: usize = 72;

/// The columns of a table row: number, time of day, kind, summary.
pub(crate) fn row(entry: &EventEntry) -> [String; 4] {
    let time = entry.at.map(|at| at.to_string()).unwrap_or_default();
    let time = time.split_once('T').map_or(time.as_str(), |(_, time)| time.trim_end_matches('Z'));
    let kind = entry.kind.rsplit('.').next().unwrap_or_default().replace('_', " ");
    let gist = entry.body.read::<TaskEvent>().map(|event| event_summary(&event)).unwrap_or_default();
    [entry.number.to_string(), time.to_owned(), kind, one_line(&gist, MAX_SUMMARY_CHARS)]
}

fn model_note_summary(note: &ModelNote) -> String {
    match note {
        ModelNote::Retried { model, reason, wait_ms } => format!("retry {model} in {wait_ms} ms: {reason}"),
        ModelNote::FellBack { from, to, reason } => format!("fallback from {from} to {to}: {reason}"),
        ModelNote::Rescued { calls: 1 } => "recovered one tool call from text".to_owned(),
        ModelNote::Rescued { calls } => format!("recovered {calls} tool calls from text"),
        ModelNote::Repaired { problem, .. } => problem.clone(),
        ModelNote::Used { purpose, model, .. } => format!("{model} for {purpose}"),
    }
}

/// Details of an event that its kind does not show.
fn event_summary(event: &TaskEvent) -> String {
    match event {
        TaskEvent::Submitted { message, agent, .. } => format!("to {agent}: {}", quoted(message)),
        TaskEvent::MessageReceived { message, results } if results.is_empty() => quoted(message),
        TaskEvent::MessageReceived { results, .. } => {
            let names: Vec<&str> = results.iter().map(|result| result.name.as_str()).collect();
            format!("results of {}", names.join(", "))
        }
        TaskEvent::RunStarted { agent, .. } => {
            format!("agent definition {}", &agent.as_str()[..12.min(agent.as_str().len())])
        }
        TaskEvent::RunResumed { after, .. } => format!("after event {after}"),
        TaskEvent::RunPaused { .. } => "orderly shutdown".to_owned(),
        TaskEvent::ContextSelected { request, .. } => {
            let names: Vec<&str> = request.items.iter().map(|item| item.name.as_str()).collect();
            names.join(", ")
        }
        TaskEvent::RunOptionsSet { options: run_options } => {
            let tools: Vec<&str> = run_options.tools.iter().map(|tool| tool.name.as_str()).collect();
            if tools.is_empty() { String::new() } else { format!("with tools of the caller: {}", tools.join(", ")) }
        }
        TaskEvent::TextFlushed { text, .. } => format!("{} characters", text.chars().count()),
        TaskEvent::ModelNoted { note } => model_note_summary(note),
        TaskEvent::ReasoningProduced { reasoning, .. } => format!("{} characters", reasoning.text.chars().count()),
        TaskEvent::Compacted { compaction } => {
            format!("from about {} to {} tokens", compaction.tokens_before, compaction.tokens_after)
        }
        TaskEvent::GuardrailChecked { guardrail, stage, verdict, detail, .. } => {
            let summary = format!("{guardrail} on {}: {}", stage.as_str(), verdict.as_str());
            if detail.is_empty() { summary } else { format!("{summary}, {detail}") }
        }
        TaskEvent::AttemptStarted { turn, attempt: 1, .. } => format!("model call {turn}"),
        TaskEvent::AttemptStarted { turn, attempt, .. } => format!("model call {turn}, attempt {attempt}"),
        TaskEvent::ToolsCalled { calls, .. } => {
            let calls: Vec<String> =
                calls.iter().map(|call| format!("{} {}", call.name, call.arguments.as_str())).collect();
            calls.join(", ")
        }
        TaskEvent::ToolStarted { call, .. }
        | TaskEvent::ToolInputRequested { call, .. }
        | TaskEvent::ToolInputReceived { call, .. } => call.to_string(),
        TaskEvent::ToolFinished { result } => {
            let failed = if result.is_error { " failed" } else { "" };
            format!("{}{failed}: {}", result.name, steps::output_summary(&result.output))
        }
        TaskEvent::HandoffSent { agent, child, .. } => format!("to {agent}, task {child}"),
        TaskEvent::PeerSendStarted { message } => format!("as message {message}"),
        TaskEvent::HandoffInputRequested { message, .. } => format!("the agent asks: {}", quoted(message)),
        TaskEvent::HandoffInputReceived { .. } => "the agent continues".to_owned(),
        TaskEvent::PeerAttached { task, .. } => format!("as task {task}"),
        TaskEvent::ArtifactEmitted { artifact } => artifact.name.clone().unwrap_or_else(|| artifact.id.to_string()),
        TaskEvent::Answered { message, .. } => quoted(message),
        TaskEvent::StatusChanged { state, reason, .. } => match reason {
            Some(reason) => format!("{}: {} {}", state.as_str(), reason.code, reason.detail),
            None => state.as_str().to_owned(),
        },
    }
}

fn quoted(message: &Message) -> String {
    format!("\"{}\"", message.text())
}

/// Rows with aligned columns, indented by two; the last column is not padded.
pub(crate) fn table(rows: &[[String; 4]]) -> Vec<String> {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (number, time, kind) = (width(0), width(1), width(2));
    rows.iter()
        .map(|row| format!("  {:>number$}  {:<time$}  {:<kind$}  {}", row[0], row[1], row[2], row[3]))
        .map(|line| line.trim_end().to_owned())
        .collect()
}
