//! An agent's card as ContextCore's own reader knows it: `snake_case` throughout.

use crate::{a2a::v1::INPUT_MODES, de};
use baton_types::AgentSpec;
use serde::{Deserialize, Serialize};

/// A card in full; [`Card::into_a2a`] leaves what only ContextCore knows out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Card {
    /// The name in handoffs.
    #[serde(alias = "agentId", deserialize_with = "de::or_default")]
    pub agent_id: String,
    /// The name people see.
    #[serde(deserialize_with = "de::or_default")]
    pub name: String,
    /// What the agent is for.
    #[serde(deserialize_with = "de::or_default")]
    pub description: String,
    /// Where it is; requests go to `/a2a` below it.
    #[serde(deserialize_with = "de::or_default")]
    pub url: String,
    /// The definition's version.
    #[serde(deserialize_with = "de::or_default")]
    pub version: String,
    /// What it can do beyond answering.
    #[serde(deserialize_with = "de::or_default")]
    pub capabilities: Capabilities,
    /// What it is good at.
    #[serde(deserialize_with = "de::or_default")]
    pub skills: Vec<Skill>,
    /// How callers show who they are; none is needed without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authentication: Option<Authentication>,
    /// MIME types it reads.
    #[serde(alias = "defaultInputModes", deserialize_with = "de::or_default")]
    pub default_input_modes: Vec<String>,
    /// MIME types it writes.
    #[serde(alias = "defaultOutputModes", deserialize_with = "de::or_default")]
    pub default_output_modes: Vec<String>,
    /// Where people read about it.
    #[serde(skip_serializing_if = "Option::is_none", alias = "documentationUrl")]
    pub documentation_url: Option<String>,
    /// Who offers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<Provider>,
    /// Where its spans are; ContextCore only.
    #[serde(skip_serializing_if = "Option::is_none", alias = "tempoUrl")]
    pub tempo_url: Option<String>,
    /// How its spans are asked for; ContextCore only.
    #[serde(skip_serializing_if = "Option::is_none", alias = "traceqlPrefix")]
    pub traceql_prefix: Option<String>,
    /// Projects it works for; ContextCore only.
    #[serde(skip_serializing_if = "Option::is_none", alias = "projectRefs")]
    pub project_refs: Option<Vec<String>>,
    /// When the card was made; ContextCore only.
    #[serde(skip_serializing_if = "Option::is_none", alias = "createdAt")]
    pub created_at: Option<String>,
    /// When the card last changed; ContextCore only.
    #[serde(skip_serializing_if = "Option::is_none", alias = "updatedAt")]
    pub updated_at: Option<String>,
}

/// What an agent can do beyond answering, in this dialect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Capabilities {
    /// Whether it streams; the dialect has no method for it.
    #[serde(deserialize_with = "de::or_default")]
    pub streaming: bool,
    /// Whether it pushes; the dialect has no method for it.
    #[serde(alias = "pushNotifications", deserialize_with = "de::or_default")]
    pub push_notifications: bool,
    /// Whether tasks tell their earlier states.
    #[serde(alias = "stateTransitionHistory", deserialize_with = "de::or_default")]
    pub state_transition_history: bool,
    /// Whether insights can be asked for; ContextCore only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insights: Option<bool>,
    /// Whether handoffs can be asked for; ContextCore only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoffs: Option<bool>,
    /// Whether skills can be asked for; ContextCore only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills: Option<bool>,
    /// Whether its work is recorded as spans; ContextCore only.
    #[serde(skip_serializing_if = "Option::is_none", alias = "otelNative")]
    pub otel_native: Option<bool>,
}

/// One thing an agent is good at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Skill {
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
    #[serde(deserialize_with = "de::or_default")]
    pub examples: Vec<String>,
    /// MIME types it reads.
    #[serde(alias = "inputModes", deserialize_with = "de::or_default")]
    pub input_modes: Vec<String>,
    /// MIME types it writes.
    #[serde(alias = "outputModes", deserialize_with = "de::or_default")]
    pub output_modes: Vec<String>,
}

/// How callers show who they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Authentication {
    /// `Bearer`, `Basic`, `ApiKey`, `OAuth2` or `None`.
    #[serde(deserialize_with = "de::or_default")]
    pub schemes: Vec<String>,
    /// Where credentials are had.
    #[serde(skip_serializing_if = "Option::is_none", alias = "credentialsUrl")]
    pub credentials_url: Option<String>,
}

/// Who offers an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Provider {
    /// Its name.
    #[serde(deserialize_with = "de::or_default")]
    pub organization: String,
    /// Its site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Whom to write to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
}

impl Card {
    /// The full card of a definition that is served at `url`; it claims only what can be asked for there.
    pub fn of(agent: &AgentSpec, url: &str) -> Self {
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

    /// The card without what only ContextCore knows.
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
