//! What lists say about agents.

use crate::{AgentKit, AgentName, AgentSpec, ModelSpec, SkillSpec};

/// What lists say about an agent: enough to choose one of very many without loading its definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentListing {
    /// The path segment and the name in handoffs.
    pub name: AgentName,
    /// The name people see.
    pub title: String,
    /// What the agent is for.
    pub description: String,
    /// The definition's own version.
    pub version: String,
    /// What the card advertises.
    pub skills: Vec<SkillSpec>,
    /// Where it lives, when that is elsewhere.
    pub address: Option<String>,
    /// Whether lists for others name it.
    pub is_listed: bool,
    /// Whether it uses MCP servers.
    pub has_servers: bool,
}

impl AgentListing {
    /// Of a definition and what belongs to it.
    pub fn of(agent: &AgentSpec, kit: &AgentKit) -> Self {
        Self {
            name: agent.name.clone(),
            title: agent.title.clone(),
            description: agent.description.clone(),
            version: agent.version.clone(),
            skills: agent.skills.clone(),
            address: agent.model.peer_url().map(str::to_owned),
            is_listed: !matches!(agent.model, ModelSpec::Peer { listed: false, .. }),
            has_servers: !kit.servers.is_empty(),
        }
    }

    /// Whether the work is done by an agent elsewhere.
    pub fn is_peer(&self) -> bool {
        self.address.is_some()
    }
}
