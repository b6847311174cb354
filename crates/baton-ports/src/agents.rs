//! Where agent definitions come from, and asking an agent for work.

use crate::BoxFuture;
use baton_types::{
    AgentKit, AgentListing, AgentName, AgentSpec, CallId, ChannelReason, ContextId, ErrorCode, HandoffChannel,
    HandoffId, PermissionChange, Principal, TaskId, TaskState, Timestamp, ToolStanding,
};
use futures_core::Stream;
use std::{pin::Pin, sync::Arc};

/// Yields whenever something may have changed; what, the listener finds out by looking.
pub type Changes = Pin<Box<dyn Stream<Item = ()> + Send>>;

/// The agents that are served now.
pub trait AgentSource: Send + Sync + 'static {
    /// All of them, in a stable order. There may be very many, and this loads each: whoever only lists or counts them
    /// asks for [`AgentSource::listed`].
    fn agents(&self) -> Vec<Arc<AgentSpec>>;

    /// One by name.
    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>>;

    /// What lists say about each of them, in the same order; no definition is loaded for it.
    fn listed(&self) -> Vec<Arc<AgentListing>> {
        self.agents().iter().map(|agent| Arc::new(AgentListing::of(agent, &self.kit(&agent.name)))).collect()
    }

    /// Whether there is one of this name.
    fn has(&self, name: &AgentName) -> bool {
        self.agent(name).is_some()
    }

    /// The one that lives here, when exactly one does; those that live elsewhere do not count.
    fn sole(&self) -> Option<Arc<AgentSpec>> {
        let mut here = self.listed().into_iter().filter(|agent| !agent.is_peer());
        match (here.next(), here.next()) {
            (Some(sole), None) => self.agent(&sole.name),
            _ => None,
        }
    }

    /// What it has beside its definition; empty for an agent that has nothing, or that is not there.
    fn kit(&self, name: &AgentName) -> Arc<AgentKit> {
        let _ = name;
        Arc::default()
    }

    /// Looks again where the definitions come from; says which entries cannot be used, and why.
    fn refresh(&self) -> BoxFuture<'_, Vec<Unusable>> {
        Box::pin(std::future::ready(Vec::new()))
    }

    /// Yields after agents or their kits changed.
    fn changes(&self) -> Changes {
        no_changes()
    }
}

/// Changes that do not come.
pub(crate) fn no_changes() -> Changes {
    Box::pin(Never)
}

/// An entry from which no agent could be made; the others are served all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// As it was given: a path or an address.
    pub entry: String,
    /// What is wrong, and what to do.
    pub reason: String,
}

struct Never;

impl Stream for Never {
    type Item = ();

    fn poll_next(self: Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<Option<()>> {
        std::task::Poll::Pending
    }
}

/// A word about a tool that stands in its definition now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionChanged {
    /// The file, as whoever started this Baton knows it.
    pub file: String,
    /// Whether it had to be written; it may have said so already.
    pub is_written: bool,
    /// What the definition said before.
    pub before: ToolStanding,
    /// What it says now.
    pub after: ToolStanding,
}

/// Why a definition was not changed; it is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct PermissionBookError {
    /// The stable code.
    pub code: ErrorCode,
    /// What happened, and what to do.
    pub detail: String,
}

/// Where words about tools are written down: the definitions that they come from.
pub trait PermissionBook: Send + Sync + 'static {
    /// Writes a word into the definition of an agent; on disk, and in force for the next call, when this returns.
    fn change<'a>(
        &'a self,
        agent: &'a AgentName,
        change: PermissionChange,
    ) -> BoxFuture<'a, Result<PermissionChanged, PermissionBookError>>;
}

/// Words for an agent, from somebody who waits for its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentAsk {
    /// Whom.
    pub agent: AgentName,
    /// What.
    pub text: String,
    /// The conversation to go on with; a new one when not given.
    pub context: Option<ContextId>,
    /// The task to go on with, when it asked for something.
    pub task: Option<TaskId>,
    /// How often the work was handed over before.
    pub depth: u32,
    /// W3C trace context.
    pub trace: Option<String>,
    /// Whether nobody is there to be asked.
    pub autonomous: bool,
}

/// What an agent answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentReply {
    /// The task that did the work.
    pub task: TaskId,
    /// The conversation, to go on with.
    pub context: ContextId,
    /// Where the task stands: terminal, or waiting for an answer.
    pub state: TaskState,
    /// The answer, the question, or the reason of a failure.
    pub text: String,
}

/// Why an agent could not be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct AgentAskError {
    /// The stable code.
    pub code: ErrorCode,
    /// What happened, and what to do.
    pub detail: String,
}

/// Asks agents for work and waits; dropping the future cancels the work.
pub trait AgentDesk: Send + Sync + 'static {
    /// Gives an agent words and waits until its task has ended or needs somebody.
    fn ask<'a>(&'a self, principal: &'a Principal, ask: AgentAsk) -> BoxFuture<'a, Result<AgentReply, AgentAskError>>;

    /// Whether a tool call of a task that the caller can see is left to callers to run; nothing when there is no such call.
    fn is_callers_call<'a>(
        &'a self,
        principal: &'a Principal,
        task: &'a TaskId,
        call: &'a CallId,
    ) -> BoxFuture<'a, Result<Option<bool>, AgentAskError>>;
}

/// Work that an MCP client hands over through an agent's Environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandoffAsk {
    /// The agent whose `handoff` was called.
    pub from: AgentName,
    /// Whom: an agent's name or address, as the caller wrote it.
    pub agent_uri: String,
    /// What.
    pub message: String,
    /// The conversation to go on with; a new one when not given.
    pub context: Option<ContextId>,
    /// How often the work was handed over before.
    pub depth: u32,
    /// W3C trace context.
    pub trace: Option<String>,
    /// The task in which it was called, when it was one.
    pub task: Option<TaskId>,
    /// The call in which it was called.
    pub call: Option<CallId>,
    /// Whether nobody is there to be asked.
    pub autonomous: bool,
    /// Why the channel was chosen; none in an agent's own run.
    pub reason: Option<ChannelReason>,
}

/// A handoff that was admitted and is on record, in progress, with somebody else doing the sending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandoffTicket {
    /// The record.
    pub id: HandoffId,
    /// The address of the receiver, as whoever sends can use it.
    pub agent_uri: String,
    /// How often the work has been handed over, this time included.
    pub depth: u32,
    /// When it is given up.
    pub deadline: Timestamp,
}

/// How a handoff ended that somebody else sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandoffEnd {
    /// With an answer.
    Completed {
        /// The answer.
        response: String,
        /// The receiver's task, when the sender said.
        task: Option<String>,
        /// The conversation, when the sender said.
        context: Option<String>,
    },
    /// With an error.
    Failed(String),
    /// Because nobody wants it any more.
    Cancelled(String),
}

/// Hands work over for callers who are no task: every time it is decided by the same rules and leaves a record.
pub trait HandoffDesk: Send + Sync + 'static {
    /// Decides whether the work may be handed over, and writes it down as in progress; the caller does the sending.
    fn begin<'a>(
        &'a self,
        principal: &'a Principal,
        ask: HandoffAsk,
        channel: HandoffChannel,
    ) -> BoxFuture<'a, Result<HandoffTicket, AgentAskError>>;

    /// Writes down how it ended. A handoff that has ended already stays as it is: false.
    fn end<'a>(
        &'a self,
        principal: &'a Principal,
        id: &'a HandoffId,
        end: HandoffEnd,
    ) -> BoxFuture<'a, Result<bool, AgentAskError>>;

    /// Takes a handoff back that was begun for a client to send, because `model` answered there instead of the agent, and
    /// hands the work over as [`Self::hand_over`] does. Nothing when the handoff has ended or was taken back before.
    fn take_back<'a>(
        &'a self,
        principal: &'a Principal,
        id: &'a HandoffId,
        ask: HandoffAsk,
        model: &'a str,
    ) -> BoxFuture<'a, Result<Option<AgentReply>, AgentAskError>>;

    /// Hands the work over and waits for what comes of it; dropping the future cancels the work.
    fn hand_over<'a>(
        &'a self,
        principal: &'a Principal,
        ask: HandoffAsk,
    ) -> BoxFuture<'a, Result<AgentReply, AgentAskError>>;
}
