//! Task steps as sentences.

use crate::{
    screen::{Paint, one_line},
    steps::{Call, Status, Step},
};
use baton_wire::a2a::v1::TaskState;

/// Maximum characters shown of untrusted text.
const SHOWN: usize = 110;
/// A call of this tool is reported as a handoff instead.
const HANDOFF: &str = "handoff";

/// A step as the rest of a sentence that begins with the agent's name; none for steps that are not shown.
pub(crate) fn sentence(step: &Step, paint: Paint) -> Option<String> {
    match step {
        Step::Began { .. } | Step::Text(_) => None,
        Step::Called(calls) => {
            let calls: Vec<String> = calls.iter().filter(|call| call.name != HANDOFF).map(shown).collect();
            (!calls.is_empty()).then(|| format!("calls {}", calls.join(" and ")))
        }
        Step::Gave { name, output, failed: false } if name == HANDOFF => Some(format!("gets back {}", quoted(output))),
        Step::Gave { name, output, failed: false } => Some(format!("{name} gave {}", quoted(output))),
        Step::Gave { name, output, failed: true } => {
            let failed = format!("{name} failed:");
            // The tool output for the model starts with the tool's name as well.
            let why = output.strip_prefix(&failed).unwrap_or(output);
            Some(format!("{} {}", paint.bad(&failed), one_line(why.trim_start(), SHOWN)))
        }
        Step::HandedOver { agent, .. } => Some(format!("hands the work to {}", paint.name(agent))),
        Step::Moved(status) => end(status, paint),
    }
}

fn end(status: &Status, paint: Paint) -> Option<String> {
    let why = match &status.reason {
        Some(reason) => format!("{} {}", reason.code, reason.detail),
        None => status.says.clone(),
    };
    let why = one_line(&why, SHOWN);
    match status.state {
        TaskState::Completed => Some(paint.good("is done")),
        TaskState::Failed => Some(format!("{} {why}", paint.bad("failed:"))),
        TaskState::Rejected => Some(format!("{} {why}", paint.bad("rejected the task:"))),
        TaskState::Canceled => Some(paint.warn("was canceled")),
        TaskState::InputRequired if !status.calls.is_empty() => {
            let calls: Vec<String> = status.calls.iter().map(shown).collect();
            Some(format!("{} {}", paint.warn("waits for its caller to run"), calls.join(" and ")))
        }
        TaskState::InputRequired => Some(format!("{} {why}", paint.warn("asks:"))),
        TaskState::AuthRequired => Some(format!("{} {why}", paint.warn("waits for credentials:"))),
        TaskState::Working | TaskState::Submitted | TaskState::Unspecified => None,
    }
}

fn shown(call: &Call) -> String {
    match call.arguments.as_str() {
        "{}" => call.name.clone(),
        arguments => format!("{} {}", call.name, one_line(arguments, SHOWN)),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", one_line(text, SHOWN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::{Form, Screen};

    #[test]
    fn a_call_to_hand_over_is_told_once() {
        let call = |name: &str| Call { id: "1".to_owned(), name: name.to_owned(), arguments: "{}".to_owned() };
        let paint = Screen::new(Form::Text).data_paint();
        assert_eq!(sentence(&Step::Called(vec![call("handoff")]), paint), None);
        let both = Step::Called(vec![call("handoff"), call("clock")]);
        assert_eq!(sentence(&both, paint).as_deref(), Some("calls clock"));
    }
}
