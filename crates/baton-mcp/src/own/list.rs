//! `list_agents`.

use super::{
    OwnServer, known,
    shapes::{AgentShown, Listed, Skipped},
};
use crate::work;
use baton_rules::{Access, check_access};
use baton_types::Principal;
use rmcp::model::CallToolResult;

impl OwnServer {
    /// Refreshes the agents and lists them.
    pub(super) async fn list_agents(&self, principal: &Principal, base: Option<&str>) -> CallToolResult {
        let unusable = self.agents.refresh().await;
        let agents = known::agents(self.agents.as_ref(), principal);
        let capabilities = self.capabilities();
        let listed = Listed {
            agents: agents.iter().map(|agent| AgentShown::of(agent, base, capabilities)).collect(),
            // Entries contain paths and addresses of the operator.
            skipped: match check_access(principal, Access::Admin, None) {
                Ok(()) => unusable.into_iter().map(Skipped::from).collect(),
                Err(_) => Vec::new(),
            },
        };
        work::structured(&listed)
    }
}
