//! Summaries of agents for lists.

use crate::{AgentName, AgentResources, AgentSpec, ModelSpec, SkillSpec};

/// Summary of an agent: sufficient to select one of many without loading its definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentListing {
    /// Path segment, and the name in handoffs.
    pub name: AgentName,
    /// Display name.
    pub title: String,
    /// Purpose of the agent.
    pub description: String,
    /// Version of the definition.
    pub version: String,
    /// Skills advertised by the agent card.
    pub skills: Vec<SkillSpec>,
    /// Address of a remote agent.
    pub address: Option<String>,
    /// Whether the catalog lists it.
    pub is_listed: bool,
    /// Whether it uses MCP servers.
    pub has_servers: bool,
}

impl AgentListing {
    /// Summarizes a definition and its resources.
    pub fn from_agent(agent: &AgentSpec, resources: &AgentResources) -> Self {
        Self {
            name: agent.name.clone(),
            title: agent.title.clone(),
            description: agent.description.clone(),
            version: agent.version.clone(),
            skills: agent.skills.clone(),
            address: agent.model.peer_url().map(str::to_owned),
            is_listed: !matches!(agent.model, ModelSpec::Peer { listed: false, .. }),
            has_servers: !resources.servers.is_empty(),
        }
    }

    /// Whether the agent is remote.
    pub fn is_peer(&self) -> bool {
        self.address.is_some()
    }
}
