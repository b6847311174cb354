//! Events while agents work.

use crate::AgentAnswer;
use baton_ports::{BoxFuture, ToolOutput};
use baton_types::{Part, ToolCall};
use baton_wire::a2a::v1::StreamResponse;

/// The agent that an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CalledAgent<'a> {
    /// Its address.
    pub agent: &'a str,
    /// Number of handoffs up to this agent.
    pub depth: u32,
}

/// Receives events; must not block.
pub trait OrchestrationObserver: Send + Sync {
    /// An item of an agent's stream, delivered once and in order.
    fn on_stream_item(&self, agent: CalledAgent<'_>, item: &StreamResponse<'static>) {
        let _ = (agent, item);
    }

    /// A tool is about to be called for an agent.
    fn on_tool_call(&self, agent: CalledAgent<'_>, call: &ToolCall) {
        let _ = (agent, call);
    }

    /// A tool call has finished.
    fn on_tool_result(&self, agent: CalledAgent<'_>, call: &ToolCall, output: &ToolOutput) {
        let _ = (agent, call, output);
    }

    /// Whether work may be handed to an agent that is not allowed by configuration, by its address as a remote agent's
    /// tool wrote it. `has_credential` means that a credential of the caller would be sent to it. Denied by default.
    fn may_hand_over<'a>(&'a self, agent: CalledAgent<'a>, to: &'a str, has_credential: bool) -> BoxFuture<'a, bool> {
        let _ = (agent, to, has_credential);
        Box::pin(std::future::ready(false))
    }

    /// A tool of an agent hands work to another agent.
    fn on_handoff(&self, agent: CalledAgent<'_>, to: &str) {
        let _ = (agent, to);
    }

    /// An agent that received a handoff needs input; with `None`, the handoff fails. Questions of the first agent are
    /// not passed here: they are in the [`AgentAnswer`].
    fn answer_questions<'a>(
        &'a self,
        agent: CalledAgent<'a>,
        asks: &'a AgentAnswer,
    ) -> BoxFuture<'a, Option<Vec<Part>>> {
        let _ = (agent, asks);
        Box::pin(std::future::ready(None))
    }
}

/// Ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SilentObserver;

impl OrchestrationObserver for SilentObserver {}
