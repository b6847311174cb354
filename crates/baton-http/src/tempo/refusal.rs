//! Errors for Tempo clients: a line of text.

use crate::spans::{self, NO_SPAN_STORE_MESSAGE};
use axum::{body::Body, response::Response};
use baton_span_ports::SpanStoreError;
use baton_traceql::{ParseError, QueryError};
use baton_wire::a2a::v1::Error;
use http::{HeaderValue, StatusCode, header};

/// Error response of the Tempo API.
#[derive(Debug)]
pub(super) struct TempoRejection {
    status: StatusCode,
    message: String,
}

impl TempoRejection {
    /// The request is invalid.
    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, message: message.into() }
    }

    /// The result is too large. As in Tempo, the status tells the client not to retry.
    fn too_large(error: &SpanStoreError) -> Self {
        let message = format!("{error} ({})", error.code().code);
        Self { status: StatusCode::UNPROCESSABLE_ENTITY, message }
    }

    /// The resource does not exist.
    pub(super) fn not_found(message: &str) -> Self {
        Self { status: StatusCode::NOT_FOUND, message: message.to_owned() }
    }

    /// There is no span store.
    pub(super) fn not_offered() -> Self {
        Self { status: StatusCode::NOT_IMPLEMENTED, message: NO_SPAN_STORE_MESSAGE.to_owned() }
    }

    /// The HTTP response.
    pub(super) fn response(self) -> Response {
        let mut response = Response::new(Body::from(self.message));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        if matches!(self.status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

impl From<ParseError> for TempoRejection {
    fn from(error: ParseError) -> Self {
        Self::bad_request(format!("invalid TraceQL query: {error}"))
    }
}

impl From<QueryError> for TempoRejection {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::TooLarge(_) => Self::too_large(&error.into()),
            error => Self::bad_request(format!("invalid TraceQL query: {error}")),
        }
    }
}

impl From<SpanStoreError> for TempoRejection {
    fn from(error: SpanStoreError) -> Self {
        match error {
            SpanStoreError::Query(error) => error.into(),
            error @ SpanStoreError::TooLarge(_) => Self::too_large(&error),
            error => spans::store_error(&error).into(),
        }
    }
}

impl From<Error> for TempoRejection {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}

impl From<&Error> for TempoRejection {
    fn from(error: &Error) -> Self {
        let status = StatusCode::from_u16(error.kind.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self { status, message: format!("{} ({})", error.message, error.code.code) }
    }
}
