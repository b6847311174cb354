//! Error replies in the format of a request's protocol, for requests that are rejected before they reach it.

use crate::reply;
use axum::response::Response;
use baton_api::{ApiError, ApiErrorKind};
use baton_types::ErrorCode;
use http::{HeaderMap, HeaderValue, Method, Request, Uri, header};
use std::sync::Arc;

/// Head of a request, before its body is read.
#[derive(Clone, Copy, Debug)]
pub struct RequestHead<'a> {
    /// HTTP method.
    pub method: &'a Method,
    /// Request target.
    pub uri: &'a Uri,
    /// Headers.
    pub headers: &'a HeaderMap,
}

impl<'a> RequestHead<'a> {
    /// The head of a request.
    pub fn from_request<B>(request: &'a Request<B>) -> Self {
        Self { method: request.method(), uri: request.uri(), headers: request.headers() }
    }

    /// Whether the request is a gRPC call.
    pub fn is_grpc(&self) -> bool {
        is_grpc(self.headers)
    }
}

/// Whether the content type of a request is gRPC.
pub fn is_grpc(headers: &HeaderMap) -> bool {
    let content_type = headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    let rest = content_type.strip_prefix(b"application/grpc");
    rest.is_some_and(|rest| matches!(rest.first(), None | Some(b'+' | b';')))
}

/// Errors of one protocol.
pub trait ErrorFormat: Send + Sync + 'static {
    /// Error reply, if the request belongs to this protocol.
    fn error_response(&self, head: RequestHead<'_>, error: &ApiError) -> Option<Response>;

    /// Error reply of the host and origin check, if the protocol's clients understand only its own form.
    fn guard_response(&self, head: RequestHead<'_>, error: &ApiError) -> Option<Response> {
        let _ = (head, error);
        None
    }

    /// Reply for an unknown path of this protocol.
    fn unknown_path(&self, head: RequestHead<'_>) -> Option<Response> {
        let _ = head;
        None
    }

    /// Reply for a known path of this protocol with an unsupported method.
    fn unknown_method(&self, head: RequestHead<'_>) -> Option<Response> {
        let _ = head;
        None
    }
}

/// Error formats of all protocols.
#[derive(Clone)]
pub struct ErrorFormats(Arc<[Arc<dyn ErrorFormat>]>);

impl ErrorFormats {
    /// The formats, first match first.
    pub fn new(formats: Vec<Arc<dyn ErrorFormat>>) -> Self {
        Self(formats.into())
    }

    /// Error reply in the format of the request's protocol.
    pub fn error_response(&self, head: RequestHead<'_>, error: &ApiError) -> Response {
        let reply = self.0.iter().find_map(|format| format.error_response(head, error));
        reply.unwrap_or_else(|| reply::error(error))
    }

    pub(crate) fn guard_response(&self, head: RequestHead<'_>, error: &ApiError) -> Response {
        let reply = self.0.iter().find_map(|format| format.guard_response(head, error));
        reply.unwrap_or_else(|| reply::error(error))
    }

    pub(crate) fn unknown_path(&self, head: RequestHead<'_>) -> Response {
        let reply = self.0.iter().find_map(|format| format.unknown_path(head));
        reply.unwrap_or_else(|| reply::error(&no_such_page(head.uri)))
    }

    pub(crate) fn unknown_method(&self, head: RequestHead<'_>) -> Response {
        self.0.iter().find_map(|format| format.unknown_method(head)).unwrap_or_else(|| {
            let message = format!("{} does not answer {}", head.uri.path(), head.method);
            reply::error(&ApiError::new(ApiErrorKind::MethodNotAllowed, ErrorCode::INVALID_REQUEST, message))
        })
    }
}

/// Error for an unknown path.
pub fn no_such_page(uri: &Uri) -> ApiError {
    let message = format!("there is nothing at {}", uri.path());
    ApiError::new(ApiErrorKind::PageNotFound, ErrorCode::INVALID_REQUEST, message)
}
