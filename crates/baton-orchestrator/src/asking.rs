//! One agent that is being asked.

use crate::{Limits, Watch, Whose};
use baton_local::TimeOrderedIds;
use baton_ports::{Ids as _, PeerAsk};
use baton_types::{AgentName, Message, TraceContext};

/// One agent that is being asked.
pub(crate) struct Asking<'a> {
    pub(crate) name: &'a AgentName,
    pub(crate) url: &'a str,
    pub(crate) depth: u32,
    pub(crate) limits: &'a Limits,
    pub(crate) watch: &'a dyn Watch,
    /// Who handed the work to it.
    pub(crate) from: Option<&'a Asking<'a>>,
    /// In which span.
    pub(crate) trace: Option<TraceContext>,
}

impl<'a> Asking<'a> {
    pub(crate) fn whose(&self) -> Whose<'a> {
        Whose { agent: self.url, depth: self.depth }
    }

    pub(crate) fn next(&'a self, name: &'a AgentName, url: &'a str, depth: u32, trace: Option<TraceContext>) -> Self {
        Asking { name, url, depth, limits: self.limits, watch: self.watch, from: Some(self), trace }
    }

    /// Words for the agent; a task knows its own conversation.
    pub(crate) fn words(&self, message: Message, task: Option<String>, context: Option<String>) -> PeerAsk {
        let context = context.unwrap_or_else(|| if task.is_some() { String::new() } else { TimeOrderedIds.fresh() });
        let trace = self.trace.map(|trace| trace.to_string().into());
        PeerAsk { message, context, task, trace, depth: self.depth }
    }

    /// The first agent that was asked, and all between.
    pub(crate) fn chain(&self) -> impl Iterator<Item = &Asking<'a>> {
        std::iter::successors(Some(self), |asking| asking.from)
    }
}
