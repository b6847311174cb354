//! The folded state of a task.

use baton_types::{
    AgentName, Artifact, CallId, Compaction, ContextId, Digest, Effects, Grant, HandoffId, Message, MessageId,
    ParentLink, Reasoning, RequestContext, RunId, TaskId, TaskState, TaskView, Timestamp, ToolAnswers, ToolAsk,
    ToolCall, ToolExecution, ToolResult, Usage, Wishes,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything that a task's events amount to; folding the same events always gives the same value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Its id.
    pub id: TaskId,
    /// The conversation.
    pub context: ContextId,
    /// Who works on it.
    pub agent: AgentName,
    /// Where it stands.
    pub state: TaskState,
    /// What the agent last said about that.
    pub status_message: Option<Message>,
    /// When the state last changed.
    pub status_at: Timestamp,
    /// When the task was submitted.
    pub created_at: Timestamp,
    /// Complete messages that the model has been or will be given, oldest first.
    pub history: Vec<Message>,
    /// Messages that came while the agent was busy; they join the history at the next turn.
    pub waiting: Vec<Message>,
    /// Outputs, oldest first.
    pub artifacts: Vec<Artifact>,
    /// The number of the last event.
    pub version: u64,
    /// How many of the events are shown to callers.
    pub generation: u64,
    /// Who runs tools.
    pub tool_execution: ToolExecution,
    /// The task that handed this one over.
    pub parent: Option<ParentLink>,
    /// How often the work had been handed over before it came here from another system.
    #[serde(default)]
    pub depth: u32,
    /// Where the agent elsewhere works on it, when the agent is one.
    #[serde(default)]
    pub peer: Option<PeerPlace>,
    /// Tool calls of the last turn, until all have results.
    pub calls: Vec<CallState>,
    /// The run in progress.
    pub run: Option<Run>,
    /// What all model calls used together.
    pub usage: Usage,
    /// How many tool calls the model made.
    #[serde(default)]
    pub tool_calls: u64,
    /// What the model thought before messages of the history that called tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasoning: Vec<(MessageId, Reasoning)>,
    /// What the model is given in place of older parts of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compaction: Option<Compaction>,
    /// Whether nobody is there to be asked: its caller said so, or the definition that a run of it follows. It stays so.
    #[serde(default)]
    pub autonomous: bool,
    /// Tools that were allowed for the rest of the session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<Grant>,
    /// The caller's message for which things were last chosen that the model is given beside the conversation, and what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<(MessageId, RequestContext)>,
    /// The model's last answer, when it did not have the form asked for and no other came since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<Repair>,
    /// What the caller wishes of the runs that its last words start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wishes: Option<Box<Wishes>>,
    /// The last message of the caller's that guardrails have looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<MessageId>,
}

/// An answer that has to be made anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repair {
    /// What the model said.
    pub answer: String,
    /// What is wrong with it.
    pub problem: String,
    /// How many answers in a row did not fit.
    pub count: u32,
}

/// How a tool failed in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failures {
    /// How often.
    pub count: u32,
    /// The beginning of what it said last.
    pub last: String,
}

/// One execution in progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// The definition it follows.
    pub agent: Digest,
    /// When it must be over.
    pub deadline: Timestamp,
    /// Model calls begun.
    pub turn: u32,
    /// Tries at the present turn.
    pub attempt: u32,
    /// The message that an unfinished model call is writing.
    pub open: Option<MessageId>,
    /// What the agent elsewhere was asked in this turn, when the agent is one.
    #[serde(default)]
    pub asked: Option<PeerAsked>,
    /// Whether the last model call answered, so that the run may complete.
    pub answered: bool,
    /// The last event that was not a resumption.
    pub last_progress: u64,
    /// How often the process died since then.
    pub crashes: u32,
    /// How often it went on alone since then, because it may have brought the process down.
    #[serde(default)]
    pub alone: u32,
    /// Calls that the agent itself began.
    #[serde(default)]
    pub begun: u32,
    /// Tools that failed or were called wrongly.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failures: BTreeMap<String, Failures>,
}

/// Where an agent elsewhere works on a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeerPlace {
    /// Its task, until it has ended.
    pub task: Option<String>,
    /// Its conversation.
    pub context: String,
}

/// Words that went, or were about to go, to an agent elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeerAsked {
    /// The message that carries them.
    pub message: MessageId,
    /// Whether the agent is known to have them.
    pub taken: bool,
}

/// A tool call and how far it got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallState {
    /// The call.
    pub call: ToolCall,
    /// How far it got.
    pub stage: CallStage,
    /// What it does to the world, when that was written down as it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<Effects>,
    /// Answers that it goes on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<ToolAnswers>,
    /// Whether somebody allowed it, once somebody was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved: Option<bool>,
    /// Whether guardrails have let it pass.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guarded: bool,
}

impl CallState {
    /// A call of which nothing happened yet.
    pub fn pending(call: ToolCall) -> Self {
        Self { call, stage: CallStage::Pending, effects: None, answers: None, approved: None, guarded: false }
    }
}

/// How far a tool call got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStage {
    /// Nothing happened yet.
    Pending,
    /// It began; whether it took effect is unknown until it has a result.
    Started,
    /// Another agent works on it.
    HandedOff(HandedOff),
    /// It waits for answers.
    Asked(ToolAsk),
    /// It has its result.
    Finished(ToolResult),
}

/// Work of a call that another agent does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandedOff {
    /// The handoff.
    pub handoff: HandoffId,
    /// That agent's task.
    pub child: TaskId,
    /// When the wait ends, unless somebody is being asked.
    pub deadline: Timestamp,
    /// What the agent asks, since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<(Message, Timestamp)>,
    /// Words for the agent, which it may not have heard yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Message>,
}

impl Run {
    /// Whether an agent elsewhere is known to have what it was asked in this turn.
    pub fn is_taken(&self) -> bool {
        self.asked.as_ref().is_some_and(|asked| asked.taken)
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

impl Task {
    /// The call with this id, if it belongs to the last turn.
    pub fn call(&self, id: &CallId) -> Option<&CallState> {
        self.calls.iter().find(|state| state.call.id == *id)
    }

    /// Calls that another agent works on.
    pub fn handed_off(&self) -> impl Iterator<Item = (&ToolCall, &HandedOff)> {
        self.calls.iter().filter_map(|state| match &state.stage {
            CallStage::HandedOff(handed) => Some((&state.call, handed)),
            _ => None,
        })
    }

    /// Whether a question of an agent that work was handed to is open: the task waits for its caller, and for that agent
    /// to go on without it.
    pub fn waits_for_child(&self) -> bool {
        self.state == TaskState::InputRequired && self.handed_off().any(|(_, handed)| handed.asked.is_some())
    }

    /// Calls without a result.
    pub fn open_calls(&self) -> impl Iterator<Item = &CallState> {
        self.calls.iter().filter(|state| !state.stage.is_finished())
    }

    /// Whether Baton itself owes work on the task.
    pub fn is_active(&self) -> bool {
        matches!(self.state, TaskState::Submitted | TaskState::Working)
    }

    /// The task as its caller may see it.
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
            history: self.seen_history().into_iter().chain(self.waiting.iter().cloned()).collect(),
            artifacts: self.artifacts.clone(),
            version: self.version,
            generation: self.generation,
        }
    }
}
