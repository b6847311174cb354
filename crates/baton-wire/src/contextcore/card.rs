//! An agent card in ContextCore's native form: `snake_case` throughout.

use crate::{a2a::v1::INPUT_MODES, de};
use baton_types::AgentSpec;
use serde::{Deserialize, Serialize};

/// A full card; [`Card::into_a2a`] removes the members specific to ContextCore.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Card {
    /// Agent name in handoffs.
    #[serde(alias = "agentId", deserialize_with = "de::or_default")]
    pub agent_id: String,
    /// Display name.
    #[serde(deserialize_with = "de::or_default")]
    pub name: String,
    /// Purpose of the agent.
    #[serde(deserialize_with = "de::or_default")]
    pub description: String,
    /// Base URL; requests go to `/a2a` below it.
    #[serde(deserialize_with = "de::or_default")]
    pub url: String,
    /// Version of the definition.
    #[serde(deserialize_with = "de::or_default")]
    pub version: String,
    /// Optional protocol features.
    #[serde(deserialize_with = "de::or_default")]
    pub capabilities: Capabilities,
    /// Skills.
    #[serde(deserialize_with = "de::or_default")]
    pub skills: Vec<Skill>,
    /// Authentication; not required if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authentication: Option<Authentication>,
    /// Accepted MIME types.
    #[serde(alias = "defaultInputModes", deserialize_with = "de::or_default")]
    pub default_input_modes: Vec<String>,
    /// Produced MIME types.
    #[serde(alias = "defaultOutputModes", deserialize_with = "de::or_default")]
    pub default_output_modes: Vec<String>,
    /// URL of the documentation.
    #[serde(skip_serializing_if = "Option::is_none", alias = "documentationUrl")]
    pub documentation_url: Option<String>,
    /// Provider of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<CardProvider>,
    /// URL of the Tempo API with its spans; ContextCore only.
    #[serde(skip_serializing_if = "Option::is_none", alias = "tempoUrl")]
    pub tempo_url: Option<String>,
    /// TraceQL prefix that selects its spans; ContextCore only.
    #[serde(skip_serializing_if = "Option::is_none", alias = "traceqlPrefix")]
    pub traceql_prefix: Option<String>,
    /// Projects that it works for; ContextCore only.
    #[serde(skip_serializing_if = "Option::is_none", alias = "projectRefs")]
    pub project_refs: Option<Vec<String>>,
    /// Time of creation of the card; ContextCore only.
    #[serde(skip_serializing_if = "Option::is_none", alias = "createdAt")]
    pub created_at: Option<String>,
    /// Time of the last change of the card; ContextCore only.
    #[serde(skip_serializing_if = "Option::is_none", alias = "updatedAt")]
    pub updated_at: Option<String>,
}

/// Optional protocol features of an agent, in this dialect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Capabilities {
    /// Whether streaming is supported; the dialect has no method for it.
    #[serde(deserialize_with = "de::or_default")]
    pub streaming: bool,
    /// Whether push notifications are supported; the dialect has no method for them.
    #[serde(alias = "pushNotifications", deserialize_with = "de::or_default")]
    pub push_notifications: bool,
    /// Whether tasks contain their earlier states.
    #[serde(alias = "stateTransitionHistory", deserialize_with = "de::or_default")]
    pub state_transition_history: bool,
    /// Whether insights are supported; ContextCore only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insights: Option<bool>,
    /// Whether handoffs are supported; ContextCore only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoffs: Option<bool>,
    /// Whether skills are supported; ContextCore only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills: Option<bool>,
    /// Whether its work is recorded as spans; ContextCore only.
    #[serde(skip_serializing_if = "Option::is_none", alias = "otelNative")]
    pub otel_native: Option<bool>,
}

/// One skill of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Skill {
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
    #[serde(deserialize_with = "de::or_default")]
    pub examples: Vec<String>,
    /// Accepted MIME types.
    #[serde(alias = "inputModes", deserialize_with = "de::or_default")]
    pub input_modes: Vec<String>,
    /// Produced MIME types.
    #[serde(alias = "outputModes", deserialize_with = "de::or_default")]
    pub output_modes: Vec<String>,
}

/// Authentication of callers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Authentication {
    /// `Bearer`, `Basic`, `ApiKey`, `OAuth2` or `None`.
    #[serde(deserialize_with = "de::or_default")]
    pub schemes: Vec<String>,
    /// URL to obtain credentials.
    #[serde(skip_serializing_if = "Option::is_none", alias = "credentialsUrl")]
    pub credentials_url: Option<String>,
}

/// Provider of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CardProvider {
    /// Name.
    #[serde(deserialize_with = "de::or_default")]
    pub organization: String,
    /// Website.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Contact address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
}

impl Card {
    /// The full card of an agent that is served at `url`; it lists only available features.
    pub fn from_spec(agent: &AgentSpec, url: &str) -> Self {
        let output_modes = || INPUT_MODES.map(str::to_owned).to_vec();
        let skills = agent.skills.iter().map(|skill| Skill {
            id: skill.id.clone(),
            name: skill.name.clone(),
            description: skill.description.clone(),
            tags: skill.tags.clone(),
            examples: skill.examples.clone(),
            input_modes: agent.input_modes.clone(),
            output_modes: output_modes(),
        });
        Self {
            agent_id: agent.name.to_string(),
            name: agent.title.clone(),
            description: agent.description.clone(),
            url: url.to_owned(),
            version: agent.version.clone(),
            capabilities: Capabilities {
                insights: Some(false),
                handoffs: Some(true),
                skills: Some(false),
                otel_native: Some(false),
                ..Capabilities::default()
            },
            skills: skills.collect(),
            default_input_modes: agent.input_modes.clone(),
            default_output_modes: output_modes(),
            project_refs: Some(Vec::new()),
            ..Self::default()
        }
    }

    /// The card without the members specific to ContextCore.
    #[must_use]
    pub fn into_a2a(self) -> Self {
        let Capabilities { streaming, push_notifications, state_transition_history, .. } = self.capabilities;
        Self {
            capabilities: Capabilities {
                streaming,
                push_notifications,
                state_transition_history,
                ..Capabilities::default()
            },
            tempo_url: None,
            traceql_prefix: None,
            project_refs: None,
            created_at: None,
            updated_at: None,
            ..self
        }
    }
}
