//! `list_agents`.

use super::{
    OwnServer,
    shapes::{AgentListItem, ListAgentsResult, SkippedListItem},
    visible_agents,
};
use crate::agent_invocation;
use baton_rules::{Access, check_access};
use baton_types::Principal;
use rmcp::model::CallToolResult;

impl OwnServer {
    /// Refreshes the agents and lists them.
    pub(super) async fn list_agents(&self, principal: &Principal, base: Option<&str>) -> CallToolResult {
        let unusable = self.agents.refresh().await;
        let agents = visible_agents::visible_agents(self.agents.as_ref(), principal);
        let capabilities = self.capabilities();
        let listed = ListAgentsResult {
            agents: agents.iter().map(|agent| AgentListItem::from_listing(agent, base, capabilities)).collect(),
            // Entries contain paths and addresses of the operator.
            skipped: match check_access(principal, Access::Admin, None) {
                Ok(()) => unusable.into_iter().map(SkippedListItem::from).collect(),
                Err(_) => Vec::new(),
            },
        };
        agent_invocation::structured_result(&listed)
    }
}
