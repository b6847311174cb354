//! Agents and their definitions.

use crate::{Client, ClientError};
use baton_api::{AgentDetails, AgentEntry, AgentItem, AgentItemList, AgentList, ChangeAgent, CreateAgent};
use baton_encoding::path_segment;
use baton_types::Json;

/// Kind of texts of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentTextKind {
    /// Rules for its behaviour.
    Rules,
    /// Reference knowledge.
    References,
}

impl AgentTextKind {
    /// Name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::References => "references",
        }
    }

    fn path(self, agent: &str, name: Option<&str>) -> String {
        resource_path(agent, self.as_str(), name)
    }
}

/// Kind of resources of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentResourceKind {
    /// MCP servers that it uses.
    Servers,
    /// Capabilities that it exports as MCP tools.
    Exports,
    /// Model providers.
    Providers,
}

impl AgentResourceKind {
    /// Name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Servers => "servers",
            Self::Exports => "exports",
            Self::Providers => "providers",
        }
    }
}

fn resource_path(agent: &str, kind: &str, name: Option<&str>) -> String {
    let all = format!("/api/v1/agents/{}/{kind}", path_segment(agent));
    name.map_or(all.clone(), |name| format!("{all}/{}", path_segment(name)))
}

impl Client {
    /// The agents that are served.
    pub async fn agents(&self) -> Result<Vec<AgentEntry>, ClientError> {
        self.document::<AgentList>("/agents").await.map(|list| list.agents)
    }

    /// Creates an agent; for administrators.
    pub async fn create_agent(&self, agent: &CreateAgent) -> Result<AgentDetails, ClientError> {
        self.post("/api/v1/agents", agent).await
    }

    /// The rules or references of an agent, without their texts.
    pub async fn agent_texts(&self, texts: AgentTextKind, agent: &str) -> Result<AgentItemList, ClientError> {
        self.document(&texts.path(agent, None)).await
    }

    /// One rule or reference.
    pub async fn agent_text(&self, texts: AgentTextKind, agent: &str, name: &str) -> Result<AgentItem, ClientError> {
        self.document(&texts.path(agent, Some(name))).await
    }

    /// Creates a rule or reference, or updates the given fields of an existing one; for administrators.
    pub async fn put_agent_text(
        &self,
        texts: AgentTextKind,
        agent: &str,
        item: &AgentItem,
    ) -> Result<AgentItem, ClientError> {
        self.put(&texts.path(agent, Some(&item.name)), item).await
    }

    /// Deletes a rule or reference and returns it; for administrators.
    pub async fn delete_agent_text(
        &self,
        texts: AgentTextKind,
        agent: &str,
        name: &str,
    ) -> Result<AgentItem, ClientError> {
        self.delete(&texts.path(agent, Some(name))).await
    }

    /// Changes an agent definition; for administrators.
    pub async fn change_agent(&self, agent: &str, change: &ChangeAgent) -> Result<AgentDetails, ClientError> {
        self.patch(&format!("/api/v1/agents/{}", path_segment(agent)), change).await
    }

    /// All resources of a kind, without secrets.
    pub async fn agent_parts(&self, parts: AgentResourceKind, agent: &str) -> Result<Json, ClientError> {
        self.document(&resource_path(agent, parts.as_str(), None)).await
    }

    /// One resource, without secrets.
    pub async fn agent_part(&self, parts: AgentResourceKind, agent: &str, name: &str) -> Result<Json, ClientError> {
        self.document(&resource_path(agent, parts.as_str(), Some(name))).await
    }

    /// Creates a resource, or replaces an existing one; for administrators.
    pub async fn put_agent_part(
        &self,
        parts: AgentResourceKind,
        agent: &str,
        name: &str,
        entry: &Json,
    ) -> Result<Json, ClientError> {
        self.put(&resource_path(agent, parts.as_str(), Some(name)), entry).await
    }

    /// Deletes a resource and returns it; for administrators.
    pub async fn delete_agent_part(
        &self,
        parts: AgentResourceKind,
        agent: &str,
        name: &str,
    ) -> Result<Json, ClientError> {
        self.delete(&resource_path(agent, parts.as_str(), Some(name))).await
    }
}
