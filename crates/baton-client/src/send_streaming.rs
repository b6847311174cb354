//! `SendStreamingMessage`: send a message and follow its task.

use crate::{Client, ClientError, EventStream, SendRequest};

impl Client {
    /// Sends and follows until the task ends or needs input.
    pub async fn send_streaming(&self, agent: &str, request: SendRequest) -> Result<EventStream, ClientError> {
        let request = self.send_request(agent, "SendStreamingMessage", request)?;
        self.open_stream(request).await
    }
}
