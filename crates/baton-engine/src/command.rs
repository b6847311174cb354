//! What surfaces ask of the engine.

use baton_ports::PageCursor;
use baton_types::{
    AgentName, ContextId, Digest, Message, PushConfig, SessionEntry, TaskId, TaskState, TaskView, Timestamp,
    ToolExecution, Wishes,
};
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
    /// Who is to be told of everything that follows.
    pub push: Option<PushConfig>,
    /// Sent again under the same key, the message is not said twice.
    pub idempotency: Option<IdempotencyKey>,
    /// How often the work was handed over before it came here from another system.
    pub depth: u32,
    /// Say it only while the task is at this generation.
    pub if_generation: Option<u64>,
    /// Whether nobody is there to be asked.
    pub autonomous: bool,
    /// What the caller wishes of the runs that the message starts.
    pub wishes: Option<Box<Wishes>>,
    /// What was said before, when the message begins a conversation that does not begin with it. Calls at its end may be
    /// those that the message has results for.
    pub history: Vec<SessionEntry>,
}

impl SendCommand {
    /// A message and nothing special about it.
    pub fn new(agent: AgentName, message: Message) -> Self {
        Self {
            agent,
            message,
            tool_execution: None,
            trace: None,
            push: None,
            idempotency: None,
            depth: 0,
            if_generation: None,
            autonomous: false,
            wishes: None,
            history: Vec::new(),
        }
    }
}

/// What makes a repeated send recognisable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// Chosen by the caller.
    pub key: String,
    /// What the request says; another message under the same key is refused.
    pub request: Digest,
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
