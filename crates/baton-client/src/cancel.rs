//! `CancelTask`: cancel a task.

use crate::{Client, ClientError};
use baton_wire::a2a::v1::{CancelTaskRequest, Task};

impl Client {
    /// Cancels a task and returns its new state.
    pub async fn cancel(&self, agent: &str, task: &str) -> Result<Task<'static>, ClientError> {
        let params = CancelTaskRequest { id: task.into(), ..CancelTaskRequest::default() };
        self.rpc(agent, "CancelTask", &params).await
    }
}
