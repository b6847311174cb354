//! Whether work is done with somebody there, or alone, and what an autonomous run refuses.

use crate::{RefusedMessage, SESSION_MEMBER, Task};
use baton_types::{AgentSpec, ErrorCode, Message, SessionOverrides, ToolExecution, Wishes};
use serde::Deserialize;

/// A mode that an agent does not work in.
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

/// What the message says about its mode.
fn said(message: &Message) -> Option<bool> {
    let metadata = message.metadata.as_ref().filter(|metadata| metadata.as_str().contains(SESSION_MEMBER))?;
    metadata.read::<Metadata>().ok()?.session?.autonomous
}

/// Whether a task that begins with the message is autonomous. `spec` is the definition as it holds in the session, `asked`
/// whether whoever brings the message wants it so.
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

/// Refuses functions and servers of the caller's in a run that nobody waits for.
pub fn takes_callers_tools(spec: &AgentSpec, autonomous: bool, wishes: Option<&Wishes>) -> Result<(), RefusedMessage> {
    let brings = wishes.is_some_and(|wishes| !wishes.tools.is_empty() || !wishes.servers.is_empty());
    if autonomous && brings { Err(callers_tools(spec).in_message()) } else { Ok(()) }
}

/// Refuses a further message of a task that wants another mode than the task has. A definition or session that became
/// autonomous since makes the task so with its next run, except when its caller runs the tools.
pub fn keeps_mode(task: &Task, spec: &AgentSpec, message: &Message) -> Result<(), RefusedMessage> {
    mode_of(spec, task.autonomous, message, task.tool_execution)?;
    match said(message) {
        Some(said) if said != (task.autonomous || spec.autonomous) => Err(another_mode(task).in_message()),
        _ => Ok(()),
    }
}

/// Refuses settings of a session that would have the agent work in a mode that it does not work in.
pub fn check_mode_setting(spec: &AgentSpec, settings: &SessionOverrides) -> Result<(), RefusedMode> {
    match settings.autonomous {
        Some(false) if spec.autonomous => Err(interactive(spec)),
        Some(true) if spec.tool_execution == ToolExecution::Caller => Err(callers_tools(spec)),
        _ => Ok(()),
    }
}

fn interactive(spec: &AgentSpec) -> RefusedMode {
    RefusedMode(format!(
        "agent '{}' is autonomous here and takes part in no interactive session; leave `autonomous` out, or take it out of \
         the agent's definition or the session's settings",
        spec.name
    ))
}

fn callers_tools(spec: &AgentSpec) -> RefusedMode {
    RefusedMode(format!(
        "an autonomous run of agent '{}' cannot leave its tools to the caller; let the agent run its tools, or ask it in \
         an interactive session",
        spec.name
    ))
}

fn another_mode(task: &Task) -> RefusedMode {
    let mode = if task.autonomous { "autonomous" } else { "interactive" };
    RefusedMode(format!("task '{}' is {mode} and stays so; begin another one", task.id))
}
