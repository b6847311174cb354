//! Folded state of a task.

use baton_types::{
    AgentName, Artifact, CallId, Compaction, ContextId, Digest, Effects, HandoffId, Message, MessageId, ParentLink,
    ReasoningBlock, RequestContext, RunId, RunOptions, SessionGrant, TaskId, TaskState, TaskView, Timestamp,
    ToolAnswers, ToolCall, ToolExecution, ToolInputRequest, ToolResult, Usage,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// State of a task; folding the same events always gives the same value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRecord {
    /// Task id.
    pub id: TaskId,
    /// Conversation.
    pub context: ContextId,
    /// Agent of the task.
    pub agent: AgentName,
    /// State.
    pub state: TaskState,
    /// Message of the agent about the state.
    pub status_message: Option<Message>,
    /// Time of the last state change.
    pub status_at: Timestamp,
    /// Submission time.
    pub created_at: Timestamp,
    /// Complete messages for the model, oldest first.
    pub history: Vec<Message>,
    /// Messages that arrived while the agent was busy; they join the history at the next turn.
    pub waiting: Vec<Message>,
    /// Outputs, oldest first.
    pub artifacts: Vec<Artifact>,
    /// Number of the last event.
    pub version: u64,
    /// Number of events visible to callers.
    pub generation: u64,
    /// Side that runs the tools.
    pub tool_execution: ToolExecution,
    /// Link to the parent task.
    pub parent: Option<ParentLink>,
    /// Number of handoffs before the work arrived from another system.
    #[serde(default)]
    pub depth: u32,
    /// Remote task and conversation, if the agent is remote.
    #[serde(default)]
    pub peer: Option<PeerTaskRef>,
    /// Tool calls of the last turn, until all have results.
    pub calls: Vec<CallState>,
    /// Run in progress.
    pub run: Option<RunState>,
    /// Total usage of all model calls.
    pub usage: Usage,
    /// Number of tool calls requested by the model.
    #[serde(default)]
    pub tool_calls: u64,
    /// Reasoning before messages of the history that called tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasoning: Vec<(MessageId, ReasoningBlock)>,
    /// Replacement of older parts of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compaction: Option<Compaction>,
    /// Whether no person can be asked: set by the caller or by the definition of a run. Never reset.
    #[serde(default)]
    pub autonomous: bool,
    /// Tools approved for the rest of the session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<SessionGrant>,
    /// Last context selection, with the caller's message that it was made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<(MessageId, RequestContext)>,
    /// Last answer of the model, if its format was invalid and no other followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<AnswerRepair>,
    /// Options for the runs that the last message of the caller starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wishes: Option<Box<RunOptions>>,
    /// Last message of the caller that guardrails have checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<MessageId>,
}

/// An invalid answer that must be repaired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerRepair {
    /// Answer of the model.
    pub answer: String,
    /// Description of the problem.
    pub problem: String,
    /// Number of consecutive invalid answers.
    pub count: u32,
}

/// Failures of a tool in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFailures {
    /// Number of failures.
    pub count: u32,
    /// Beginning of the last error.
    pub last: String,
}

/// Run in progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunState {
    /// Run id.
    pub id: RunId,
    /// Definition that the run is pinned to.
    pub agent: Digest,
    /// Deadline.
    pub deadline: Timestamp,
    /// Number of started model calls.
    pub turn: u32,
    /// Attempts at the current turn.
    pub attempt: u32,
    /// Message id of an unfinished model call.
    pub open: Option<MessageId>,
    /// Request to the remote agent in this turn, if the agent is remote.
    #[serde(default)]
    pub asked: Option<PeerDispatch>,
    /// Whether the last model call answered, so that the run may complete.
    pub answered: bool,
    /// Last event that was not a resumption.
    pub last_progress: u64,
    /// Number of process crashes since then.
    pub crashes: u32,
    /// Number of resumptions alone since then, as a crash suspect.
    #[serde(default)]
    pub alone: u32,
    /// Number of calls that the agent started.
    #[serde(default)]
    pub begun: u32,
    /// Tools that failed or were called with invalid arguments.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failures: BTreeMap<String, ToolFailures>,
}

/// Remote task and conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeerTaskRef {
    /// Id of the remote task, until it has ended.
    pub task: Option<String>,
    /// Id of the remote conversation.
    pub context: String,
}

/// Request to a remote agent, sent or about to be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeerDispatch {
    /// Id of the sent message.
    pub message: MessageId,
    /// Whether the remote agent is known to have received it.
    pub taken: bool,
}

/// A tool call and its progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallState {
    /// Call.
    pub call: ToolCall,
    /// Stage.
    pub stage: CallStage,
    /// Side effects, if they were recorded at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<Effects>,
    /// Answers that it continues with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<ToolAnswers>,
    /// Decision on its approval, if one was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved: Option<bool>,
    /// Whether it has passed the guardrails.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guarded: bool,
}

impl CallState {
    /// Creates a pending call.
    pub fn pending(call: ToolCall) -> Self {
        Self { call, stage: CallStage::Pending, effects: None, answers: None, approved: None, guarded: false }
    }
}

/// Progress of a tool call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStage {
    /// Not started.
    Pending,
    /// Started; whether it took effect is unknown until it has a result.
    Started,
    /// Another agent works on it.
    HandedOff(PendingHandoff),
    /// Waits for answers.
    Asked(ToolInputRequest),
    /// Has its result.
    Finished(ToolResult),
}

/// A call that was handed off to another agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingHandoff {
    /// Handoff id.
    pub handoff: HandoffId,
    /// Task of the receiver.
    pub child: TaskId,
    /// End of the wait; suspended while a question is open.
    pub deadline: Timestamp,
    /// Open question of the receiver, and the time since it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<(Message, Timestamp)>,
    /// Answer for the receiver, which may not be delivered yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Message>,
}

impl RunState {
    /// Whether the remote agent is known to have received the request of this turn.
    pub fn is_request_delivered(&self) -> bool {
        self.asked.as_ref().is_some_and(|dispatch| dispatch.taken)
    }
}

impl CallStage {
    /// Whether the call has its result.
    pub fn is_finished(&self) -> bool {
        matches!(self, Self::Finished(_))
    }

    /// Whether the call waits for answers.
    pub fn is_asked(&self) -> bool {
        matches!(self, Self::Asked(_))
    }
}

impl TaskRecord {
    /// The call with this id, if it belongs to the last turn.
    pub fn call(&self, id: &CallId) -> Option<&CallState> {
        self.calls.iter().find(|state| state.call.id == *id)
    }

    /// Calls that were handed off.
    pub fn pending_handoffs(&self) -> impl Iterator<Item = (&ToolCall, &PendingHandoff)> {
        self.calls.iter().filter_map(|state| match &state.stage {
            CallStage::HandedOff(pending) => Some((&state.call, pending)),
            _ => None,
        })
    }

    /// Whether a question of a child is open: the task waits for its caller, or for the child to continue without it.
    pub fn waits_for_child(&self) -> bool {
        self.state == TaskState::InputRequired && self.pending_handoffs().any(|(_, pending)| pending.asked.is_some())
    }

    /// Calls without a result.
    pub fn open_calls(&self) -> impl Iterator<Item = &CallState> {
        self.calls.iter().filter(|state| !state.stage.is_finished())
    }

    /// Whether the task has work for Baton to do.
    pub fn is_active(&self) -> bool {
        matches!(self.state, TaskState::Submitted | TaskState::Working)
    }

    /// Task as visible to its caller.
    pub fn view(&self) -> TaskView {
        TaskView {
            id: self.id.clone(),
            context: self.context.clone(),
            agent: self.agent.clone(),
            created_at: self.created_at,
            tool_execution: self.tool_execution,
            state: self.state,
            status_message: self.status_message.clone(),
            status_at: self.status_at,
            history: self.visible_history().into_iter().chain(self.waiting.iter().cloned()).collect(),
            artifacts: self.artifacts.clone(),
            version: self.version,
            generation: self.generation,
        }
    }
}
