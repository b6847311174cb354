//! Forwards replies as output lines.

use super::{calls::Flight, pump::Bridge, trouble::Trouble};
use baton_client::{McpContent, McpMessage, McpReply, McpStream};
use std::time::Duration;

/// Maximum delay that a server may request before a stream is resumed.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// Maximum number of times that the stream of one reply is resumed.
const MOST_PIECES: usize = 1000;

/// End of a message stream.
enum End {
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
        flight: &Flight,
    ) -> Result<String, Trouble> {
        flight.arrive();
        let id = request.id.as_deref().unwrap_or("null");
        let status = reply.status;
        let stream = match reply.content {
            McpContent::Nothing => return Err(Trouble::refused(status, "an empty reply")),
            McpContent::Text(text) => {
                let answer = own(&text, id).ok_or_else(|| Trouble::refused(status, &text))?;
                return Ok(self.answered(answer).await);
            }
            McpContent::Stream(stream) => stream,
        };
        let mut end = self.read(stream, id).await?;
        for _ in 0..MOST_PIECES {
            let (after, pause) = match end {
                End::Answered(answer) => return Ok(answer),
                End::Open { after: Some(after), pause } if !flight.sessionless => (after, pause),
                End::Open { .. } => break,
            };
            tokio::time::sleep(pause).await;
            // A restarted server does not know the call and could confuse the event id with one of its own.
            if !self.reach.is_same() {
                break;
            }
            let last = [("Last-Event-ID".to_owned(), after)];
            let rest = self.reach.listen(&[headers, &last].concat()).await?;
            end = match rest.content {
                McpContent::Stream(stream) => self.read(stream, id).await?,
                McpContent::Nothing | McpContent::Text(_) => break,
            };
        }
        Err(Trouble::unanswered())
    }

    /// Writes the messages of a stream up to the answer.
    async fn read(&self, mut stream: McpStream, id: &str) -> Result<End, Trouble> {
        let mut after = None;
        while let Some(event) = stream.next().await {
            let event = event.map_err(|error| Trouble::of(&error))?;
            after = event.id.or(after);
            if event.data.trim().is_empty() {
                continue;
            }
            let Ok(message) = McpMessage::parse(&event.data) else {
                tracing::warn!("a stream event is not a valid message");
                continue;
            };
            if message.answers(id) {
                return Ok(End::Answered(self.answered(message).await));
            }
            self.output.write(message.text).await;
        }
        Ok(End::Open { after, pause: stream.retry().unwrap_or_default().min(LONGEST_PAUSE) })
    }

    async fn answered(&self, answer: McpMessage) -> String {
        if answer.text.contains("x-mcp-header") || answer.text.contains("\"tools\"") {
            self.learn(&answer.text);
        }
        self.output.write(answer.text.clone()).await;
        answer.text
    }
}

/// The answer in a text. An error without an id belongs to the request that was sent.
fn own(text: &str, id: &str) -> Option<McpMessage> {
    let message = McpMessage::parse(text).ok()?;
    match message.id.as_deref() {
        _ if message.answers(id) => Some(message),
        None | Some("null") if message.method.is_none() => message.under(id),
        _ => None,
    }
}

/// The answer to a message sent by the bridge; other messages of the reply are not forwarded to the client.
pub(super) async fn answer_of(reply: McpReply, id: &str) -> Result<String, Trouble> {
    let status = reply.status;
    match reply.content {
        McpContent::Nothing => Err(Trouble::refused(status, "an empty reply")),
        McpContent::Text(text) => {
            own(&text, id).map(|message| message.text).ok_or_else(|| Trouble::refused(status, &text))
        }
        McpContent::Stream(mut stream) => {
            while let Some(event) = stream.next().await {
                let event = event.map_err(|error| Trouble::of(&error))?;
                if let Ok(message) = McpMessage::parse(&event.data)
                    && message.answers(id)
                {
                    return Ok(message.text);
                }
            }
            Err(Trouble::unanswered())
        }
    }
}
