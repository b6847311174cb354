//! Fully resolved agent definition: it references no file that could change during a run.

use crate::{
    A2aSettings, AgentName, Budgets, Digest, Guardrail, Json, JsonError, Knowledge, Thousandths, ToolExecution,
    ToolPolicy, ToolSpec,
};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A resolved agent definition; a run pins one by [`AgentSpec::digest`] and resumes with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSpec {
    /// Path segment, and the name in handoffs.
    pub name: AgentName,
    /// Display name.
    pub title: String,
    /// Purpose of the agent.
    pub description: String,
    /// Version of the definition.
    pub version: String,
    /// System prompt.
    pub prompt: String,
    /// Skills advertised by the agent card; never empty.
    pub skills: Vec<SkillSpec>,
    /// MIME types of accepted files and data; `*/*` accepts all.
    #[serde(default = "default_input_modes")]
    pub input_modes: Vec<String>,
    /// Rules and references.
    #[serde(default, skip_serializing_if = "Knowledge::is_empty")]
    pub knowledge: Knowledge,
    /// Publisher and documentation links.
    #[serde(default, skip_serializing_if = "PublisherInfo::is_empty")]
    pub about: PublisherInfo,
    /// Sampling parameters and model choice.
    #[serde(default, skip_serializing_if = "GenerationSettings::is_empty")]
    pub writing: GenerationSettings,
    /// Required format of answers, unless they are plain text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerFormat>,
    /// Guardrails in evaluation order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guardrails: Vec<Guardrail>,
    /// Tools defined by the agent.
    pub tools: Vec<ToolSpec>,
    /// Model, or the address of a remote agent.
    pub model: ModelSpec,
    /// Side that runs the tools.
    pub tool_execution: ToolExecution,
    /// Limits of a run.
    pub limits: RunLimits,
    /// Control tools offered to the model.
    pub control_tools: ControlTools,
    /// Whether handoffs are enabled.
    #[serde(default = "yes")]
    pub enable_handoff: bool,
    /// Allowed handoff targets; empty allows every agent of this Baton.
    pub handoffs: Vec<HandoffTarget>,
    /// Permission policy for all tools.
    #[serde(default, skip_serializing_if = "ToolPolicy::is_empty")]
    pub policy: ToolPolicy,
    /// Whether it runs without a person to ask.
    #[serde(default)]
    pub autonomous: bool,
    /// Access to all agents of this Baton, if enabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orchestration: Option<Orchestration>,
    /// Presentation of its answers over A2A.
    #[serde(default, skip_serializing_if = "A2aSettings::is_empty")]
    pub a2a: A2aSettings,
}

/// Access to all agents through `list_agents` and `call_agent`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Orchestration {
    /// Instructions placed after the system prompt.
    pub prompt: Option<String>,
}

fn yes() -> bool {
    true
}

/// Default of [`AgentSpec::input_modes`].
fn default_input_modes() -> Vec<String> {
    AgentSpec::DEFAULT_INPUT_MODES.map(str::to_owned).to_vec()
}

impl AgentSpec {
    /// MIME types accepted by default.
    pub const DEFAULT_INPUT_MODES: [&str; 2] = ["text/plain", "application/json"];

    /// Whether the agent is remote.
    pub fn is_peer(&self) -> bool {
        matches!(self.model, ModelSpec::Peer { .. })
    }

    /// JSON form that is stored for resuming runs.
    pub fn to_json(&self) -> Result<Json, JsonError> {
        Json::from_serializable(self)
    }

    /// Digest of [`AgentSpec::to_json`].
    pub fn digest(&self) -> Result<Digest, JsonError> {
        Ok(Digest::compute(self.to_json()?.as_str().as_bytes()))
    }
}

/// Publisher and documentation links of an agent, shown on its card.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublisherInfo {
    /// Publisher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<AgentPublisher>,
    /// URL of the icon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon_url: Option<String>,
    /// URL of the documentation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documentation_url: Option<String>,
}

impl PublisherInfo {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Publisher of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentPublisher {
    /// Name of the organization.
    pub organization: String,
    /// URL of the organization.
    pub url: String,
}

/// Sampling parameters and model choice. Unset fields use the defaults of the provider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GenerationSettings {
    /// Upper bound on output tokens per model call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// Sampling temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Thousandths>,
    /// Nucleus sampling threshold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<Thousandths>,
    /// Stop sequences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// Preferred model, as `provider:model`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Fallback models, each as `provider:model`, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<String>,
    /// Reasoning effort: `none`, `low`, `medium`, `high`, `max`, or a number of tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
}

impl GenerationSettings {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// JSON format required of every answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerFormat {
    /// JSON Schema of the answer.
    pub schema: Json,
    /// How often the model may repair an answer that violates the schema.
    pub repairs: u32,
}

/// A skill of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillSpec {
    /// Stable id.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Description.
    pub description: String,
    /// Search tags.
    pub tags: Vec<String>,
    /// Example requests.
    pub examples: Vec<String>,
}

/// Model of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelSpec {
    /// Built-in deterministic model.
    Playbook {
        /// Text of `playbook.yaml`; the built-in default applies if unset.
        rules: Option<String>,
    },
    /// No local model: a remote agent does the work.
    Peer {
        /// Address under which it was added.
        url: String,
        /// Whether the catalog of this Baton lists it.
        listed: bool,
    },
}

impl ModelSpec {
    /// Address of a remote agent.
    pub fn peer_url(&self) -> Option<&str> {
        match self {
            Self::Peer { url, .. } => Some(url),
            Self::Playbook { .. } => None,
        }
    }
}

/// Limits of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLimits {
    /// Model calls per run.
    pub max_turns: u32,
    /// Tool calls of one turn that run concurrently.
    pub parallel_tools: u32,
    /// A run that takes longer fails.
    pub deadline: Duration,
    /// Tool failures and invalid calls after which the run fails.
    #[serde(default = "default_tool_errors")]
    pub tool_errors: u32,
    /// Tool results over this many bytes are stored separately, and the model gets their beginning.
    #[serde(default = "default_spill_bytes")]
    pub spill_bytes: u32,
    /// Fraction of the context window that a conversation may fill before it is compacted.
    #[serde(default = "default_compact_at")]
    pub compact_at: Thousandths,
    /// Token, cost and call budgets.
    #[serde(default, skip_serializing_if = "Budgets::is_empty")]
    pub budgets: Budgets,
}

fn default_tool_errors() -> u32 {
    RunLimits::default().tool_errors
}

fn default_spill_bytes() -> u32 {
    RunLimits::default().spill_bytes
}

fn default_compact_at() -> Thousandths {
    RunLimits::default().compact_at
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            max_turns: 20,
            parallel_tools: 4,
            deadline: Duration::from_secs(30 * 60),
            tool_errors: 8,
            spill_bytes: 64 * 1024,
            compact_at: Thousandths(800),
            budgets: Budgets::default(),
        }
    }
}

/// Tools through which a model acts on its task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlTools {
    /// `emit_artifact`: publishes an output.
    pub emit_artifact: bool,
    /// `ask_user`: pauses for an answer.
    pub ask_user: bool,
    /// `reject_task`: rejects the work.
    pub reject_task: bool,
    /// `reply_message`: answers with a bare message instead of a task; for conformance tests.
    #[serde(default)]
    pub reply_message: bool,
}

impl ControlTools {
    /// Names of the control tools. The agent always runs them, even if the caller runs the other tools.
    pub const NAMES: [&str; 4] = ["emit_artifact", "ask_user", "reject_task", "reply_message"];
}

/// An allowed receiver of handoffs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandoffTarget {
    /// Name of the agent in this Baton.
    pub agent: AgentName,
    /// When to hand work to it, for the model.
    pub description: String,
    /// Address of the agent, if this Baton may not serve it. The definition explicitly permits handoffs to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}
