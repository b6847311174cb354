//! `GetTask`: one task.

use crate::{Client, ClientError};
use baton_api::TaskEntry;
use baton_encoding::path_segment;
use baton_wire::a2a::v1::{GetTaskRequest, Task};

impl Client {
    /// One task of an agent, with at most `history_length` messages; all if not given.
    pub async fn get(
        &self,
        agent: &str,
        task: &str,
        history_length: Option<i32>,
    ) -> Result<Task<'static>, ClientError> {
        let params = GetTaskRequest { id: task.into(), history_length, ..GetTaskRequest::default() };
        self.rpc(agent, "GetTask", &params).await
    }

    /// One task by its id alone, with its agent and version.
    pub async fn task(&self, task: &str) -> Result<TaskEntry<Task<'static>>, ClientError> {
        self.document(&format!("/api/v1/tasks/{}", path_segment(task))).await
    }
}
