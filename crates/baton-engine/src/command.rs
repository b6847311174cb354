//! What surfaces ask of the engine.

use baton_ports::PageCursor;
use baton_types::{AgentName, ContextId, Message, TaskId, TaskState, TaskView, Timestamp, ToolExecution};
use std::sync::Arc;

/// A message for an agent: a new task, or the next word in the one that `message.task` names.
#[derive(Clone, Debug)]
pub struct SendCommand {
    /// Who is asked.
    pub agent: AgentName,
    /// What is said.
    pub message: Message,
    /// Who runs tools in a new task; the agent's own setting when not given.
    pub tool_execution: Option<ToolExecution>,
    /// W3C trace context of the request.
    pub trace: Option<Arc<str>>,
}

/// An acknowledged send: the journal has it.
#[derive(Clone, Debug)]
pub struct Sent {
    /// The task as the send left it.
    pub task: Arc<TaskView>,
}

/// Which tasks to list.
#[derive(Clone, Debug, Default)]
pub struct ListTasks {
    /// Only this agent's.
    pub agent: Option<AgentName>,
    /// Only this conversation's.
    pub context: Option<ContextId>,
    /// Only in this state.
    pub state: Option<TaskState>,
    /// Only those whose status changed at or after this moment.
    pub status_after: Option<Timestamp>,
    /// Start after this one.
    pub after: Option<PageCursor>,
    /// Most tasks.
    pub limit: usize,
}

/// One page of tasks, newest status first.
#[derive(Clone, Debug)]
pub struct TaskPage {
    /// The tasks.
    pub tasks: Vec<Arc<TaskView>>,
    /// How many match without paging.
    pub total: u64,
    /// Where the next page starts, if there is one.
    pub next: Option<PageCursor>,
}

/// Which of the caller's tasks a command is about.
#[derive(Clone, Debug)]
pub struct TaskRef {
    /// The task.
    pub task: TaskId,
    /// The agent it was addressed through; a task of another agent looks missing.
    pub agent: Option<AgentName>,
}
