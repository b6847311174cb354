//! One agent in detail, and agents elsewhere.

use crate::{Client, ClientError};
use baton_wire::api::{AddAgent, AgentDetails};
use baton_wire::path_segment;

impl Client {
    /// One agent in detail.
    pub async fn agent(&self, name: &str) -> Result<AgentDetails, ClientError> {
        self.document(&format!("/api/v1/agents/{}", path_segment(name))).await
    }

    /// Adds an agent that lives elsewhere; for administrators.
    pub async fn add_agent(&self, agent: &AddAgent) -> Result<AgentDetails, ClientError> {
        self.post("/api/v1/agents", agent).await
    }

    /// Forgets an agent that was added, or deletes one that lives there; for administrators.
    pub async fn remove_agent(&self, name: &str) -> Result<AgentDetails, ClientError> {
        self.delete(&format!("/api/v1/agents/{}", path_segment(name))).await
    }
}
