//! Interactive and autonomous mode, and the checks of autonomous runs.

use crate::{MessageRejection, SESSION_MEMBER, TaskRecord, error_codes};
use baton_types::{AgentSpec, Message, RunOptions, SessionOverrides, ToolExecution};
use serde::Deserialize;

/// Error for a mode that the agent does not support.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ModeRejection(pub String);

impl ModeRejection {
    fn into_message_rejection(self) -> MessageRejection {
        let field = format!("message.metadata.{SESSION_MEMBER}");
        MessageRejection { code: error_codes::MODE_REFUSED, field, detail: self.0 }
    }
}

#[derive(Deserialize)]
struct ModeMetadata {
    #[serde(rename = "dev.baton/session")]
    session: Option<ModeRequest>,
}

#[derive(Deserialize)]
struct ModeRequest {
    autonomous: Option<bool>,
}

/// Mode requested by the message.
fn requested_mode(message: &Message) -> Option<bool> {
    let metadata = message.metadata.as_ref().filter(|metadata| metadata.as_str().contains(SESSION_MEMBER))?;
    metadata.read::<ModeMetadata>().ok()?.session?.autonomous
}

/// Whether a task that starts with the message is autonomous. `spec` is the definition with the session overrides
/// applied; `requested` is whether the surface requests an autonomous task.
pub fn resolve_mode(
    spec: &AgentSpec,
    requested: bool,
    message: &Message,
    tools: ToolExecution,
) -> Result<bool, MessageRejection> {
    if spec.autonomous && requested_mode(message) == Some(false) {
        return Err(interactive(spec).into_message_rejection());
    }
    let autonomous = spec.autonomous || requested || requested_mode(message) == Some(true);
    if autonomous && tools == ToolExecution::Caller {
        return Err(callers_tools(spec).into_message_rejection());
    }
    Ok(autonomous)
}

/// Rejects functions and servers of the caller in an autonomous run.
pub fn check_caller_tools(
    spec: &AgentSpec,
    autonomous: bool,
    options: Option<&RunOptions>,
) -> Result<(), MessageRejection> {
    let has_caller_tools = options.is_some_and(|options| !options.tools.is_empty() || !options.servers.is_empty());
    if autonomous && has_caller_tools { Err(callers_tools(spec).into_message_rejection()) } else { Ok(()) }
}

/// Rejects a further message that requests another mode than the task has. If the definition or session has become
/// autonomous since, the task becomes autonomous with its next run, unless its caller runs the tools.
pub fn check_mode_unchanged(task: &TaskRecord, spec: &AgentSpec, message: &Message) -> Result<(), MessageRejection> {
    resolve_mode(spec, task.autonomous, message, task.tool_execution)?;
    match requested_mode(message) {
        Some(requested) if requested != (task.autonomous || spec.autonomous) => {
            Err(another_mode(task).into_message_rejection())
        }
        _ => Ok(()),
    }
}

/// Rejects session settings with a mode that the agent does not support.
pub fn check_mode_setting(spec: &AgentSpec, settings: &SessionOverrides) -> Result<(), ModeRejection> {
    match settings.autonomous {
        Some(false) if spec.autonomous => Err(interactive(spec)),
        Some(true) if spec.tool_execution == ToolExecution::Caller => Err(callers_tools(spec)),
        _ => Ok(()),
    }
}

fn interactive(spec: &AgentSpec) -> ModeRejection {
    ModeRejection(format!(
        "agent '{}' is autonomous and does not support interactive sessions; omit `autonomous`, or remove it from \
         the agent's definition or the session's settings",
        spec.name
    ))
}

fn callers_tools(spec: &AgentSpec) -> ModeRejection {
    ModeRejection(format!(
        "an autonomous run of agent '{}' cannot let the caller run its tools; let the agent run its tools, or use \
         an interactive session",
        spec.name
    ))
}

fn another_mode(task: &TaskRecord) -> ModeRejection {
    let mode = if task.autonomous { "autonomous" } else { "interactive" };
    ModeRejection(format!("task '{}' is {mode} and cannot change its mode; start a new task", task.id))
}
