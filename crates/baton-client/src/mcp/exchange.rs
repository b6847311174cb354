//! Requests to an MCP endpoint and their replies.

use crate::{
    Client, ClientError,
    call::{is_stream, read_body},
    transport::ReplyBody,
};
use baton_encoding::sse::SseParser;
use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, header};
use http_body_util::{BodyExt as _, Full};
use std::time::Duration;

/// Maximum size of an event, in bytes.
const MAX_EVENT: usize = 32 * 1024 * 1024;

/// Reply of an endpoint.
pub struct McpReply {
    /// The HTTP status.
    pub status: u16,
    /// Session id of the reply.
    pub session: Option<String>,
    /// Body of the reply.
    pub content: McpContent,
}

/// The content of a reply.
pub enum McpContent {
    /// Empty, as for an accepted notification.
    Nothing,
    /// Text: a message, or an error description.
    Text(String),
    /// Messages as they arrive.
    Stream(McpStream),
}

/// One event of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpEvent {
    /// Event id, to resume an interrupted stream.
    pub id: Option<String>,
    /// A message; empty if the event only carries an id.
    pub data: String,
}

/// Messages of a reply as they arrive; dropping it closes the connection.
pub struct McpStream {
    body: ReplyBody,
    parser: SseParser,
    idle_timeout: Duration,
}

impl McpStream {
    /// The next event; `None` when the server ended the stream, an error if the connection broke.
    pub async fn next(&mut self) -> Option<Result<McpEvent, ClientError>> {
        loop {
            if let Some(event) = self.parser.next() {
                return Some(Ok(McpEvent { id: event.id, data: event.data }));
            }
            let frame = match tokio::time::timeout(self.idle_timeout, self.body.frame()).await {
                Ok(Some(Ok(frame))) => frame,
                Ok(Some(Err(error))) => return Some(Err(ClientError::Interrupted(error.to_string()))),
                Ok(None) => return None,
                Err(_) => return Some(Err(ClientError::Timeout(self.idle_timeout))),
            };
            if let Ok(data) = frame.into_data()
                && let Err(error) = self.parser.feed(&data)
            {
                return Some(Err(ClientError::InvalidResponse(error.to_string())));
            }
        }
    }

    /// Delay that the server requests before the stream is resumed.
    pub fn retry(&self) -> Option<Duration> {
        self.parser.retry()
    }
}

impl Client {
    /// Posts a message to the endpoint at `path`, with additional headers.
    pub async fn mcp_post(
        &self,
        path: &str,
        headers: &[(String, String)],
        message: impl Into<Bytes> + Send,
    ) -> Result<McpReply, ClientError> {
        self.mcp(Method::POST, path, headers, message.into()).await
    }

    /// Opens the stream of server-initiated messages of a session; a `Last-Event-ID` header resumes an earlier one.
    pub async fn mcp_listen(&self, path: &str, headers: &[(String, String)]) -> Result<McpReply, ClientError> {
        self.mcp(Method::GET, path, headers, Bytes::new()).await
    }

    /// Ends a session.
    pub async fn mcp_end(&self, path: &str, headers: &[(String, String)]) -> Result<McpReply, ClientError> {
        self.mcp(Method::DELETE, path, headers, Bytes::new()).await
    }

    async fn mcp(
        &self,
        method: Method,
        path: &str,
        headers: &[(String, String)],
        body: Bytes,
    ) -> Result<McpReply, ClientError> {
        let accept = if method == Method::GET { "text/event-stream" } else { "application/json, text/event-stream" };
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::ACCEPT, HeaderValue::from_static(accept))
            .header(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let request = request
            .body(Full::new(body))
            .map_err(|error| ClientError::Address { address: path.to_owned(), reason: error.to_string() })?;
        self.with_timeout_limit(async { self.content_of(self.exchange(request).await?).await }).await
    }

    async fn content_of(&self, response: Response<ReplyBody>) -> Result<McpReply, ClientError> {
        let status = response.status().as_u16();
        let session = response.headers().get("mcp-session-id").and_then(|value| value.to_str().ok()).map(str::to_owned);
        if is_stream(&response) {
            let (body, parser) = (response.into_body(), SseParser::new(MAX_EVENT));
            let stream = McpStream { body, parser, idle_timeout: self.idle_timeout };
            return Ok(McpReply { status, session, content: McpContent::Stream(stream) });
        }
        let bytes = read_body(response.into_body()).await?;
        let content = match bytes.is_empty() {
            true => McpContent::Nothing,
            false => McpContent::Text(String::from_utf8_lossy(&bytes).into_owned()),
        };
        Ok(McpReply { status, session, content })
    }
}
