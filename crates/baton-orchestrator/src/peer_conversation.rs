//! A request to one agent.

use crate::{CalledAgent, OrchestrationObserver, OrchestratorLimits};
use baton_ports::PeerRequest;
use baton_system::TimeOrderedIds;
use baton_types::{AgentName, IdGenerator as _, Message, TraceContext};

/// A request to one agent.
pub(crate) struct PeerConversation<'a> {
    pub(crate) name: &'a AgentName,
    pub(crate) url: &'a str,
    pub(crate) depth: u32,
    pub(crate) limits: &'a OrchestratorLimits,
    pub(crate) watch: &'a dyn OrchestrationObserver,
    /// The request of the agent that handed the work over.
    pub(crate) parent: Option<&'a PeerConversation<'a>>,
    /// Parent span.
    pub(crate) trace: Option<TraceContext>,
}

impl<'a> PeerConversation<'a> {
    pub(crate) fn called_agent(&self) -> CalledAgent<'a> {
        CalledAgent { agent: self.url, depth: self.depth }
    }

    pub(crate) fn next(&'a self, name: &'a AgentName, url: &'a str, depth: u32, trace: Option<TraceContext>) -> Self {
        PeerConversation { name, url, depth, limits: self.limits, watch: self.watch, parent: Some(self), trace }
    }

    /// A request to the agent; a task implies its conversation.
    pub(crate) fn request(&self, message: Message, task: Option<String>, context: Option<String>) -> PeerRequest {
        let context = context.unwrap_or_else(|| if task.is_some() { String::new() } else { TimeOrderedIds.next_id() });
        let trace = self.trace.map(|trace| trace.to_string().into());
        PeerRequest { message, context, task, trace, depth: self.depth }
    }

    /// This request and all before it, up to the first.
    pub(crate) fn chain(&self) -> impl Iterator<Item = &PeerConversation<'a>> {
        std::iter::successors(Some(self), |asking| asking.parent)
    }
}
