//! Agent cards.

use crate::{Client, ClientError};
use baton_encoding::path_segment;
use baton_wire::a2a::v1::AgentCard;

impl Client {
    /// An agent's card.
    pub async fn card(&self, agent: &str) -> Result<AgentCard, ClientError> {
        self.document(&format!("/agents/{}/.well-known/agent-card.json", path_segment(agent))).await
    }
}
