//! Hearing what happens while agents work.

use crate::Answer;
use baton_ports::{BoxFuture, ToolOutput};
use baton_types::{Part, ToolCall};
use baton_wire::a2a::v1::StreamResponse;

/// The agent that something is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whose<'a> {
    /// Its address.
    pub agent: &'a str,
    /// How often the work was handed over until it came there.
    pub depth: u32,
}

/// Hears what happens; must not block.
pub trait Watch: Send + Sync {
    /// Something of an agent's stream, once and in order.
    fn heard(&self, whose: Whose<'_>, item: &StreamResponse<'static>) {
        let _ = (whose, item);
    }

    /// A tool is about to be called for an agent.
    fn calling(&self, whose: Whose<'_>, call: &ToolCall) {
        let _ = (whose, call);
    }

    /// A tool gave something.
    fn called(&self, whose: Whose<'_>, call: &ToolCall, output: &ToolOutput) {
        let _ = (whose, call, output);
    }

    /// Whether work may be handed to an agent that nothing allowed, by its address as a tool of an agent elsewhere wrote
    /// it. `has_credential` says that the agent would be shown a credential of the caller's. Nobody may by default.
    fn may_hand_over<'a>(&'a self, whose: Whose<'a>, to: &'a str, has_credential: bool) -> BoxFuture<'a, bool> {
        let _ = (whose, to, has_credential);
        Box::pin(std::future::ready(false))
    }

    /// A tool of an agent has another agent asked.
    fn handing_over(&self, whose: Whose<'_>, to: &str) {
        let _ = (whose, to);
    }

    /// An agent that work was handed to asks something; nothing when nobody can be asked, and the handing over fails.
    /// What the agent asks that was asked first is not asked here: it is the [`Answer`].
    fn asked<'a>(&'a self, whose: Whose<'a>, asks: &'a Answer) -> BoxFuture<'a, Option<Vec<Part>>> {
        let _ = (whose, asks);
        Box::pin(std::future::ready(None))
    }
}

/// Hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Nobody;

impl Watch for Nobody {}
