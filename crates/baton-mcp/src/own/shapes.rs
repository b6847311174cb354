//! Arguments and results of the tools of Baton's own server.

use baton_api::agent_address;
use baton_ports::{AgentReply, UnusableEntry};
use baton_types::{AgentListing, SkillSpec, TaskState};
use serde::{Deserialize, Serialize};

/// Result of `list_agents`.
#[derive(Serialize)]
pub(super) struct ListAgentsResult {
    pub(super) agents: Vec<AgentListItem>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) skipped: Vec<SkippedListItem>,
}

/// An entry that could not be loaded as an agent.
#[derive(Serialize)]
pub(super) struct SkippedListItem {
    entry: String,
    reason: String,
}

impl From<UnusableEntry> for SkippedListItem {
    fn from(UnusableEntry { entry, reason }: UnusableEntry) -> Self {
        Self { entry, reason }
    }
}

/// One agent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AgentListItem {
    agent_id: String,
    name: String,
    description: String,
    version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    skills: Vec<SkillListItem>,
    capabilities: Capabilities,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SkillListItem {
    id: String,
    name: String,
    description: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    examples: Vec<String>,
}

/// A2A capabilities of an agent.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Capabilities {
    pub(super) streaming: bool,
    pub(super) push_notifications: bool,
    /// Always false: a task's history holds its messages. A2A 1.0 removed the field; in 0.3 it meant state changes.
    pub(super) state_transition_history: bool,
}

impl AgentListItem {
    /// The agent as served below `base`, a URL without a trailing slash.
    pub(super) fn from_listing(agent: &AgentListing, base: Option<&str>, capabilities: Capabilities) -> Self {
        Self {
            agent_id: agent.name.to_string(),
            name: agent.title.clone(),
            description: agent.description.clone(),
            version: agent.version.clone(),
            url: base.map(|base| agent_address(base, agent.name.as_str())),
            skills: agent.skills.iter().map(SkillListItem::from_skill).collect(),
            capabilities,
        }
    }
}

impl SkillListItem {
    fn from_skill(skill: &SkillSpec) -> Self {
        let SkillSpec { id, name, description, tags, examples } = skill.clone();
        Self { id, name, description, tags, examples }
    }
}

/// Arguments of `call_agent`; `agent_id` is also accepted.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CallAgentArguments {
    #[serde(alias = "agent_id", alias = "agent")]
    pub(super) agent_id: String,
    pub(super) message: String,
    #[serde(default, alias = "context_id")]
    pub(super) context_id: Option<String>,
    #[serde(default, alias = "task_id")]
    pub(super) task_id: Option<String>,
}

/// Result of `call_agent`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CallAgentResult {
    response: String,
    task_id: String,
    context_id: String,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

impl CallAgentResult {
    pub(super) fn from_reply(reply: &AgentReply, agent: &str) -> Self {
        Self {
            response: reply.text.clone(),
            task_id: reply.task.to_string(),
            context_id: reply.context.to_string(),
            status: status(reply.state),
            next: next(reply, agent),
        }
    }
}

fn next(reply: &AgentReply, agent: &str) -> Option<String> {
    let task = &reply.task;
    match reply.state {
        TaskState::InputRequired => Some(format!(
            "The agent asks a question. Find the answer, ask the user if necessary, and call again with agentId '{agent}', \
             taskId '{task}' and the answer as message."
        )),
        TaskState::AuthRequired => Some(format!(
            "The agent waits for credentials. Tell the user; when they are in place, call again with agentId '{agent}', \
             taskId '{task}' and a message that says so. Never put a secret into the message."
        )),
        TaskState::Submitted | TaskState::Working => {
            Some(format!("The agent is still working on task '{task}'; call again later with that taskId."))
        }
        TaskState::Completed | TaskState::Failed | TaskState::Canceled | TaskState::Rejected => None,
    }
}

/// State name as used by A2A clients.
fn status(state: TaskState) -> &'static str {
    match state {
        TaskState::InputRequired => "input-required",
        TaskState::AuthRequired => "auth-required",
        state => state.as_str(),
    }
}
