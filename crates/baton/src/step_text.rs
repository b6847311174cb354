//! Task steps as sentences.

use crate::{
    screen::{Paint, one_line},
    steps::{StepStatus, StepToolCall, TaskStep},
};
use baton_wire::a2a::v1::TaskState;

/// Maximum characters shown of untrusted text.
const MAX_TEXT_CHARS: usize = 110;
/// A call of this tool is reported as a handoff instead.
const HANDOFF: &str = "handoff";

/// A step as the rest of a sentence that begins with the agent's name; none for steps that are not shown.
pub(crate) fn sentence(step: &TaskStep, paint: Paint) -> Option<String> {
    match step {
        TaskStep::Snapshot { .. } | TaskStep::Text(_) => None,
        TaskStep::ToolCalls(calls) => {
            let calls: Vec<String> = calls.iter().filter(|call| call.name != HANDOFF).map(format_call).collect();
            (!calls.is_empty()).then(|| format!("calls {}", calls.join(" and ")))
        }
        TaskStep::ToolResult { name, output, failed: false } if name == HANDOFF => {
            Some(format!("gets back {}", quoted(output)))
        }
        TaskStep::ToolResult { name, output, failed: false } => Some(format!("{name} gave {}", quoted(output))),
        TaskStep::ToolResult { name, output, failed: true } => {
            let failed = format!("{name} failed:");
            // The tool output for the model starts with the tool's name as well.
            let reason = output.strip_prefix(&failed).unwrap_or(output);
            Some(format!("{} {}", paint.bad(&failed), one_line(reason.trim_start(), MAX_TEXT_CHARS)))
        }
        TaskStep::Handoff { agent, .. } => Some(format!("hands the work to {}", paint.name(agent))),
        TaskStep::StatusChange(status) => status_sentence(status, paint),
    }
}

fn status_sentence(status: &StepStatus, paint: Paint) -> Option<String> {
    let description = match &status.reason {
        Some(reason) => format!("{} {}", reason.code, reason.detail),
        None => status.message.clone(),
    };
    let description = one_line(&description, MAX_TEXT_CHARS);
    match status.state {
        TaskState::Completed => Some(paint.good("is done")),
        TaskState::Failed => Some(format!("{} {description}", paint.bad("failed:"))),
        TaskState::Rejected => Some(format!("{} {description}", paint.bad("rejected the task:"))),
        TaskState::Canceled => Some(paint.warn("was canceled")),
        TaskState::InputRequired if !status.calls.is_empty() => {
            let calls: Vec<String> = status.calls.iter().map(format_call).collect();
            Some(format!("{} {}", paint.warn("waits for its caller to run"), calls.join(" and ")))
        }
        TaskState::InputRequired => Some(format!("{} {description}", paint.warn("asks:"))),
        TaskState::AuthRequired => Some(format!("{} {description}", paint.warn("waits for credentials:"))),
        TaskState::Working | TaskState::Submitted | TaskState::Unspecified => None,
    }
}

fn format_call(call: &StepToolCall) -> String {
    match call.arguments.as_str() {
        "{}" => call.name.clone(),
        arguments => format!("{} {}", call.name, one_line(arguments, MAX_TEXT_CHARS)),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", one_line(text, MAX_TEXT_CHARS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::{Screen, ScreenFormat};

    #[test]
    fn handoff_call_is_shown_once() {
        let call = |name: &str| StepToolCall { id: "1".to_owned(), name: name.to_owned(), arguments: "{}".to_owned() };
        let paint = Screen::new(ScreenFormat::Text).stdout_paint();
        assert_eq!(sentence(&TaskStep::ToolCalls(vec![call("handoff")]), paint), None);
        let both = TaskStep::ToolCalls(vec![call("handoff"), call("clock")]);
        assert_eq!(sentence(&both, paint).as_deref(), Some("calls clock"));
    }
}
