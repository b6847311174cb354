//! Members of a card. `null` counts as absent; camelCase and snake_case names are accepted.

use super::{SecurityRequirement, SecurityScheme};
use crate::de;
use baton_types::Json;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An agent card, public or extended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentCard {
    /// Display name.
    #[serde(deserialize_with = "de::or_default")]
    pub name: String,
    /// Purpose of the agent.
    #[serde(deserialize_with = "de::or_default")]
    pub description: String,
    /// Endpoints, preferred first.
    #[serde(alias = "supported_interfaces", deserialize_with = "de::objects")]
    pub supported_interfaces: Vec<AgentInterface>,
    /// Provider of the agent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub provider: Option<AgentProvider>,
    /// Version of the definition.
    #[serde(deserialize_with = "de::or_default")]
    pub version: String,
    /// URL of the documentation.
    #[serde(skip_serializing_if = "Option::is_none", alias = "documentation_url")]
    pub documentation_url: Option<String>,
    /// Optional protocol features.
    #[serde(deserialize_with = "de::or_default")]
    pub capabilities: AgentCapabilities,
    /// Authentication schemes by name.
    #[serde(
        skip_serializing_if = "BTreeMap::is_empty",
        alias = "security_schemes",
        deserialize_with = "de::or_default"
    )]
    pub security_schemes: BTreeMap<String, SecurityScheme>,
    /// Required schemes; satisfying one entry is enough.
    #[serde(skip_serializing_if = "Vec::is_empty", alias = "security_requirements", deserialize_with = "de::objects")]
    pub security_requirements: Vec<SecurityRequirement>,
    /// Accepted MIME types.
    #[serde(alias = "default_input_modes", deserialize_with = "de::or_default")]
    pub default_input_modes: Vec<String>,
    /// Produced MIME types.
    #[serde(alias = "default_output_modes", deserialize_with = "de::or_default")]
    pub default_output_modes: Vec<String>,
    /// Skills.
    #[serde(deserialize_with = "de::objects")]
    pub skills: Vec<AgentSkill>,
    /// Signatures of the card.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::objects")]
    pub signatures: Vec<AgentCardSignature>,
    /// URL of the icon.
    #[serde(skip_serializing_if = "Option::is_none", alias = "icon_url")]
    pub icon_url: Option<String>,
}

/// One endpoint of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentInterface {
    /// URL; `host:port` for gRPC.
    #[serde(deserialize_with = "de::or_default")]
    pub url: String,
    /// `JSONRPC`, `HTTP+JSON`, `GRPC`, or a URI.
    #[serde(alias = "protocol_binding", deserialize_with = "de::or_default")]
    pub protocol_binding: String,
    /// Tenant that callers repeat in every request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// `Major.Minor`.
    #[serde(alias = "protocol_version", deserialize_with = "de::or_default")]
    pub protocol_version: String,
}

/// Provider of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentProvider {
    /// Website.
    #[serde(deserialize_with = "de::or_default")]
    pub url: String,
    /// Name.
    #[serde(deserialize_with = "de::or_default")]
    pub organization: String,
}

/// Optional protocol features of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentCapabilities {
    /// Whether streaming is supported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streaming: Option<bool>,
    /// Whether push notifications are supported.
    #[serde(skip_serializing_if = "Option::is_none", alias = "push_notifications")]
    pub push_notifications: Option<bool>,
    /// Supported extensions.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::objects")]
    pub extensions: Vec<AgentExtension>,
    /// Whether there is a card for authenticated callers.
    #[serde(skip_serializing_if = "Option::is_none", alias = "extended_agent_card")]
    pub extended_agent_card: Option<bool>,
}

/// A supported extension.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentExtension {
    /// URI of the extension.
    #[serde(deserialize_with = "de::or_default")]
    pub uri: String,
    /// The agent's use of the extension.
    #[serde(deserialize_with = "de::or_default")]
    pub description: String,
    /// Whether callers must use it.
    #[serde(deserialize_with = "de::or_default")]
    pub required: bool,
    /// JSON object, defined by the extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<Json>,
}

/// One skill of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentSkill {
    /// Stable id.
    #[serde(deserialize_with = "de::or_default")]
    pub id: String,
    /// Display name.
    #[serde(deserialize_with = "de::or_default")]
    pub name: String,
    /// Description.
    #[serde(deserialize_with = "de::or_default")]
    pub description: String,
    /// Search keywords.
    #[serde(deserialize_with = "de::or_default")]
    pub tags: Vec<String>,
    /// Example requests.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::or_default")]
    pub examples: Vec<String>,
    /// Accepted MIME types, if different from the agent's.
    #[serde(skip_serializing_if = "Vec::is_empty", alias = "input_modes", deserialize_with = "de::or_default")]
    pub input_modes: Vec<String>,
    /// Produced MIME types, if different from the agent's.
    #[serde(skip_serializing_if = "Vec::is_empty", alias = "output_modes", deserialize_with = "de::or_default")]
    pub output_modes: Vec<String>,
    /// Security requirements in addition to the agent's.
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
