//! One agent in detail, and agents elsewhere.

use super::{AgentDefinition, agent_address};
use baton_types::{AgentSpec, ModelSpec, SkillSpec};
use serde::{Deserialize, Serialize};

/// An agent elsewhere, to be added.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AddAgent {
    /// Where its card is, or below what address.
    pub url: String,
    /// What it is called here; its card's name when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether the catalog names it.
    #[serde(default)]
    pub listed: bool,
    /// Where the bearer token for it is, such as `env://WEATHER_TOKEN`, as the server sees it; never the token itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bearer: Option<String>,
}

/// One agent that is served.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentDetails {
    /// The path segment.
    pub name: String,
    /// The name people see.
    pub title: String,
    /// What it is for.
    pub description: String,
    /// The definition's version.
    pub version: String,
    /// Where it takes requests.
    pub url: String,
    /// Where its card is.
    pub card_url: String,
    /// What it is good at.
    pub skills: Vec<SkillEntry>,
    /// Whether the catalog names it.
    pub listed: bool,
    /// How it is reached, when it lives elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<RemoteEntry>,
    /// What defines it, when it lives here and its definition can be read and changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Box<AgentDefinition>>,
}

/// One thing that an agent is good at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillEntry {
    /// Stable id.
    pub id: String,
    /// Name to show.
    pub name: String,
    /// What it does.
    pub description: String,
}

/// How an agent elsewhere is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteEntry {
    /// The address by which it was added.
    pub url: String,
    /// Where its card was read.
    pub card_url: String,
    /// The binding and version that is spoken with it, such as `JSONRPC 1.0`.
    pub spoken: String,
    /// The address that is spoken to.
    pub endpoint: String,
    /// How it wants to know its callers.
    pub security: Vec<String>,
    /// The key ids that its card names as signers, whether they are trusted or not.
    #[serde(default)]
    pub signatures: Vec<String>,
    /// Who signed its card, by key id; nobody who is known when not given.
    pub signed_by: Option<String>,
    /// Whether it stands in the configuration, and so cannot be removed by command.
    pub configured: bool,
}

impl AgentDetails {
    /// The details of a definition that is served below `base`, a URL without a slash at its end; how an agent
    /// elsewhere is reached, the definition does not know.
    pub fn of(agent: &AgentSpec, base: &str) -> Self {
        let skill = |skill: &SkillSpec| SkillEntry {
            id: skill.id.clone(),
            name: skill.name.clone(),
            description: skill.description.clone(),
        };
        let url = agent_address(base, agent.name.as_str());
        Self {
            name: agent.name.to_string(),
            title: agent.title.clone(),
            description: agent.description.clone(),
            version: agent.version.clone(),
            card_url: format!("{url}.well-known/agent-card.json"),
            url,
            skills: agent.skills.iter().map(skill).collect(),
            listed: match &agent.model {
                ModelSpec::Peer { listed, .. } => *listed,
                ModelSpec::Playbook { .. } => true,
            },
            remote: None,
            definition: None,
        }
    }
}
