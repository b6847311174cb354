//! Requests over HTTP/1.1 with complete or streamed replies.

use super::{MAX_REPLY, credential::RequestCredential, headers};
use crate::{A2aDialect, CallError, RequestMetadata};
use baton_outbound::{GuardedBody, GuardedClient};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Uri, header};
use std::sync::Arc;

/// A request without the common headers.
pub(super) struct PeerHttpRequest {
    pub(super) method: Method,
    pub(super) url: String,
    pub(super) body: Option<Bytes>,
}

/// Head of a reply.
pub(super) struct ReplyHead {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
}

/// Reply to a request for a stream.
pub(super) enum StreamReply {
    /// A stream of events.
    Events(GuardedBody),
    /// Any other reply, read completely.
    Complete(ReplyHead, Bytes),
}

/// HTTP access to one peer.
pub(super) struct PeerHttpTransport {
    client: GuardedClient,
    credential: Arc<RequestCredential>,
    dialect: A2aDialect,
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream, application/json");

impl PeerHttpTransport {
    pub(super) fn new(client: GuardedClient, credential: Arc<RequestCredential>, dialect: A2aDialect) -> Self {
        Self { client, credential, dialect }
    }

    /// Sends a request and parses its reply with `read`.
    pub(super) async fn send<T>(
        &self,
        ask: &PeerHttpRequest,
        with: &RequestMetadata,
        read: impl FnOnce(&ReplyHead, &[u8]) -> Result<T, CallError> + Send,
    ) -> Result<T, CallError> {
        let mut again = false;
        loop {
            let request = self.build_request(ask, with, JSON).await?;
            let reply =
                self.client.send_bounded(request, MAX_REPLY).await.map_err(|error| self.redact(error.into()))?;
            if self.should_retry(reply.status, again).await {
                again = true;
                continue;
            }
            let head = ReplyHead { status: reply.status, headers: reply.headers };
            if !reply.complete && reply.status.is_success() {
                return Err(match reply.body.len() {
                    MAX_REPLY => CallError::InvalidReply(format!("the answer has more than {MAX_REPLY} bytes")),
                    read => CallError::ConnectionLost(format!("the answer was cut off after {read} bytes")),
                });
            }
            return read(&head, &reply.body).map_err(|error| self.redact(error));
        }
    }

    /// Sends a request for a stream.
    pub(super) async fn open_stream(
        &self,
        ask: &PeerHttpRequest,
        with: &RequestMetadata,
    ) -> Result<StreamReply, CallError> {
        let mut again = false;
        loop {
            let request = self.build_request(ask, with, EVENTS).await?;
            let response = self.client.open(request).await.map_err(|error| self.redact(error.into()))?;
            let (head, body) = response.into_parts();
            if self.should_retry(head.status, again).await {
                again = true;
                continue;
            }
            let kind = head.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
            let kind = kind.split(';').next().unwrap_or_default().trim();
            if head.status.is_success() && kind.eq_ignore_ascii_case("text/event-stream") {
                return Ok(StreamReply::Events(body));
            }
            let bytes = body.within(self.client.request_timeout()).read(MAX_REPLY).await;
            let bytes = bytes.map_err(|error| self.redact(error.into()))?;
            return Ok(StreamReply::Complete(ReplyHead { status: head.status, headers: head.headers }, bytes));
        }
    }

    /// Redacts secrets from an error.
    pub(super) fn redact(&self, error: CallError) -> CallError {
        self.credential.redact(error)
    }

    pub(super) fn credential(&self) -> Arc<RequestCredential> {
        Arc::clone(&self.credential)
    }

    /// A request with a rejected credential had no effect, so it can be retried once.
    async fn should_retry(&self, status: StatusCode, again: bool) -> bool {
        status == StatusCode::UNAUTHORIZED && !again && self.credential.refused().await
    }

    async fn build_request(
        &self,
        ask: &PeerHttpRequest,
        with: &RequestMetadata,
        accept: HeaderValue,
    ) -> Result<Request<Bytes>, CallError> {
        let uri: Uri = ask.url.parse().map_err(|_| CallError::Forbidden("the URL is malformed".to_owned()))?;
        let mut request = Request::new(ask.body.clone().unwrap_or_default());
        *request.method_mut() = ask.method.clone();
        *request.uri_mut() = uri;
        *request.headers_mut() = headers::build_headers(with, self.dialect)?;
        request.headers_mut().insert(header::ACCEPT, accept);
        if ask.body.is_some() {
            request.headers_mut().insert(header::CONTENT_TYPE, JSON);
        }
        let (mut parts, body) = request.into_parts();
        self.credential.apply(&mut parts).await?;
        Ok(Request::from_parts(parts, body))
    }
}
