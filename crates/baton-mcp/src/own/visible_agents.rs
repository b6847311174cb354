//! The agents visible to a caller, and lookup by id.

use baton_ports::AgentSource;
use baton_rules::{Access, check_access};
use baton_types::{AgentListing, Principal};
use std::sync::Arc;

/// Maximum number of agents in an error.
const MAX_LISTED_AGENTS: usize = 20;

/// Maximum length of an unknown name in an error.
const MAX_ID_CHARS: usize = 64;

/// Agents that the caller may read, in a stable order.
pub(super) fn visible_agents(source: &dyn AgentSource, principal: &Principal) -> Vec<Arc<AgentListing>> {
    let mut agents = source.listings();
    agents.retain(|agent| check_access(principal, Access::Read, Some(&agent.name)).is_ok());
    agents
}

/// The agent with this name or list position: `agent_001` is the first.
pub(super) fn find(agents: &[Arc<AgentListing>], id: &str) -> Result<Arc<AgentListing>, String> {
    let id = id.trim();
    let named = agents.iter().find(|agent| agent.name.as_str() == id);
    named.or_else(|| agents.get(parse_position(id)?)).cloned().ok_or_else(|| unknown_agent_message(agents, id))
}

/// Index for an id by position.
fn parse_position(id: &str) -> Option<usize> {
    let digits = id.strip_prefix("agent_")?;
    if digits.len() < 3 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse::<usize>().ok()?.checked_sub(1)
}

fn unknown_agent_message(agents: &[Arc<AgentListing>], id: &str) -> String {
    let id: String = id.chars().take(MAX_ID_CHARS).collect();
    let mut names: Vec<&str> = agents.iter().take(MAX_LISTED_AGENTS).map(|agent| agent.name.as_str()).collect();
    if agents.len() > MAX_LISTED_AGENTS {
        names.push("...");
    }
    let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    format!("there is no agent '{id}'; known: {known}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_ids_are_parsed() {
        for (id, expect) in [
            ("agent_001", Some(0)),
            ("agent_012", Some(11)),
            ("agent_1000", Some(999)),
            ("agent_000", None),
            ("agent_1", None),
            ("agent_", None),
            ("agent_00x", None),
            ("agent_+01", None),
            ("agent_99999999999999999999999", None),
            ("weather", None),
        ] {
            assert_eq!(parse_position(id), expect, "{id}");
        }
    }
}
