//! `ListTasks`: a page of an agent's tasks.

use crate::{Client, ClientError};
use baton_wire::a2a::v1::{ListTasksRequest, ListTasksResponse};

impl Client {
    /// A page of an agent's tasks, newest status first.
    pub async fn list(
        &self,
        agent: &str,
        query: &ListTasksRequest<'_>,
    ) -> Result<ListTasksResponse<'static>, ClientError> {
        self.rpc(agent, "ListTasks", query).await
    }
}
