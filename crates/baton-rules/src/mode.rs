//! Interactive and autonomous mode, and the checks of autonomous runs.

use crate::{RefusedMessage, SESSION_MEMBER, Task};
use baton_types::{AgentSpec, ErrorCode, Message, SessionOverrides, ToolExecution, Wishes};
use serde::Deserialize;

/// Error for a mode that the agent does not support.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RefusedMode(pub String);

impl RefusedMode {
    fn in_message(self) -> RefusedMessage {
        let field = format!("message.metadata.{SESSION_MEMBER}");
        RefusedMessage { code: ErrorCode::MODE_REFUSED, field, detail: self.0 }
    }
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(rename = "dev.baton/session")]
    session: Option<Said>,
}

#[derive(Deserialize)]
struct Said {
    autonomous: Option<bool>,
}

/// Mode requested by the message.
fn said(message: &Message) -> Option<bool> {
    let metadata = message.metadata.as_ref().filter(|metadata| metadata.as_str().contains(SESSION_MEMBER))?;
    metadata.read::<Metadata>().ok()?.session?.autonomous
}

/// Whether a task that starts with the message is autonomous. `spec` is the definition with the session overrides
/// applied; `asked` is whether the surface requests an autonomous task.
pub fn mode_of(spec: &AgentSpec, asked: bool, message: &Message, tools: ToolExecution) -> Result<bool, RefusedMessage> {
    if spec.autonomous && said(message) == Some(false) {
        return Err(interactive(spec).in_message());
    }
    let autonomous = spec.autonomous || asked || said(message) == Some(true);
    if autonomous && tools == ToolExecution::Caller {
        return Err(callers_tools(spec).in_message());
    }
    Ok(autonomous)
}

/// Rejects functions and servers of the caller in an autonomous run.
pub fn takes_callers_tools(spec: &AgentSpec, autonomous: bool, wishes: Option<&Wishes>) -> Result<(), RefusedMessage> {
    let brings = wishes.is_some_and(|wishes| !wishes.tools.is_empty() || !wishes.servers.is_empty());
    if autonomous && brings { Err(callers_tools(spec).in_message()) } else { Ok(()) }
}

/// Rejects a further message that requests another mode than the task has. If the definition or session has become
/// autonomous since, the task becomes autonomous with its next run, unless its caller runs the tools.
pub fn keeps_mode(task: &Task, spec: &AgentSpec, message: &Message) -> Result<(), RefusedMessage> {
    mode_of(spec, task.autonomous, message, task.tool_execution)?;
    match said(message) {
        Some(said) if said != (task.autonomous || spec.autonomous) => Err(another_mode(task).in_message()),
        _ => Ok(()),
    }
}

/// Rejects session settings with a mode that the agent does not support.
pub fn check_mode_setting(spec: &AgentSpec, settings: &SessionOverrides) -> Result<(), RefusedMode> {
    match settings.autonomous {
        Some(false) if spec.autonomous => Err(interactive(spec)),
        Some(true) if spec.tool_execution == ToolExecution::Caller => Err(callers_tools(spec)),
        _ => Ok(()),
    }
}

fn interactive(spec: &AgentSpec) -> RefusedMode {
    RefusedMode(format!(
        "agent '{}' is autonomous and does not support interactive sessions; omit `autonomous`, or remove it from \
         the agent's definition or the session's settings",
        spec.name
    ))
}

fn callers_tools(spec: &AgentSpec) -> RefusedMode {
    RefusedMode(format!(
        "an autonomous run of agent '{}' cannot let the caller run its tools; let the agent run its tools, or use \
         an interactive session",
        spec.name
    ))
}

fn another_mode(task: &Task) -> RefusedMode {
    let mode = if task.autonomous { "autonomous" } else { "interactive" };
    RefusedMode(format!("task '{}' is {mode} and cannot change its mode; start a new task", task.id))
}
