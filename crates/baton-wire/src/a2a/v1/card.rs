//! How an agent introduces itself.

use super::{PROTOCOL_VERSION, TOOL_EXECUTION};
use baton_types::{AgentSpec, SkillSpec};
use serde::{Deserialize, Serialize};

/// MIME types that every Baton agent reads.
pub const INPUT_MODES: [&str; 2] = ["text/plain", "application/json"];

/// An agent's public card.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentCard {
    /// The name people see.
    pub name: String,
    /// What the agent is for.
    pub description: String,
    /// Where and how to reach it, best first.
    #[serde(alias = "supported_interfaces")]
    pub supported_interfaces: Vec<AgentInterface>,
    /// The definition's version.
    pub version: String,
    /// What it can do beyond answering.
    pub capabilities: AgentCapabilities,
    /// MIME types it reads.
    #[serde(alias = "default_input_modes")]
    pub default_input_modes: Vec<String>,
    /// MIME types it writes.
    #[serde(alias = "default_output_modes")]
    pub default_output_modes: Vec<String>,
    /// What it is good at.
    pub skills: Vec<AgentSkill>,
}

/// One way to reach an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentInterface {
    /// Where.
    pub url: String,
    /// `JSONRPC` or another binding.
    #[serde(alias = "protocol_binding")]
    pub protocol_binding: String,
    /// `Major.Minor`.
    #[serde(alias = "protocol_version")]
    pub protocol_version: String,
}

/// What an agent can do beyond answering.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentCapabilities {
    /// Whether it streams.
    pub streaming: Option<bool>,
    /// Whether it pushes.
    #[serde(alias = "push_notifications")]
    pub push_notifications: Option<bool>,
    /// Extensions it knows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<AgentExtension>,
    /// Whether there is a card for authenticated callers.
    #[serde(alias = "extended_agent_card")]
    pub extended_agent_card: Option<bool>,
}

/// An extension that an agent knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentExtension {
    /// Its URI.
    pub uri: String,
    /// What the agent does with it.
    pub description: String,
    /// Whether callers must use it.
    pub required: bool,
}

/// One thing an agent is good at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentSkill {
    /// Stable id.
    pub id: String,
    /// Name to show.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Things to ask.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
}

impl AgentCard {
    /// The card of a definition that is served at `url`.
    pub fn of(agent: &AgentSpec, url: impl Into<String>) -> Self {
        let modes = || INPUT_MODES.map(str::to_owned).to_vec();
        Self {
            name: agent.title.clone(),
            description: agent.description.clone(),
            supported_interfaces: vec![AgentInterface {
                url: url.into(),
                protocol_binding: "JSONRPC".to_owned(),
                protocol_version: PROTOCOL_VERSION.to_owned(),
            }],
            version: agent.version.clone(),
            capabilities: AgentCapabilities {
                streaming: Some(true),
                push_notifications: Some(false),
                extensions: vec![AgentExtension {
                    uri: TOOL_EXECUTION.to_owned(),
                    description: "The caller chooses who runs tools: message metadata {\"<this uri>\": \
                                  {\"toolExecution\": \"caller\"}} returns tool calls as input-required data parts."
                        .to_owned(),
                    required: false,
                }],
                extended_agent_card: Some(false),
            },
            default_input_modes: modes(),
            default_output_modes: modes(),
            skills: agent.skills.iter().map(AgentSkill::from).collect(),
        }
    }
}

impl From<&SkillSpec> for AgentSkill {
    fn from(skill: &SkillSpec) -> Self {
        Self {
            id: skill.id.clone(),
            name: skill.name.clone(),
            description: skill.description.clone(),
            tags: skill.tags.clone(),
            examples: skill.examples.clone(),
        }
    }
}
