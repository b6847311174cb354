//! Events of a task, in journal order.

use crate::{
    AgentName, Artifact, CallId, Compaction, ContextId, Digest, Effects, GuardStage, GuardVerdict, HandoffId, Json,
    Message, MessageId, ModelNote, ReasoningBlock, RequestContext, RunId, RunOptions, TaskId, TaskState, Timestamp,
    ToolAnswers, ToolCall, ToolExecution, ToolInputRequest, ToolResult, Usage,
};
use serde::{Deserialize, Serialize};

/// One numbered event of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskEvent {
    /// The task was created; always event 1.
    Submitted {
        /// Conversation.
        context: ContextId,
        /// Agent that receives the message.
        agent: AgentName,
        /// First message of the caller.
        message: Message,
        /// Side that runs the tools of this task.
        tool_execution: ToolExecution,
        /// Task that handed over this work.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<ParentLink>,
        /// Number of handoffs before the work arrived from another system.
        #[serde(default, skip_serializing_if = "is_zero")]
        depth: u32,
        /// Whether no person can be asked, regardless of the agent definition.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        autonomous: bool,
    },
    /// The caller sent a further message: an answer, tool results, or input for the next turn.
    MessageReceived {
        /// Message of the caller.
        message: Message,
        /// Results for pending tool calls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        results: Vec<ToolResult>,
    },
    /// The caller set options for the runs that its last message starts.
    RunOptionsSet {
        /// Run options.
        options: Box<RunOptions>,
    },
    /// A run started.
    RunStarted {
        /// Run id.
        run: RunId,
        /// Agent definition that the run is pinned to.
        agent: Digest,
        /// Deadline of the run.
        deadline: Timestamp,
        /// Whether no person can be asked from here on, because of the definition or the session.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        autonomous: bool,
    },
    /// A run was resumed after its process died.
    RunResumed {
        /// Run id.
        run: RunId,
        /// Last event before the process died, not counting resumptions.
        after: u64,
        /// Whether the run is resumed without any other run that may have crashed the process.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        isolated: bool,
    },
    /// A run was paused by an orderly shutdown; its later resumption does not count as a crash.
    RunPaused {
        /// Run id.
        run: RunId,
    },
    /// Context items were selected for the request; valid until the caller sends another message.
    ContextSelected {
        /// Message of the caller that they were selected for.
        message: MessageId,
        /// Selected items.
        request: RequestContext,
        /// Explanation if some items could not be considered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        warning: Option<String>,
    },
    /// A model call started; deltas of its text may follow.
    AttemptStarted {
        /// Id of the resulting message.
        message: MessageId,
        /// Number of the model call in the run, from 1.
        turn: u32,
        /// Attempt at this turn, from 1. A later attempt replaces the text of an earlier one.
        attempt: u32,
    },
    /// Text of the current attempt was flushed; only journaled if the caller wants resumable text.
    TextFlushed {
        /// Id of the resulting message.
        message: MessageId,
        /// Attempt.
        attempt: u32,
        /// Byte offset of the text.
        offset: u64,
        /// New text.
        text: String,
    },
    /// A retry, fallback or other incident of the model call.
    ModelNoted {
        /// Details.
        note: ModelNote,
    },
    /// The model produced reasoning before its next text or tool call.
    ReasoningProduced {
        /// Id of the message that it belongs to.
        message: MessageId,
        /// Reasoning content.
        reasoning: ReasoningBlock,
    },
    /// The conversation for the model was compacted to fit its context window.
    Compacted {
        /// Replacement of the older part.
        compaction: Compaction,
    },
    /// A guardrail returned a verdict.
    GuardrailChecked {
        /// Name of the guardrail.
        guardrail: String,
        /// Stage.
        stage: GuardStage,
        /// Checked tool call or the call of a checked result.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<CallId>,
        /// Checked message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
        /// Verdict.
        verdict: GuardVerdict,
        /// Reason given by the guardrail.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        detail: String,
        /// Replacement content, if it was rewritten.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<Json>,
        /// Digest of the checked content, if no other event holds it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        original: Option<Digest>,
    },
    /// The model called tools.
    ToolsCalled {
        /// Message of the agent, with the tool calls as a data part.
        message: Message,
        /// Tool calls.
        calls: Vec<ToolCall>,
        /// Usage of the model call.
        usage: Usage,
    },
    /// A tool is about to run; written before it starts.
    ToolStarted {
        /// Call id.
        call: CallId,
        /// Side effects of the tool, if the definition does not contain it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effects: Option<Effects>,
        /// MCP server that runs it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        server: Option<String>,
    },
    /// A tool needs an answer before it can start or continue.
    ToolInputRequested {
        /// Call id.
        call: CallId,
        /// Requested input.
        ask: ToolInputRequest,
    },
    /// The request of a tool was answered; the tool continues.
    ToolInputReceived {
        /// Call id.
        call: CallId,
        /// Answers.
        answers: ToolAnswers,
    },
    /// A tool call has its result and never runs again.
    ToolFinished {
        /// Result.
        result: ToolResult,
    },
    /// A tool call was handed off to another agent.
    HandoffSent {
        /// Waiting call.
        call: CallId,
        /// Handoff id.
        handoff: HandoffId,
        /// Receiving agent.
        agent: AgentName,
        /// Task of the receiver.
        child: TaskId,
        /// When the sender stops waiting.
        deadline: Timestamp,
    },
    /// The receiver of a handoff requires input; the question is passed to the caller.
    HandoffInputRequested {
        /// Waiting call.
        call: CallId,
        /// Question of the receiver, unchanged.
        message: Message,
    },
    /// The receiver of a handoff continues.
    HandoffInputReceived {
        /// Waiting call.
        call: CallId,
        /// Message for the receiver; none if it was answered through another task.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<Message>,
        /// When the sender stops waiting. Time spent waiting for an answer does not count.
        deadline: Timestamp,
        /// Permissions granted for the rest of the session.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        grants: Vec<SessionGrant>,
    },
    /// A message is about to be sent to the remote agent; written before it is sent.
    PeerSendStarted {
        /// Message id, which is also the idempotency key of the request.
        message: MessageId,
    },
    /// The remote agent accepted the work as a task.
    PeerAttached {
        /// Id of the remote task.
        task: String,
        /// Id of the remote conversation.
        context: String,
    },
    /// The agent published an output.
    ArtifactEmitted {
        /// Artifact; replaces an earlier one with the same id.
        artifact: Artifact,
    },
    /// The model answered.
    Answered {
        /// Answer as a message; [`Artifact::from_answer`] is the same content as an artifact.
        message: Message,
        /// Usage of the model call.
        usage: Usage,
    },
    /// The state of the task changed.
    StatusChanged {
        /// New state.
        state: TaskState,
        /// Message of the agent about the state.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<Message>,
        /// Reason, if the task did not complete.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<FailureReason>,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(depth: &u32) -> bool {
    *depth == 0
}

impl TaskEvent {
    /// Whether the event is visible to callers: A2A streams show it, and it increments the generation of the task.
    pub fn is_visible(&self) -> bool {
        match self {
            Self::MessageReceived { .. }
            | Self::RunResumed { .. }
            | Self::RunPaused { .. }
            | Self::ContextSelected { .. }
            | Self::AttemptStarted { .. }
            | Self::RunOptionsSet { .. }
            | Self::TextFlushed { .. }
            | Self::ModelNoted { .. }
            | Self::ReasoningProduced { .. }
            | Self::Compacted { .. }
            | Self::GuardrailChecked { .. }
            | Self::PeerSendStarted { .. }
            | Self::PeerAttached { .. }
            | Self::ToolStarted { .. }
            | Self::ToolInputRequested { .. }
            | Self::ToolInputReceived { .. }
            | Self::HandoffInputRequested { .. }
            | Self::HandoffInputReceived { .. } => false,
            Self::Submitted { .. }
            | Self::RunStarted { .. }
            | Self::ToolsCalled { .. }
            | Self::ToolFinished { .. }
            | Self::HandoffSent { .. }
            | Self::ArtifactEmitted { .. }
            | Self::Answered { .. }
            | Self::StatusChanged { .. } => true,
        }
    }
}

/// Link from a child task to the task that waits for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParentLink {
    /// Waiting task.
    pub task: TaskId,
    /// Handoff between the two tasks.
    pub handoff: HandoffId,
    /// Agents of the handoff chain, first to last sender. A target in this list is a cycle.
    pub chain: Vec<AgentName>,
    /// Conversation of the first task in the chain: the session to which tool permissions are granted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<ContextId>,
}

/// Permission for a tool to run without approval for the rest of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionGrant {
    /// Agent that owns the tool.
    pub agent: AgentName,
    /// Tool name.
    pub tool: String,
}

/// Reason why a task did not complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureReason {
    /// Stable error code, `BTN-...`.
    pub code: String,
    /// Description of the error and the next step.
    pub detail: String,
    /// Failure of the model provider, if that was the cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<ProviderFailure>,
}

impl FailureReason {
    /// Creates a reason without a provider failure.
    pub fn new(code: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { code: code.into(), detail: detail.into(), provider: None }
    }
}

/// Failure of a model provider, for surfaces whose clients act on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderFailure {
    /// HTTP status of the response; 503 if the provider was unreachable, 504 if it timed out.
    pub status: u16,
    /// Delay that the provider requested before a retry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// Whether the quota of the account is exhausted, so that a retry does not help.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quota_exhausted: bool,
}
