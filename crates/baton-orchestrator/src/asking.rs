//! A request to one agent.

use crate::{Limits, Watch, Whose};
use baton_local::TimeOrderedIds;
use baton_ports::{IdGenerator as _, PeerRequest};
use baton_types::{AgentName, Message, TraceContext};

/// A request to one agent.
pub(crate) struct Asking<'a> {
    pub(crate) name: &'a AgentName,
    pub(crate) url: &'a str,
    pub(crate) depth: u32,
    pub(crate) limits: &'a Limits,
    pub(crate) watch: &'a dyn Watch,
    /// The request of the agent that handed the work over.
    pub(crate) from: Option<&'a Asking<'a>>,
    /// Parent span.
    pub(crate) trace: Option<TraceContext>,
}

impl<'a> Asking<'a> {
    pub(crate) fn whose(&self) -> Whose<'a> {
        Whose { agent: self.url, depth: self.depth }
    }

    pub(crate) fn next(&'a self, name: &'a AgentName, url: &'a str, depth: u32, trace: Option<TraceContext>) -> Self {
        Asking { name, url, depth, limits: self.limits, watch: self.watch, from: Some(self), trace }
    }

    /// A request to the agent; a task implies its conversation.
    pub(crate) fn words(&self, message: Message, task: Option<String>, context: Option<String>) -> PeerRequest {
        let context = context.unwrap_or_else(|| if task.is_some() { String::new() } else { TimeOrderedIds.next_id() });
        let trace = self.trace.map(|trace| trace.to_string().into());
        PeerRequest { message, context, task, trace, depth: self.depth }
    }

    /// This request and all before it, up to the first.
    pub(crate) fn chain(&self) -> impl Iterator<Item = &Asking<'a>> {
        std::iter::successors(Some(self), |asking| asking.from)
    }
}
