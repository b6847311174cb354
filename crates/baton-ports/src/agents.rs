//! Source of agent definitions, agent invocation and handoffs.

use crate::BoxFuture;
use baton_types::{
    AgentListing, AgentName, AgentResources, AgentSpec, CallId, ChannelReason, ContextId, ErrorCode, HandoffChannel,
    HandoffId, Principal, TaskId, TaskState, Timestamp,
};
use futures_core::Stream;
use std::{pin::Pin, sync::Arc};

/// Yields whenever something may have changed; the receiver reads the new state.
pub type ChangeStream = Pin<Box<dyn Stream<Item = ()> + Send>>;

/// The agents that are currently served.
pub trait AgentSource: Send + Sync + 'static {
    /// All agents, in a stable order. This loads every definition: use [`AgentSource::listings`] to list or count agents.
    fn agents(&self) -> Vec<Arc<AgentSpec>>;

    /// An agent by name.
    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>>;

    /// Listing entries of all agents, in the same order, without loading the definitions.
    fn listings(&self) -> Vec<Arc<AgentListing>> {
        self.agents()
            .iter()
            .map(|agent| Arc::new(AgentListing::from_agent(agent, &self.agent_resources(&agent.name))))
            .collect()
    }

    /// Whether an agent has this name.
    fn has(&self, name: &AgentName) -> bool {
        self.agent(name).is_some()
    }

    /// The only local agent, if there is exactly one; remote agents do not count.
    fn sole_local_agent(&self) -> Option<Arc<AgentSpec>> {
        let mut here = self.listings().into_iter().filter(|agent| !agent.is_peer());
        match (here.next(), here.next()) {
            (Some(sole), None) => self.agent(&sole.name),
            _ => None,
        }
    }

    /// The resources of an agent beyond its definition; empty if it has none or does not exist.
    fn agent_resources(&self, name: &AgentName) -> Arc<AgentResources> {
        let _ = name;
        Arc::default()
    }

    /// Reloads the definitions from their source and returns the unusable entries.
    fn refresh(&self) -> BoxFuture<'_, Vec<UnusableEntry>> {
        Box::pin(std::future::ready(Vec::new()))
    }

    /// Yields after agents or their resources changed.
    fn changes(&self) -> ChangeStream {
        no_changes()
    }
}

/// A stream that never yields.
pub(crate) fn no_changes() -> ChangeStream {
    Box::pin(PendingStream)
}

/// An entry that does not define a valid agent; the other entries are served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableEntry {
    /// The path or address as configured.
    pub entry: String,
    /// The problem and its remedy.
    pub reason: String,
}

struct PendingStream;

impl Stream for PendingStream {
    type Item = ();

    fn poll_next(self: Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<Option<()>> {
        std::task::Poll::Pending
    }
}

/// A message to an agent from a caller that waits for the reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentRequest {
    /// The receiving agent.
    pub agent: AgentName,
    /// The message text.
    pub text: String,
    /// The conversation to continue; a new one if absent.
    pub context: Option<ContextId>,
    /// The task to continue, if it requested input.
    pub task: Option<TaskId>,
    /// Number of previous handoffs of this work.
    pub depth: u32,
    /// W3C trace context.
    pub trace: Option<String>,
    /// Whether no person is available for approvals or questions.
    pub autonomous: bool,
}

/// Reply of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentReply {
    /// The task that did the work.
    pub task: TaskId,
    /// The conversation, for follow-up messages.
    pub context: ContextId,
    /// Task state: terminal or waiting for input.
    pub state: TaskState,
    /// The answer, the question or the failure reason.
    pub text: String,
}

/// Error of an agent invocation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct AgentInvokeError {
    /// Stable error code.
    pub code: ErrorCode,
    /// The problem and its remedy.
    pub detail: String,
}

/// Invokes agents and waits for the reply; dropping the future cancels the work.
pub trait AgentInvoker: Send + Sync + 'static {
    /// Sends a message to an agent and waits until its task ends or requires input.
    fn invoke<'a>(
        &'a self,
        principal: &'a Principal,
        request: AgentRequest,
    ) -> BoxFuture<'a, Result<AgentReply, AgentInvokeError>>;

    /// Whether a tool call of a task visible to the caller is executed by the client; `None` if there is no such call.
    fn is_client_tool_call<'a>(
        &'a self,
        principal: &'a Principal,
        task: &'a TaskId,
        call: &'a CallId,
    ) -> BoxFuture<'a, Result<Option<bool>, AgentInvokeError>>;
}

/// Work that an MCP client hands over through an agent's Environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandoffRequest {
    /// The agent whose `handoff` tool was called.
    pub from: AgentName,
    /// Name or address of the receiving agent, as the caller wrote it.
    pub agent_uri: String,
    /// The message text.
    pub message: String,
    /// The conversation to continue; a new one if absent.
    pub context: Option<ContextId>,
    /// Number of previous handoffs of this work.
    pub depth: u32,
    /// W3C trace context.
    pub trace: Option<String>,
    /// The calling task, if the caller is a task.
    pub task: Option<TaskId>,
    /// The tool call that requested the handoff.
    pub call: Option<CallId>,
    /// Whether no person is available for approvals or questions.
    pub autonomous: bool,
    /// Reason for the choice of the channel; `None` in an agent's own run.
    pub reason: Option<ChannelReason>,
}

/// An admitted and recorded handoff in progress whose message the caller delivers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandoffTicket {
    /// Id of the handoff record.
    pub id: HandoffId,
    /// Address of the receiver, in a form that the sender can use.
    pub agent_uri: String,
    /// Number of handoffs of this work, including this one.
    pub depth: u32,
    /// Deadline of the handoff.
    pub deadline: Timestamp,
}

/// Outcome of a handoff that the caller delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandoffOutcome {
    /// The receiver answered.
    Completed {
        /// The answer.
        response: String,
        /// The receiver's task, if reported.
        task: Option<String>,
        /// The conversation, if reported.
        context: Option<String>,
    },
    /// The handoff failed with this error.
    Failed(String),
    /// The handoff was cancelled for this reason.
    Cancelled(String),
}

/// Hands work over for callers that are not tasks: the same rules apply, and every handoff is recorded.
pub trait HandoffService: Send + Sync + 'static {
    /// Checks whether the handoff is allowed and records it as in progress; the caller delivers the message.
    fn begin<'a>(
        &'a self,
        principal: &'a Principal,
        request: HandoffRequest,
        channel: HandoffChannel,
    ) -> BoxFuture<'a, Result<HandoffTicket, AgentInvokeError>>;

    /// Records the outcome. Returns false if the handoff had already ended; it is then unchanged.
    fn end<'a>(
        &'a self,
        principal: &'a Principal,
        id: &'a HandoffId,
        end: HandoffOutcome,
    ) -> BoxFuture<'a, Result<bool, AgentInvokeError>>;

    /// Reclaims a handoff that was begun for a client to deliver, because `model` answered there instead of the agent,
    /// and hands the work over like [`Self::hand_over`]. `None` if the handoff has ended or was already reclaimed.
    fn reclaim<'a>(
        &'a self,
        principal: &'a Principal,
        id: &'a HandoffId,
        request: HandoffRequest,
        model: &'a str,
    ) -> BoxFuture<'a, Result<Option<AgentReply>, AgentInvokeError>>;

    /// Hands the work over and waits for the result; dropping the future cancels the work.
    fn hand_over<'a>(
        &'a self,
        principal: &'a Principal,
        request: HandoffRequest,
    ) -> BoxFuture<'a, Result<AgentReply, AgentInvokeError>>;
}
