//! Details of an agent, and remote agents.

use crate::{Client, ClientError};
use baton_api::{AddAgent, AgentDetails};
use baton_encoding::path_segment;

impl Client {
    /// Details of an agent.
    pub async fn agent(&self, name: &str) -> Result<AgentDetails, ClientError> {
        self.document(&format!("/api/v1/agents/{}", path_segment(name))).await
    }

    /// Adds a remote agent; for administrators.
    pub async fn add_agent(&self, agent: &AddAgent) -> Result<AgentDetails, ClientError> {
        self.post("/api/v1/agents", agent).await
    }

    /// Removes a remote agent, or deletes a local one; for administrators.
    pub async fn remove_agent(&self, name: &str) -> Result<AgentDetails, ClientError> {
        self.delete(&format!("/api/v1/agents/{}", path_segment(name))).await
    }
}
