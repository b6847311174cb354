//! Tools that list and call all agents of this Baton.

use super::{Driver, Halt, prompt::built_in};
use baton_rules::{CALL_AGENT_TOOL, LIST_AGENTS_TOOL};
use baton_types::{AgentSpec, SkillSpec, ToolCall, ToolSpec};
use serde_json::json;

/// Definitions of both tools.
pub(super) fn orchestration_tools() -> [ToolSpec; 2] {
    [
        built_in(
            LIST_AGENTS_TOOL,
            "Lists the agents that can be called: what each is for and what it is good at.",
            json!({"type": "object", "properties": {}}),
        ),
        built_in(
            CALL_AGENT_TOOL,
            "Gives an agent a message and waits for its answer.",
            json!({"type": "object", "properties": {
                "agentId": {"type": "string", "description": "The agent, as list_agents names it"},
                "message": {"type": "string", "description": "What the agent is asked, in full"},
                "contextId": {"type": "string", "description": "A conversation with that agent to go on with"}},
                "required": ["agentId", "message"]}),
        ),
    ]
}

impl Driver {
    pub(super) fn list_agents(&self, spec: &AgentSpec, call: &ToolCall) -> Result<(), Halt> {
        let skill = |skill: &SkillSpec| json!({"id": skill.id, "name": skill.name, "description": skill.description});
        let others = self.inner.ports.agents.listings().into_iter().filter(|agent| agent.name != spec.name);
        let agents: Vec<_> = others
            .map(|agent| {
                json!({
                    "agentId": agent.name.as_str(),
                    "name": agent.title,
                    "description": agent.description,
                    "version": agent.version,
                    "skills": agent.skills.iter().map(skill).collect::<Vec<_>>(),
                })
            })
            .collect();
        self.finish(call, json!({ "agents": agents }).into(), false)
    }
}
