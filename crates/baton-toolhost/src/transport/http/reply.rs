//! Interprets the response to a posted message.

use super::{
    RemoteError, RemoteServer, StreamCutoff,
    client::{RemoteHttpError, to_http_error},
    events,
    remote::{ContentClass, content_class, unexpected},
};
use baton_outbound::{GuardedBody, OutboundError};
use http::{HeaderMap, Response, StatusCode, header};
use rmcp::{
    model::{ClientJsonRpcMessage, ClientRequest, ErrorData, RequestId, ServerJsonRpcMessage},
    transport::streamable_http_client::{HttpStatusError, StreamableHttpError, StreamableHttpPostResponse},
};
use sse_stream::Sse;
use std::time::Duration;

/// Maximum size of an error response.
const MAX_ERROR_BODY_BYTES: usize = 64 * 1024;
const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(5);

/// Whether the message belonged to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SessionAttachment {
    None,
    Attached,
}

pub(super) async fn read(
    remote: &RemoteServer,
    response: Response<GuardedBody>,
    message: &ClientJsonRpcMessage,
    session: SessionAttachment,
    max_size: usize,
) -> Result<StreamableHttpPostResponse, RemoteHttpError> {
    let status = response.status();
    if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
        return Ok(StreamableHttpPostResponse::Accepted);
    }
    if status == StatusCode::NOT_FOUND && session == SessionAttachment::Attached {
        return Err(StreamableHttpError::SessionExpired);
    }
    if !status.is_success() {
        return read_error_response(response, message, session).await;
    }
    let ClientJsonRpcMessage::Request(request) = message else {
        // The message expects no response, so the body is ignored.
        return Ok(StreamableHttpPostResponse::Accepted);
    };
    let id = request.id.clone();
    let named = response.headers().get("mcp-session-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
    if named.is_some() && matches!(request.request, ClientRequest::InitializeRequest(_)) {
        remote.stream_readiness().mark_opening();
    }
    match content_class(response.headers()) {
        ContentClass::Events => {
            let remote = remote.clone();
            let on_cutoff = move |cut: &StreamCutoff| {
                remote.log_cutoff(cut);
                matches!(cut, StreamCutoff::TooLarge(_))
                    .then(|| too_large(id, cut))
                    .and_then(|error| Some(Sse { data: Some(serde_json::to_string(&error).ok()?), ..Sse::default() }))
            };
            Ok(StreamableHttpPostResponse::Sse(events(response.into_body(), max_size, on_cutoff), named))
        }
        ContentClass::Json => match response.into_body().read(max_size).await {
            Ok(body) => match serde_json::from_slice(&body) {
                Ok(message) => Ok(StreamableHttpPostResponse::Json(message, named)),
                Err(error) => Err(to_http_error(RemoteError::Content {
                    found: format!("JSON that is not a JSON-RPC message ({error})"),
                })),
            },
            Err(OutboundError::TooLarge { .. }) => {
                let cut = StreamCutoff::TooLarge(max_size);
                remote.log_cutoff(&cut);
                Ok(StreamableHttpPostResponse::Json(too_large(id, &cut), named))
            }
            Err(error) => Err(to_http_error(error)),
        },
        ContentClass::Other => Err(to_http_error(unexpected_content(response.headers()))),
    }
}

/// Error for a content type other than JSON or events.
pub(super) fn unexpected_content(headers: &HeaderMap) -> RemoteError {
    let found = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("nothing");
    RemoteError::Content { found: found.chars().take(80).collect() }
}

/// Error response that replaces one over the size limit.
fn too_large(id: RequestId, cut: &StreamCutoff) -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::error(ErrorData::internal_error(format!("the answer was refused: {cut}"), None), Some(id))
}

async fn read_error_response(
    response: Response<GuardedBody>,
    message: &ClientJsonRpcMessage,
    session: SessionAttachment,
) -> Result<StreamableHttpPostResponse, RemoteHttpError> {
    let status = response.status();
    let is_login = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    let is_failure = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
    let wait = response.headers().get(header::RETRY_AFTER).and_then(|wait| wait.to_str().ok()).map(str::to_owned);
    let body = response.into_body().within(ERROR_BODY_TIMEOUT).read(MAX_ERROR_BODY_BYTES).await.unwrap_or_default();
    let rpc_error = match serde_json::from_slice(&body) {
        Ok(ServerJsonRpcMessage::Error(error)) if !is_login => Some(error),
        _ => None,
    };
    let request = match message {
        ClientJsonRpcMessage::Request(request) => Some(request),
        _ => None,
    };
    // Servers without support for the newer handshake reject it in many ways, and may not repeat the request id. The
    // error decides how to continue, so it must arrive as the response to this request.
    if let Some(request) = request
        && matches!(request.request, ClientRequest::DiscoverRequest(_))
        && session == SessionAttachment::None
        && status.is_client_error()
        && !is_login
        && status != StatusCode::TOO_MANY_REQUESTS
    {
        let error = rpc_error.map_or_else(
            || ErrorData::invalid_request(format!("server/discover was answered with {status}"), None),
            |error| error.error,
        );
        let answer = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
        return Ok(StreamableHttpPostResponse::Json(answer, None));
    }
    if let Some(mut error) = rpc_error {
        error.id = error.id.or_else(|| request.map(|request| request.id.clone()));
        return Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(error), None));
    }
    if is_failure {
        return Err(HttpStatusError::new(status.as_u16(), wait).into());
    }
    let is_first = request.is_some_and(|request| matches!(request.request, ClientRequest::InitializeRequest(_)));
    if is_first && matches!(status.as_u16(), 400 | 404 | 405) {
        return Err(to_http_error(RemoteError::NotMcp { status: status.as_u16() }));
    }
    Err(to_http_error(unexpected(status)))
}

impl RemoteServer {
    /// Logs the reason for a cut-off stream, unless the connection just failed.
    pub(super) fn log_cutoff(&self, cut: &StreamCutoff) {
        if matches!(cut, StreamCutoff::Broken(_)) {
            return;
        }
        self.log().push_line(&format!("a stream was closed: {cut}"));
    }
}
