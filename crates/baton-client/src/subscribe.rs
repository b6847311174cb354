//! `SubscribeToTask`: follow a task from the start of its feed, or resume a broken stream.

use crate::{Client, ClientError, EventStream};
use baton_wire::a2a::v1::SubscribeToTaskRequest;

impl Client {
    /// Follows a task to its end. `cursor` is the id of the last event that was received; all later events are
    /// replayed.
    pub async fn subscribe(&self, agent: &str, task: &str, cursor: Option<u64>) -> Result<EventStream, ClientError> {
        let params = SubscribeToTaskRequest { id: task.into(), ..SubscribeToTaskRequest::default() };
        let request = self.rpc_request(agent, "SubscribeToTask", &params, |request| match cursor {
            Some(cursor) => request.header("last-event-id", cursor),
            None => request,
        })?;
        self.open_stream(request).await
    }
}
