//! What an agent is, fully resolved: nothing in here refers to a file that could change under a run.

use crate::{
    A2aSettings, AgentName, Budgets, Digest, Guardrail, Json, JsonError, Knowledge, Thousandths, ToolExecution,
    ToolPolicy, ToolSpec,
};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A resolved agent definition; a run pins one by [`AgentSpec::digest`] and resumes with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSpec {
    /// The path segment and the name in handoffs.
    pub name: AgentName,
    /// The name people see.
    pub title: String,
    /// What the agent is for.
    pub description: String,
    /// The definition's own version.
    pub version: String,
    /// The system prompt.
    pub prompt: String,
    /// What the card advertises; never empty.
    pub skills: Vec<SkillSpec>,
    /// MIME types of the files and data that it reads; `*/*` is everything.
    #[serde(default = "usual_modes")]
    pub input_modes: Vec<String>,
    /// Its rules and references.
    #[serde(default, skip_serializing_if = "Knowledge::is_empty")]
    pub knowledge: Knowledge,
    /// Who makes it, and where to read about it.
    #[serde(default, skip_serializing_if = "About::is_empty")]
    pub about: About,
    /// How its model writes.
    #[serde(default, skip_serializing_if = "Writing::is_empty")]
    pub writing: Writing,
    /// The form of its answers, when they are not words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerForm>,
    /// Who looks at what goes in and out, in the order in which they are asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guardrails: Vec<Guardrail>,
    /// Tools that the agent itself defines.
    pub tools: Vec<ToolSpec>,
    /// Who answers.
    pub model: ModelSpec,
    /// Who runs tools.
    pub tool_execution: ToolExecution,
    /// Bounds of a run.
    pub limits: RunLimits,
    /// Which control tools the model is offered.
    pub control_tools: ControlTools,
    /// Whether it may hand work to others at all.
    #[serde(default = "yes")]
    pub enable_handoff: bool,
    /// Agents that this one may hand work to; every agent of its Baton when none is named.
    pub handoffs: Vec<HandoffTarget>,
    /// What is said about its tools as a whole.
    #[serde(default, skip_serializing_if = "ToolPolicy::is_empty")]
    pub policy: ToolPolicy,
    /// Whether it works without anybody to ask.
    #[serde(default)]
    pub autonomous: bool,
    /// Whether the model may find and call every agent of this Baton.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orchestration: Option<Orchestration>,
    /// How its answers appear over A2A.
    #[serde(default, skip_serializing_if = "A2aSettings::is_empty")]
    pub a2a: A2aSettings,
}

/// Leave to find and call all agents (`list_agents`, `call_agent`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Orchestration {
    /// Words about it, placed after the system prompt.
    pub prompt: Option<String>,
}

fn yes() -> bool {
    true
}

/// What every agent reads unless its definition says more.
fn usual_modes() -> Vec<String> {
    AgentSpec::USUAL_MODES.map(str::to_owned).to_vec()
}

impl AgentSpec {
    /// MIME types that an agent reads unless its definition says otherwise.
    pub const USUAL_MODES: [&str; 2] = ["text/plain", "application/json"];

    /// Whether the work is done by an agent elsewhere.
    pub fn is_peer(&self) -> bool {
        matches!(self.model, ModelSpec::Peer { .. })
    }

    /// The definition as stored for resuming runs.
    pub fn to_json(&self) -> Result<Json, JsonError> {
        Json::of(self)
    }

    /// The address of [`AgentSpec::to_json`].
    pub fn digest(&self) -> Result<Digest, JsonError> {
        Ok(Digest::of(self.to_json()?.as_str().as_bytes()))
    }
}

/// Who makes an agent, and where to read about it; cards show it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Who makes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<Provider>,
    /// Its picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon_url: Option<String>,
    /// Where to read about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documentation_url: Option<String>,
}

impl About {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Who makes an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provider {
    /// The name.
    pub organization: String,
    /// Where it is found.
    pub url: String,
}

/// How a model writes; what is not given is as the model's service says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Writing {
    /// Tokens that one model call may write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// How freely it chooses its words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Thousandths>,
    /// From how much of what is likely it chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<Thousandths>,
    /// Texts before which an answer ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// The model that the definition wants, as `provider:model`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Who is asked when that one does not answer, each as `provider:model`, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<String>,
    /// How much it thinks: `none`, `low`, `medium`, `high`, `max`, or a number of tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
}

impl Writing {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// JSON that every answer of an agent has to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerForm {
    /// JSON Schema of the answer.
    pub schema: Json,
    /// How often the model may repair an answer that does not fit.
    pub repairs: u32,
}

/// One thing an agent is good at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillSpec {
    /// Stable id.
    pub id: String,
    /// Name to show.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Things to ask.
    pub examples: Vec<String>,
}

/// Which model answers for an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelSpec {
    /// The built-in deterministic model.
    Playbook {
        /// The text of `playbook.yaml`; without one the built-in default answers.
        rules: Option<String>,
    },
    /// No model here: another agent elsewhere does the work.
    Peer {
        /// The address by which it was added.
        url: String,
        /// Whether the catalog of this Baton names it.
        listed: bool,
    },
}

impl ModelSpec {
    /// The address by which an agent elsewhere was added.
    pub fn peer_url(&self) -> Option<&str> {
        match self {
            Self::Peer { url, .. } => Some(url),
            Self::Playbook { .. } => None,
        }
    }
}

/// Bounds of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLimits {
    /// Model calls per run.
    pub max_turns: u32,
    /// Tool calls of one turn that run at the same time.
    pub parallel_tools: u32,
    /// A run that takes longer fails.
    pub deadline: Duration,
    /// How often in a run a tool may fail, or be called wrongly, before the run is given up.
    #[serde(default = "usual_tool_errors")]
    pub tool_errors: u32,
    /// Results of tools beyond this many bytes are kept aside, and the model is given the beginning.
    #[serde(default = "usual_spill")]
    pub spill_bytes: u32,
    /// Of the model's window, how much a conversation may fill before it is compacted.
    #[serde(default = "usual_compact_at")]
    pub compact_at: Thousandths,
    /// What may be used up.
    #[serde(default, skip_serializing_if = "Budgets::is_empty")]
    pub budgets: Budgets,
}

fn usual_tool_errors() -> u32 {
    RunLimits::default().tool_errors
}

fn usual_spill() -> u32 {
    RunLimits::default().spill_bytes
}

fn usual_compact_at() -> Thousandths {
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

/// Tools through which a model acts on its own task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlTools {
    /// `emit_artifact`: publish an output.
    pub emit_artifact: bool,
    /// `ask_user`: pause for an answer.
    pub ask_user: bool,
    /// `reject_task`: refuse the work.
    pub reject_task: bool,
    /// `reply_message`: answer with a bare message instead of a task; for conformance kits.
    #[serde(default)]
    pub reply_message: bool,
}

impl ControlTools {
    /// The names of the tools. The agent runs them itself, whoever runs the others.
    pub const NAMES: [&str; 4] = ["emit_artifact", "ask_user", "reject_task", "reply_message"];
}

/// An agent that work may be handed to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandoffTarget {
    /// The agent's name in this Baton.
    pub agent: AgentName,
    /// When to hand work to it, for the model.
    pub description: String,
    /// Where it lives, when it may not be served here; handing work there is what the definition asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}
