//! The facts of a task, in the order they became true.

use crate::{
    AgentName, Artifact, CallId, Compaction, ContextId, Digest, Effects, GuardStage, GuardVerdict, HandoffId, Json,
    Message, MessageId, ModelNote, Reasoning, RequestContext, RunId, TaskId, TaskState, Timestamp, ToolAnswers,
    ToolAsk, ToolCall, ToolExecution, ToolResult, Usage, Wishes,
};
use serde::{Deserialize, Serialize};

/// One numbered fact of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskEvent {
    /// The task exists; always event 1.
    Submitted {
        /// The conversation.
        context: ContextId,
        /// Who is asked.
        agent: AgentName,
        /// What is asked.
        message: Message,
        /// Who runs tools in this task.
        tool_execution: ToolExecution,
        /// The task that handed this work over.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<ParentLink>,
        /// How often the work had been handed over before it came here from another system.
        #[serde(default, skip_serializing_if = "is_zero")]
        depth: u32,
        /// Whether nobody is there to be asked, whatever the agent's definition says.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        autonomous: bool,
    },
    /// The caller said something more: an answer, tool results, or a thought for the next turn.
    Said {
        /// What was said.
        message: Message,
        /// Results that it carried for open tool calls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        results: Vec<ToolResult>,
    },
    /// The caller wishes something of the runs that what it just said starts.
    Wished {
        /// What.
        wishes: Box<Wishes>,
    },
    /// A run took the task up.
    RunStarted {
        /// The run.
        run: RunId,
        /// The agent definition it follows to its end.
        agent: Digest,
        /// When it must be over.
        deadline: Timestamp,
        /// Whether nobody is there to be asked from here on, because the definition or the session says so.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        autonomous: bool,
    },
    /// A run went on after its process died.
    RunResumed {
        /// The run.
        run: RunId,
        /// The last event before the process died, resumptions aside.
        after: u64,
        /// Whether no other run that may have brought the process down goes on beside it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        alone: bool,
    },
    /// A run was set aside by an orderly shutdown; going on later is no sign of trouble.
    RunPaused {
        /// The run.
        run: RunId,
    },
    /// What the model is given for the request beside the conversation; holds until the caller says something more.
    ContextChosen {
        /// The caller's message that it was chosen for.
        message: MessageId,
        /// What was chosen.
        request: RequestContext,
        /// What could not be looked at, in words; none when all went well.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        warning: Option<String>,
    },
    /// A model call began; deltas of its text may now be shown.
    AttemptStarted {
        /// The message that the text will become.
        message: MessageId,
        /// Which model call of the run, from 1.
        turn: u32,
        /// Which try at this turn, from 1; a later one replaces the text of the earlier.
        attempt: u32,
    },
    /// More of the text that an attempt writes, when whoever asked wants to take it up anywhere.
    Wrote {
        /// The message that the text will become.
        message: MessageId,
        /// Which try.
        attempt: u32,
        /// How many bytes came before.
        offset: u64,
        /// The new piece.
        text: String,
    },
    /// Something happened on the way to the model's answer.
    ModelNoted {
        /// What.
        note: ModelNote,
    },
    /// What the model thought before what it says or calls next.
    Reasoned {
        /// The message that it thought about.
        message: MessageId,
        /// What.
        reasoning: Reasoning,
    },
    /// The model is given less of the conversation from now on, so that it fits.
    Compacted {
        /// What it is given instead.
        compaction: Compaction,
    },
    /// A guardrail looked at something.
    Guarded {
        /// Which, by its name.
        guardrail: String,
        /// At what.
        stage: GuardStage,
        /// The call that it looked at, of a call or a result.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<CallId>,
        /// The message that it looked at, of what was said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
        /// What it said.
        verdict: GuardVerdict,
        /// Why, in its own words.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        detail: String,
        /// What goes on in place of what it looked at, when it was rewritten.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<Json>,
        /// Where what it looked at is kept, when no other event has it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        original: Option<Digest>,
    },
    /// The model asked for tools.
    ToolsCalled {
        /// The agent's message, tool calls as a data part.
        message: Message,
        /// The calls.
        calls: Vec<ToolCall>,
        /// What the model call used.
        usage: Usage,
    },
    /// A tool begins to run; written before it does.
    ToolStarted {
        /// The call.
        call: CallId,
        /// What it does to the world, for tools that the definition does not hold.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effects: Option<Effects>,
        /// The MCP server that runs it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        server: Option<String>,
    },
    /// A tool cannot go on, or may not begin, before somebody answers.
    ToolAsked {
        /// The call.
        call: CallId,
        /// What it wants to know.
        ask: ToolAsk,
    },
    /// Somebody answered what a tool asked; it goes on with this.
    ToolAnswered {
        /// The call.
        call: CallId,
        /// The answers.
        answers: ToolAnswers,
    },
    /// A tool call has its result, and never runs again.
    ToolFinished {
        /// The result.
        result: ToolResult,
    },
    /// A tool call became work of another agent.
    HandoffSent {
        /// The call that waits.
        call: CallId,
        /// The handoff.
        handoff: HandoffId,
        /// The receiver.
        agent: AgentName,
        /// The receiver's task.
        child: TaskId,
        /// When the sender stops waiting.
        deadline: Timestamp,
    },
    /// The agent that a call was handed to asks for something; the question passes up.
    HandoffAsked {
        /// The call that waits.
        call: CallId,
        /// What the agent asks, as it said it.
        message: Message,
    },
    /// The agent that a call was handed to goes on.
    HandoffAnswered {
        /// The call that waits.
        call: CallId,
        /// Words for it; none when it was answered elsewhere.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<Message>,
        /// When the sender stops waiting: time in which somebody was asked does not count.
        deadline: Timestamp,
        /// What was allowed for the rest of the session.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        grants: Vec<Grant>,
    },
    /// The words are about to go to the agent elsewhere that does the work; written before they do.
    PeerAsked {
        /// The message that carries them, which is also the key under which they are said once.
        message: MessageId,
    },
    /// The agent elsewhere has the work, as a task of its own.
    PeerAttached {
        /// Its task.
        task: String,
        /// Its conversation.
        context: String,
    },
    /// The agent published an output.
    ArtifactEmitted {
        /// The output; replaces an earlier one of the same id.
        artifact: Artifact,
    },
    /// The model answered.
    Answered {
        /// The answer as a message of the conversation; [`Artifact::of_answer`] is the same as an output.
        message: Message,
        /// What the model call used.
        usage: Usage,
    },
    /// The task moved to a state that it now stays in until something happens.
    StatusChanged {
        /// The new state.
        state: TaskState,
        /// What the agent says about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<Message>,
        /// Why, when the task did not complete.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Reason>,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(depth: &u32) -> bool {
    *depth == 0
}

impl TaskEvent {
    /// Whether callers can see that it happened: A2A streams show it, and it counts as a generation of the task.
    pub fn is_shown(&self) -> bool {
        match self {
            Self::Said { .. }
            | Self::RunResumed { .. }
            | Self::RunPaused { .. }
            | Self::ContextChosen { .. }
            | Self::AttemptStarted { .. }
            | Self::Wished { .. }
            | Self::Wrote { .. }
            | Self::ModelNoted { .. }
            | Self::Reasoned { .. }
            | Self::Compacted { .. }
            | Self::Guarded { .. }
            | Self::PeerAsked { .. }
            | Self::PeerAttached { .. }
            | Self::ToolStarted { .. }
            | Self::ToolAsked { .. }
            | Self::ToolAnswered { .. }
            | Self::HandoffAsked { .. }
            | Self::HandoffAnswered { .. } => false,
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

/// The way from a handed-over task back to the one that waits for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParentLink {
    /// The waiting task.
    pub task: TaskId,
    /// The handoff between them.
    pub handoff: HandoffId,
    /// Agents from the first of the chain to the one that handed over; a target found here is a cycle.
    pub chain: Vec<AgentName>,
    /// The conversation in which the first of the chain works, which is the session that somebody allowed tools for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<ContextId>,
}

/// Leave for a tool to run without asking again in a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// Whose tool.
    pub agent: AgentName,
    /// Which.
    pub tool: String,
}

/// Why a task did not complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The stable code of the error, `BTN-...`.
    pub code: String,
    /// What happened and what to do.
    pub detail: String,
    /// How the model's provider failed, when it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<ProviderFailure>,
}

impl Reason {
    /// A reason that no provider gave.
    pub fn new(code: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { code: code.into(), detail: detail.into(), provider: None }
    }
}

/// How the provider of a model failed, for surfaces whose clients act on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderFailure {
    /// The HTTP status of its answer; 503 when it was not reached, 504 when it did not answer in time.
    pub status: u16,
    /// How long it asked to wait before another request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// Whether the account has no quota left, so that waiting does not help.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quota_exhausted: bool,
}
