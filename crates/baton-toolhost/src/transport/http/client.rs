//! HTTP client implementation for the rmcp transport.

use super::{
    MAX_MESSAGE, PostedReply, RemoteError, RemoteServer, StreamCutoff, events,
    remote::{ContentClass, content_class, unexpected},
    reply,
};
use crate::oauth::LoginError;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use rmcp::{
    model::{ClientJsonRpcMessage, ClientRequest},
    transport::{
        common::http_header::{HEADER_LAST_EVENT_ID, HEADER_SESSION_ID},
        streamable_http_client::{
            AuthRequiredError, SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
        },
    },
};
use sse_stream::Sse;
use std::{collections::HashMap, sync::Arc};

pub(super) type RemoteHttpError = StreamableHttpError<RemoteError>;

/// Converts to the error type of rmcp; a required login is not retried.
pub(super) fn to_http_error(error: impl Into<RemoteError>) -> RemoteHttpError {
    match error.into() {
        RemoteError::Login(LoginError::Needed { reason }) => {
            StreamableHttpError::AuthRequired(AuthRequiredError::new(reason))
        }
        error => StreamableHttpError::Client(error),
    }
}

impl RemoteServer {
    fn headers(
        &self,
        accept: &'static str,
        session: Option<&str>,
        more: HashMap<HeaderName, HeaderValue>,
    ) -> Result<HeaderMap, RemoteHttpError> {
        let mut headers: HeaderMap = more.into_iter().collect();
        headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
        if let Some(session) = session {
            headers.insert(HeaderName::from_static(SESSION_ID), value(session)?);
        }
        Ok(headers)
    }
}

const SESSION_ID: &str = "mcp-session-id";
const LAST_EVENT_ID: &str = "last-event-id";
const _: () = assert!(HEADER_SESSION_ID.eq_ignore_ascii_case(SESSION_ID));
const _: () = assert!(HEADER_LAST_EVENT_ID.eq_ignore_ascii_case(LAST_EVENT_ID));

fn value(text: &str) -> Result<HeaderValue, RemoteHttpError> {
    HeaderValue::from_str(text)
        .map_err(|_| StreamableHttpError::UnexpectedServerResponse("an id with invalid characters".into()))
}

/// Whether the server may send requests while it handles the message.
fn may_trigger_requests(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(request) = message else { return false };
    matches!(
        request.request,
        ClientRequest::CallToolRequest(_) | ClientRequest::GetPromptRequest(_) | ClientRequest::ReadResourceRequest(_)
    )
}

impl StreamableHttpClient for RemoteServer {
    type Error = RemoteError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        more: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, RemoteHttpError> {
        self.post_message_with_max_sse_event_size(uri, message, session, auth, more, MAX_MESSAGE).await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        more: HashMap<HeaderName, HeaderValue>,
        max_size: usize,
    ) -> Result<StreamableHttpPostResponse, RemoteHttpError> {
        let is_attached = session.is_some();
        let session_attachment =
            if is_attached { reply::SessionAttachment::Attached } else { reply::SessionAttachment::None };
        if let Some(response) = PostedReply::from_message(&message).and_then(PostedReply::take) {
            let response = response.map_err(to_http_error)?;
            return reply::read(self, response, &message, session_attachment, max_size).await;
        }
        if is_attached && may_trigger_requests(&message) {
            self.stream_readiness().wait().await;
        }
        let mut headers = self.headers("application/json, text/event-stream", session.as_deref(), more)?;
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let body =
            serde_json::to_vec(&message).map_err(|error| to_http_error(RemoteError::Unwritable(error.to_string())))?;
        let response = self.exchange(Method::POST, &uri, &headers, &Bytes::from(body)).await.map_err(to_http_error)?;
        reply::read(self, response, &message, session_attachment, max_size).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        more: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), RemoteHttpError> {
        let headers = self.headers("application/json", Some(&session), more)?;
        let response = self.exchange(Method::DELETE, &uri, &headers, &Bytes::new()).await.map_err(to_http_error)?;
        match response.status() {
            // A server may refuse to let clients end sessions.
            StatusCode::METHOD_NOT_ALLOWED => Ok(()),
            status if status.is_success() => Ok(()),
            status => Err(to_http_error(unexpected(status))),
        }
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        auth: Option<String>,
        more: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, RemoteHttpError> {
        self.get_stream_with_max_sse_event_size(uri, session, last, auth, more, MAX_MESSAGE).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        _: Option<String>,
        more: HashMap<HeaderName, HeaderValue>,
        max_size: usize,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, RemoteHttpError> {
        if !self.is_listening() {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        let mut headers = self.headers("text/event-stream", session.as_deref(), more)?;
        if let Some(last) = last {
            headers.insert(HeaderName::from_static(LAST_EVENT_ID), value(&last)?);
        }
        let response = self.exchange(Method::GET, &uri, &headers, &Bytes::new()).await;
        self.stream_readiness().mark_settled();
        let response = response.map_err(to_http_error)?;
        match (response.status(), content_class(response.headers())) {
            (StatusCode::METHOD_NOT_ALLOWED, _) => Err(StreamableHttpError::ServerDoesNotSupportSse),
            (StatusCode::OK, ContentClass::Events) => {
                let remote = self.clone();
                Ok(events(response.into_body(), max_size, move |cut| {
                    remote.log_cutoff(cut);
                    // Resuming the stream would return the same events.
                    if !matches!(cut, StreamCutoff::Broken(_)) {
                        remote.stop_listening();
                    }
                    None
                }))
            }
            (StatusCode::OK, _) => Err(to_http_error(reply::unexpected_content(response.headers()))),
            (StatusCode::NOT_FOUND, _) if session.is_some() => Err(StreamableHttpError::SessionExpired),
            (status, _) => Err(to_http_error(unexpected(status))),
        }
    }
}
