//! The members of a card; `null` is absent, and both spellings of a name are read.

use super::{SecurityRequirement, SecurityScheme};
use crate::de;
use baton_types::Json;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An agent's card, public or extended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentCard {
    /// The name people see.
    #[serde(deserialize_with = "de::or_default")]
    pub name: String,
    /// What the agent is for.
    #[serde(deserialize_with = "de::or_default")]
    pub description: String,
    /// Where and how to reach it, best first.
    #[serde(alias = "supported_interfaces", deserialize_with = "de::objects")]
    pub supported_interfaces: Vec<AgentInterface>,
    /// Who offers it.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub provider: Option<AgentProvider>,
    /// The definition's version.
    #[serde(deserialize_with = "de::or_default")]
    pub version: String,
    /// Where people read about it.
    #[serde(skip_serializing_if = "Option::is_none", alias = "documentation_url")]
    pub documentation_url: Option<String>,
    /// What it can do beyond answering.
    #[serde(deserialize_with = "de::or_default")]
    pub capabilities: AgentCapabilities,
    /// Ways to show who is calling, by name.
    #[serde(
        skip_serializing_if = "BTreeMap::is_empty",
        alias = "security_schemes",
        deserialize_with = "de::or_default"
    )]
    pub security_schemes: BTreeMap<String, SecurityScheme>,
    /// Which of them a caller needs; one of these is enough.
    #[serde(skip_serializing_if = "Vec::is_empty", alias = "security_requirements", deserialize_with = "de::objects")]
    pub security_requirements: Vec<SecurityRequirement>,
    /// MIME types it reads.
    #[serde(alias = "default_input_modes", deserialize_with = "de::or_default")]
    pub default_input_modes: Vec<String>,
    /// MIME types it writes.
    #[serde(alias = "default_output_modes", deserialize_with = "de::or_default")]
    pub default_output_modes: Vec<String>,
    /// What it is good at.
    #[serde(deserialize_with = "de::objects")]
    pub skills: Vec<AgentSkill>,
    /// Who vouches for the card.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::objects")]
    pub signatures: Vec<AgentCardSignature>,
    /// A picture to show.
    #[serde(skip_serializing_if = "Option::is_none", alias = "icon_url")]
    pub icon_url: Option<String>,
}

/// One way to reach an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentInterface {
    /// Where; `host:port` for gRPC.
    #[serde(deserialize_with = "de::or_default")]
    pub url: String,
    /// `JSONRPC`, `HTTP+JSON`, `GRPC`, or a URI.
    #[serde(alias = "protocol_binding", deserialize_with = "de::or_default")]
    pub protocol_binding: String,
    /// What callers repeat in every request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// `Major.Minor`.
    #[serde(alias = "protocol_version", deserialize_with = "de::or_default")]
    pub protocol_version: String,
}

/// Who offers an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentProvider {
    /// Its site.
    #[serde(deserialize_with = "de::or_default")]
    pub url: String,
    /// Its name.
    #[serde(deserialize_with = "de::or_default")]
    pub organization: String,
}

/// What an agent can do beyond answering.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentCapabilities {
    /// Whether it streams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streaming: Option<bool>,
    /// Whether it pushes.
    #[serde(skip_serializing_if = "Option::is_none", alias = "push_notifications")]
    pub push_notifications: Option<bool>,
    /// Extensions it knows.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::objects")]
    pub extensions: Vec<AgentExtension>,
    /// Whether there is a card for authenticated callers.
    #[serde(skip_serializing_if = "Option::is_none", alias = "extended_agent_card")]
    pub extended_agent_card: Option<bool>,
}

/// An extension that an agent knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentExtension {
    /// Its URI.
    #[serde(deserialize_with = "de::or_default")]
    pub uri: String,
    /// What the agent does with it.
    #[serde(deserialize_with = "de::or_default")]
    pub description: String,
    /// Whether callers must use it.
    #[serde(deserialize_with = "de::or_default")]
    pub required: bool,
    /// A JSON object of the extension's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<Json>,
}

/// One thing an agent is good at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentSkill {
    /// Stable id.
    #[serde(deserialize_with = "de::or_default")]
    pub id: String,
    /// Name to show.
    #[serde(deserialize_with = "de::or_default")]
    pub name: String,
    /// What it does.
    #[serde(deserialize_with = "de::or_default")]
    pub description: String,
    /// Words to find it by.
    #[serde(deserialize_with = "de::or_default")]
    pub tags: Vec<String>,
    /// Things to ask.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::or_default")]
    pub examples: Vec<String>,
    /// MIME types it reads, when they are not the agent's.
    #[serde(skip_serializing_if = "Vec::is_empty", alias = "input_modes", deserialize_with = "de::or_default")]
    pub input_modes: Vec<String>,
    /// MIME types it writes, when they are not the agent's.
    #[serde(skip_serializing_if = "Vec::is_empty", alias = "output_modes", deserialize_with = "de::or_default")]
    pub output_modes: Vec<String>,
    /// What a caller needs beyond what the agent asks for.
    #[serde(skip_serializing_if = "Vec::is_empty", alias = "security_requirements", deserialize_with = "de::objects")]
    pub security_requirements: Vec<SecurityRequirement>,
}

/// A detached JSON Web Signature over the card.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentCardSignature {
    /// The protected header, base64url of JSON.
    #[serde(deserialize_with = "de::or_default")]
    pub protected: String,
    /// The signature, base64url.
    #[serde(deserialize_with = "de::or_default")]
    pub signature: String,
    /// The unprotected header, a JSON object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<Json>,
}
