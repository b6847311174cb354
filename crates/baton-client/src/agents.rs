//! Who is served, and the definitions of those that live there.

use crate::{Client, ClientError};
use baton_types::Json;
use baton_wire::{
    api::{AgentDetails, AgentEntry, AgentItem, AgentItemList, AgentList, ChangeAgent, CreateAgent},
    path_segment,
};

/// Which texts of an agent are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentTexts {
    /// How it should behave.
    Rules,
    /// What it can rely on.
    References,
}

impl AgentTexts {
    /// As the server calls them.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::References => "references",
        }
    }

    fn path(self, agent: &str, name: Option<&str>) -> String {
        below(agent, self.as_str(), name)
    }
}

/// Which part of an agent's kit is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentParts {
    /// MCP servers that it uses.
    Servers,
    /// Work that it offers as MCP tools.
    Exports,
    /// Services that its models are reached through.
    Providers,
}

impl AgentParts {
    /// As the server calls them.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Servers => "servers",
            Self::Exports => "exports",
            Self::Providers => "providers",
        }
    }
}

fn below(agent: &str, kind: &str, name: Option<&str>) -> String {
    let all = format!("/api/v1/agents/{}/{kind}", path_segment(agent));
    name.map_or(all.clone(), |name| format!("{all}/{}", path_segment(name)))
}

impl Client {
    /// The agents that are served.
    pub async fn agents(&self) -> Result<Vec<AgentEntry>, ClientError> {
        self.document::<AgentList>("/agents").await.map(|list| list.agents)
    }

    /// Makes an agent; for administrators.
    pub async fn create_agent(&self, agent: &CreateAgent) -> Result<AgentDetails, ClientError> {
        self.post("/api/v1/agents", agent).await
    }

    /// The rules or references of an agent, without their texts.
    pub async fn agent_texts(&self, texts: AgentTexts, agent: &str) -> Result<AgentItemList, ClientError> {
        self.document(&texts.path(agent, None)).await
    }

    /// One rule or reference.
    pub async fn agent_text(&self, texts: AgentTexts, agent: &str, name: &str) -> Result<AgentItem, ClientError> {
        self.document(&texts.path(agent, Some(name))).await
    }

    /// Makes a rule or reference, or changes what is given of the one that is there; for administrators.
    pub async fn put_agent_text(
        &self,
        texts: AgentTexts,
        agent: &str,
        item: &AgentItem,
    ) -> Result<AgentItem, ClientError> {
        self.put(&texts.path(agent, Some(&item.name)), item).await
    }

    /// Takes a rule or reference away, and says what it was; for administrators.
    pub async fn delete_agent_text(
        &self,
        texts: AgentTexts,
        agent: &str,
        name: &str,
    ) -> Result<AgentItem, ClientError> {
        self.delete(&texts.path(agent, Some(name))).await
    }

    /// Changes what a definition says; for administrators.
    pub async fn change_agent(&self, agent: &str, change: &ChangeAgent) -> Result<AgentDetails, ClientError> {
        self.patch(&format!("/api/v1/agents/{}", path_segment(agent)), change).await
    }

    /// All parts of a kind, without secrets.
    pub async fn agent_parts(&self, parts: AgentParts, agent: &str) -> Result<Json, ClientError> {
        self.document(&below(agent, parts.as_str(), None)).await
    }

    /// One part, without secrets.
    pub async fn agent_part(&self, parts: AgentParts, agent: &str, name: &str) -> Result<Json, ClientError> {
        self.document(&below(agent, parts.as_str(), Some(name))).await
    }

    /// Makes a part, or replaces the entry of the one that is there; for administrators.
    pub async fn put_agent_part(
        &self,
        parts: AgentParts,
        agent: &str,
        name: &str,
        entry: &Json,
    ) -> Result<Json, ClientError> {
        self.put(&below(agent, parts.as_str(), Some(name)), entry).await
    }

    /// Takes a part away, and says what it was; for administrators.
    pub async fn delete_agent_part(&self, parts: AgentParts, agent: &str, name: &str) -> Result<Json, ClientError> {
        self.delete(&below(agent, parts.as_str(), Some(name))).await
    }
}
