//! Agent cards.

use super::{INTERFACE_VERSION, PROTOCOL_VERSION, Security, SecurityScheme, security};
use crate::{a2a::v1, de};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Default transport at a card's `url`, as in versions before 0.2.4.
const DEFAULT_TRANSPORT: &str = "JSONRPC";

/// A full card, public or extended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentCard {
    /// Protocol version, such as `0.3.0`.
    #[serde(alias = "protocol_version", deserialize_with = "de::or_default")]
    pub protocol_version: String,
    /// Display name.
    #[serde(deserialize_with = "de::or_default")]
    pub name: String,
    /// Purpose of the agent.
    #[serde(deserialize_with = "de::or_default")]
    pub description: String,
    /// Preferred endpoint.
    #[serde(deserialize_with = "de::or_default")]
    pub url: String,
    /// Transport at `url`.
    #[serde(skip_serializing_if = "Option::is_none", alias = "preferred_transport")]
    pub preferred_transport: Option<String>,
    /// Other endpoints.
    #[serde(skip_serializing_if = "Vec::is_empty", alias = "additional_interfaces", deserialize_with = "de::objects")]
    pub additional_interfaces: Vec<AgentInterface>,
    /// Provider of the agent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub provider: Option<v1::AgentProvider>,
    /// Version of the definition.
    #[serde(deserialize_with = "de::or_default")]
    pub version: String,
    /// URL of the documentation.
    #[serde(skip_serializing_if = "Option::is_none", alias = "documentation_url")]
    pub documentation_url: Option<String>,
    /// URL of the icon.
    #[serde(skip_serializing_if = "Option::is_none", alias = "icon_url")]
    pub icon_url: Option<String>,
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
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::or_default")]
    pub security: Vec<Security>,
    /// Accepted MIME types.
    #[serde(alias = "default_input_modes", deserialize_with = "de::or_default")]
    pub default_input_modes: Vec<String>,
    /// Produced MIME types.
    #[serde(alias = "default_output_modes", deserialize_with = "de::or_default")]
    pub default_output_modes: Vec<String>,
    /// Skills.
    #[serde(deserialize_with = "de::objects")]
    pub skills: Vec<AgentSkill>,
    /// Whether there is a card for authenticated callers.
    #[serde(skip_serializing_if = "Option::is_none", alias = "supports_authenticated_extended_card")]
    pub supports_authenticated_extended_card: Option<bool>,
    /// Signatures of the card.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::objects")]
    pub signatures: Vec<v1::AgentCardSignature>,
}

/// One endpoint of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentInterface {
    /// URL; `host:port` for gRPC.
    #[serde(deserialize_with = "de::or_default")]
    pub url: String,
    /// `JSONRPC`, `HTTP+JSON` or `GRPC`.
    #[serde(deserialize_with = "de::or_default")]
    pub transport: String,
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
    /// Whether the history contains state changes; the format was never specified.
    #[serde(skip_serializing_if = "Option::is_none", alias = "state_transition_history")]
    pub state_transition_history: Option<bool>,
    /// Supported extensions.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::objects")]
    pub extensions: Vec<v1::AgentExtension>,
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
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::or_default")]
    pub security: Vec<Security>,
}

impl AgentCard {
    /// The card in 1.0: `url` and the other interfaces, all with version 0.3.
    pub fn into_v1(self) -> v1::AgentCard {
        let preferred = self.preferred_transport.unwrap_or_else(|| DEFAULT_TRANSPORT.to_owned());
        let interface = |url, protocol_binding| v1::AgentInterface {
            url,
            protocol_binding,
            tenant: None,
            protocol_version: INTERFACE_VERSION.to_owned(),
        };
        let others = self.additional_interfaces.into_iter().map(|other| interface(other.url, other.transport));
        v1::AgentCard {
            name: self.name,
            description: self.description,
            supported_interfaces: std::iter::once(interface(self.url, preferred)).chain(others).collect(),
            provider: self.provider,
            version: self.version,
            documentation_url: self.documentation_url,
            capabilities: v1::AgentCapabilities {
                streaming: self.capabilities.streaming,
                push_notifications: self.capabilities.push_notifications,
                extensions: self.capabilities.extensions,
                extended_agent_card: self.supports_authenticated_extended_card,
            },
            security_schemes: self
                .security_schemes
                .into_iter()
                .map(|(name, scheme)| (name, scheme.into_v1()))
                .collect(),
            security_requirements: security::requirements_into_v1(self.security),
            default_input_modes: self.default_input_modes,
            default_output_modes: self.default_output_modes,
            skills: self.skills.into_iter().map(AgentSkill::into_v1).collect(),
            signatures: self.signatures,
            icon_url: self.icon_url,
        }
    }
}

impl From<v1::AgentCard> for AgentCard {
    /// The card with the interfaces of version 0.3, or with all interfaces if there are none.
    fn from(card: v1::AgentCard) -> Self {
        let any_old = card.supported_interfaces.iter().any(v1::is_older);
        let mut interfaces =
            card.supported_interfaces.into_iter().filter(|interface| !any_old || v1::is_older(interface));
        let best = interfaces.next().unwrap_or_default();
        Self {
            protocol_version: PROTOCOL_VERSION.to_owned(),
            name: card.name,
            description: card.description,
            url: best.url,
            preferred_transport: Some(best.protocol_binding),
            additional_interfaces: interfaces
                .map(|interface| AgentInterface { url: interface.url, transport: interface.protocol_binding })
                .collect(),
            provider: card.provider,
            version: card.version,
            documentation_url: card.documentation_url,
            icon_url: card.icon_url,
            capabilities: AgentCapabilities {
                streaming: card.capabilities.streaming,
                push_notifications: card.capabilities.push_notifications,
                state_transition_history: None,
                extensions: card.capabilities.extensions,
            },
            security_schemes: card.security_schemes.into_iter().map(|(name, scheme)| (name, scheme.into())).collect(),
            security: security::requirements_from_v1(card.security_requirements),
            default_input_modes: card.default_input_modes,
            default_output_modes: card.default_output_modes,
            skills: card.skills.into_iter().map(AgentSkill::from).collect(),
            supports_authenticated_extended_card: card.capabilities.extended_agent_card,
            signatures: card.signatures,
        }
    }
}

impl AgentSkill {
    fn into_v1(self) -> v1::AgentSkill {
        v1::AgentSkill {
            id: self.id,
            name: self.name,
            description: self.description,
            tags: self.tags,
            examples: self.examples,
            input_modes: self.input_modes,
            output_modes: self.output_modes,
            security_requirements: security::requirements_into_v1(self.security),
        }
    }
}

impl From<v1::AgentSkill> for AgentSkill {
    fn from(skill: v1::AgentSkill) -> Self {
        Self {
            id: skill.id,
            name: skill.name,
            description: skill.description,
            tags: skill.tags,
            examples: skill.examples,
            input_modes: skill.input_modes,
            output_modes: skill.output_modes,
            security: security::requirements_from_v1(skill.security_requirements),
        }
    }
}
