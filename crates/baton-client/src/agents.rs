//! Who is served.

use crate::{Client, ClientError};
use baton_wire::api::{AgentEntry, AgentList};

impl Client {
    /// The agents that are served.
    pub async fn agents(&self) -> Result<Vec<AgentEntry>, ClientError> {
        self.document::<AgentList>("/agents").await.map(|list| list.agents)
    }
}
