//! Agent details and remote agents.

use super::{AgentDefinition, agent_address};
use baton_types::{AgentSpec, ModelSpec, SkillSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Request to add a remote agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AddAgent {
    /// URL of the card, or the base URL above it.
    pub url: String,
    /// Local name; the name in the card when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it is listed in the catalog.
    #[serde(default)]
    pub listed: bool,
    /// Reference to the bearer token, such as `env://WEATHER_TOKEN`, resolved on the server; never the token itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bearer: Option<String>,
}

/// Details of a served agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentDetails {
    /// Path segment.
    pub name: String,
    /// Display name.
    pub title: String,
    /// Purpose of the agent.
    pub description: String,
    /// Version of the definition.
    pub version: String,
    /// URL that accepts requests.
    pub url: String,
    /// URL of the card.
    pub card_url: String,
    /// Skills.
    pub skills: Vec<SkillEntry>,
    /// Whether it is listed in the catalog.
    pub listed: bool,
    /// Connection details of a remote agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<RemoteEntry>,
    /// The definition of a local agent, if it can be read and changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Box<AgentDefinition>>,
}

/// One skill of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillEntry {
    /// Stable id.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Description.
    pub description: String,
}

/// Connection details of a remote agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemoteEntry {
    /// Address that it was added with.
    pub url: String,
    /// URL of the card.
    pub card_url: String,
    /// Protocol binding and version in use, such as `JSONRPC 1.0`.
    pub binding: String,
    /// Endpoint in use.
    pub endpoint: String,
    /// Authentication methods of the agent.
    pub security: Vec<String>,
    /// Key ids of the card's signatures, trusted or not.
    #[serde(default)]
    pub signatures: Vec<String>,
    /// Key id of the trusted signer; `null` if there is none.
    pub signed_by: Option<String>,
    /// Whether it is part of the configuration and cannot be removed by a command.
    pub configured: bool,
}

impl AgentDetails {
    /// The details of an agent that is served below `base`, a URL without a trailing slash. `remote` stays empty: the
    /// definition does not contain the connection of a remote agent.
    pub fn from_spec(agent: &AgentSpec, base: &str) -> Self {
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
