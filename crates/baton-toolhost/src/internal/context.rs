//! Access of the internal servers to definitions, sessions, tools and search. Errors tell the model how to proceed.

use super::{InternalPorts, call::CallRejection};
use baton_agentdir::error_codes;
use baton_manage::Manager;
use baton_ports::{AgentSource, SearchText, SessionItems, SessionStore, ToolHost};
use baton_relevance::{RelevanceEntry, find};
use baton_types::{
    AgentChange, AgentName, AgentResources, AgentSpec, ErrorCode, ItemName, RelevanceLimits, TaskId, Thousandths,
};
use std::sync::{Arc, OnceLock};

const NO_SESSION: &str = "there is no conversation here: this tool reads or changes the content of one, so it works only \
                          when an agent calls it during a conversation";

/// State shared by the internal servers of all agents.
pub(super) struct InternalContext {
    agents: Arc<dyn AgentSource>,
    manager: Option<Manager>,
    ports: OnceLock<InternalPorts>,
}

/// Indexes and scores of the matches, with an optional note about the search method.
pub(super) struct SearchMatches {
    pub(super) matches: Vec<(usize, Thousandths)>,
    pub(super) note: Option<String>,
}

impl InternalContext {
    pub(super) fn new(agents: Arc<dyn AgentSource>, manager: Option<Manager>) -> Self {
        Self { agents, manager, ports: OnceLock::new() }
    }

    pub(super) fn attach(&self, ports: InternalPorts) {
        let _ = self.ports.set(ports);
    }

    /// The current definition.
    pub(super) fn agent(&self, name: &AgentName) -> Result<Arc<AgentSpec>, CallRejection> {
        let not_found =
            || CallRejection::with_code(ErrorCode::AGENT_NOT_FOUND, format!("the agent '{name}' is no longer served"));
        self.agents.agent(name).ok_or_else(not_found)
    }

    /// Resources of the agent besides its definition.
    pub(super) fn agent_resources(&self, name: &AgentName) -> Arc<AgentResources> {
        self.agents.agent_resources(name)
    }

    /// Writes a change to the source of the definition.
    pub(super) async fn amend(&self, agent: &AgentName, change: AgentChange) -> Result<(), CallRejection> {
        let Some(manager) = &self.manager else {
            let detail = format!(
                "the definition of '{agent}' is part of a program and cannot be changed while it runs; tell the user which \
                 change is needed"
            );
            return Err(CallRejection::with_code(error_codes::AGENT_NOT_CHANGED, detail));
        };
        match manager.amend(agent, &change).await {
            Ok(_) => Ok(()),
            Err(error) => Err(CallRejection::with_code(error.code, error.detail)),
        }
    }

    /// The tool host.
    pub(super) fn tools(&self) -> Result<Arc<dyn ToolHost>, CallRejection> {
        let tools = self.ports.get().and_then(|ports| ports.tools.upgrade());
        tools.ok_or_else(|| CallRejection::new("tools are not available now: Baton is starting or stopping; try again"))
    }

    /// Items included in and excluded from the task's session.
    pub(super) async fn items(&self, task: Option<&TaskId>) -> Result<SessionItems, CallRejection> {
        let (sessions, task) = self.session(task)?;
        sessions.items(task).await.map_err(|error| CallRejection::with_code(error.code, error.detail))
    }

    /// Includes an item in the task's session; false when it was already included.
    pub(super) async fn include(&self, task: Option<&TaskId>, item: ItemName) -> Result<bool, CallRejection> {
        let (sessions, task) = self.session(task)?;
        sessions.include(task, item).await.map_err(|error| CallRejection::with_code(error.code, error.detail))
    }

    /// Excludes an item from the task's session; false when it was already excluded.
    pub(super) async fn exclude(&self, task: Option<&TaskId>, item: ItemName) -> Result<bool, CallRejection> {
        let (sessions, task) = self.session(task)?;
        sessions.exclude(task, item).await.map_err(|error| CallRejection::with_code(error.code, error.detail))
    }

    fn session<'a>(&self, task: Option<&'a TaskId>) -> Result<(Arc<dyn SessionStore>, &'a TaskId), CallRejection> {
        let task = task.ok_or_else(|| CallRejection::new(NO_SESSION))?;
        let sessions = self.ports.get().and_then(|ports| ports.sessions.upgrade());
        let away =
            || CallRejection::new("the conversation is not available now: Baton is starting or stopping; try again");
        Ok((sessions.ok_or_else(away)?, task))
    }

    /// Searches texts as for requests; falls back to keyword search on failure.
    pub(super) async fn search(
        &self,
        agent: &AgentName,
        question: &str,
        texts: &[SearchText<'_>],
        limits: RelevanceLimits,
    ) -> SearchMatches {
        let search = self.ports.get().and_then(|ports| ports.search.upgrade());
        let note = match search {
            None => None,
            Some(search) => match search.search(agent, question, texts, limits).await {
                Ok(matches) => return SearchMatches { matches, note: None },
                Err(reason) => Some(format!("keyword search only, because no embeddings are available: {reason}")),
            },
        };
        let entries: Vec<RelevanceEntry> =
            texts.iter().map(|text| RelevanceEntry::new(text.name, text.description, text.text)).collect();
        let chosen = find(question, &entries.iter().collect::<Vec<_>>(), limits);
        SearchMatches { matches: chosen.into_iter().map(|chosen| (chosen.entry, chosen.score)).collect(), note }
    }
}
