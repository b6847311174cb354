//! Commands that surfaces send to the engine.

use baton_ports::StreamCursor;
use baton_types::{
    AgentName, ContextId, Digest, Message, PushConfig, RunOptions, SessionEntry, TaskId, TaskState, TaskView,
    Timestamp, ToolExecution,
};
use std::sync::Arc;

/// A message for an agent. Starts a new task, or continues the task named by `message.task`.
#[derive(Clone, Debug)]
pub struct SendCommand {
    /// Target agent.
    pub agent: AgentName,
    /// Message to deliver.
    pub message: Message,
    /// Side that runs the tools of a new task; defaults to the agent's setting.
    pub tool_execution: Option<ToolExecution>,
    /// W3C trace context of the request.
    pub trace: Option<Arc<str>>,
    /// Push receiver for all events of the task.
    pub push: Option<PushConfig>,
    /// Idempotency key; a repeated send with the same key delivers the message once.
    pub idempotency: Option<IdempotencyKey>,
    /// Number of handoffs before the request reached this system.
    pub depth: u32,
    /// Deliver only while the task is at this generation.
    pub if_generation: Option<u64>,
    /// Whether no user is available for questions.
    pub autonomous: bool,
    /// Options of the runs that the message starts.
    pub run_options: Option<Box<RunOptions>>,
    /// Earlier messages of a conversation that starts here. The message may contain results for the calls at the end of
    /// this history.
    pub history: Vec<SessionEntry>,
}

impl SendCommand {
    /// A command with default options.
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
            run_options: None,
            history: Vec::new(),
        }
    }
}

/// Client-chosen key that identifies a repeated send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// Key chosen by the caller.
    pub key: String,
    /// Digest of the request; a different request with the same key is rejected.
    pub request: Digest,
}

/// Receipt of a send that the journal has.
#[derive(Clone, Debug)]
pub struct SendReceipt {
    /// The task after the send.
    pub task: Arc<TaskView>,
}

/// Filter and page of a task list.
#[derive(Clone, Debug, Default)]
pub struct ListTasks {
    /// Only tasks of this agent.
    pub agent: Option<AgentName>,
    /// Only tasks of this context.
    pub context: Option<ContextId>,
    /// Only tasks in this state.
    pub state: Option<TaskState>,
    /// Only tasks whose status changed at or after this time.
    pub status_after: Option<Timestamp>,
    /// Start after this cursor.
    pub after: Option<StreamCursor>,
    /// Maximum tasks per page.
    pub limit: usize,
}

/// One page of tasks, newest status first.
#[derive(Clone, Debug)]
pub struct TaskPage {
    /// Tasks of the page.
    pub tasks: Vec<Arc<TaskView>>,
    /// Total number of matches.
    pub total: u64,
    /// Cursor of the next page, if there is one.
    pub next: Option<StreamCursor>,
}

/// Reference to a task of the caller.
#[derive(Clone, Debug)]
pub struct TaskRef {
    /// The task.
    pub task: TaskId,
    /// The agent addressed by the request; a task of another agent is reported as not found.
    pub agent: Option<AgentName>,
}
