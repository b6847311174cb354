//! Forwards replies as output lines.

use super::{calls::BridgeCall, error::BridgeError, pump::Bridge};
use baton_client::{McpContent, McpMessage, McpReply, McpStream};
use std::time::Duration;

/// Maximum delay that a server may request before a stream is resumed.
const MAX_RESUME_DELAY: Duration = Duration::from_secs(5);
/// Maximum number of times that the stream of one reply is resumed.
const MAX_RESUMES: usize = 1000;

/// End of a message stream.
enum ReplyEnd {
    /// The answer arrived.
    Answered(String),
    /// The stream ended without the answer; it can be resumed after this event.
    Open { after: Option<String>, pause: Duration },
}

impl Bridge {
    /// Writes all messages of a reply to `request` and returns the answer.
    pub(super) async fn deliver(
        &self,
        request: &McpMessage,
        reply: McpReply,
        headers: &[(String, String)],
        flight: &BridgeCall,
    ) -> Result<String, BridgeError> {
        flight.mark_received();
        let id = request.id.as_deref().unwrap_or("null");
        let status = reply.status;
        let stream = match reply.content {
            McpContent::Nothing => return Err(BridgeError::from_reply(status, "an empty reply")),
            McpContent::Text(text) => {
                let answer = matching_answer(&text, id).ok_or_else(|| BridgeError::from_reply(status, &text))?;
                return Ok(self.write_answer(answer).await);
            }
            McpContent::Stream(stream) => stream,
        };
        let mut end = self.read_stream(stream, id).await?;
        for _ in 0..MAX_RESUMES {
            let (after, pause) = match end {
                ReplyEnd::Answered(answer) => return Ok(answer),
                ReplyEnd::Open { after: Some(after), pause } if !flight.sessionless => (after, pause),
                ReplyEnd::Open { .. } => break,
            };
            tokio::time::sleep(pause).await;
            // A restarted server does not know the call and could confuse the event id with one of its own.
            if !self.endpoint.is_same_server() {
                break;
            }
            let last = [("Last-Event-ID".to_owned(), after)];
            let rest = self.endpoint.listen(&[headers, &last].concat()).await?;
            end = match rest.content {
                McpContent::Stream(stream) => self.read_stream(stream, id).await?,
                McpContent::Nothing | McpContent::Text(_) => break,
            };
        }
        Err(BridgeError::no_answer())
    }

    /// Writes the messages of a stream up to the answer.
    async fn read_stream(&self, mut stream: McpStream, id: &str) -> Result<ReplyEnd, BridgeError> {
        let mut after = None;
        while let Some(event) = stream.next().await {
            let event = event.map_err(|error| BridgeError::from_client_error(&error))?;
            after = event.id.or(after);
            if event.data.trim().is_empty() {
                continue;
            }
            let Ok(message) = McpMessage::parse(&event.data) else {
                tracing::warn!("a stream event is not a valid message");
                continue;
            };
            if message.answers(id) {
                return Ok(ReplyEnd::Answered(self.write_answer(message).await));
            }
            self.output.write(message.text).await;
        }
        Ok(ReplyEnd::Open { after, pause: stream.retry().unwrap_or_default().min(MAX_RESUME_DELAY) })
    }

    async fn write_answer(&self, answer: McpMessage) -> String {
        if answer.text.contains("x-mcp-header") || answer.text.contains("\"tools\"") {
            self.learn_headers(&answer.text);
        }
        self.output.write(answer.text.clone()).await;
        answer.text
    }
}

/// The answer in a text. An error without an id belongs to the request that was sent.
fn matching_answer(text: &str, id: &str) -> Option<McpMessage> {
    let message = McpMessage::parse(text).ok()?;
    match message.id.as_deref() {
        _ if message.answers(id) => Some(message),
        None | Some("null") if message.method.is_none() => message.with_id(id),
        _ => None,
    }
}

/// The answer to a message sent by the bridge; other messages of the reply are not forwarded to the client.
pub(super) async fn read_answer(reply: McpReply, id: &str) -> Result<String, BridgeError> {
    let status = reply.status;
    match reply.content {
        McpContent::Nothing => Err(BridgeError::from_reply(status, "an empty reply")),
        McpContent::Text(text) => {
            matching_answer(&text, id).map(|message| message.text).ok_or_else(|| BridgeError::from_reply(status, &text))
        }
        McpContent::Stream(mut stream) => {
            while let Some(event) = stream.next().await {
                let event = event.map_err(|error| BridgeError::from_client_error(&error))?;
                if let Ok(message) = McpMessage::parse(&event.data)
                    && message.answers(id)
                {
                    return Ok(message.text);
                }
            }
            Err(BridgeError::no_answer())
        }
    }
}
