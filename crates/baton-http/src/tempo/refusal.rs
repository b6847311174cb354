//! What clients of Tempo are told when there is no answer: a line of text.

use crate::spans::{self, KEEPS_NONE};
use axum::{body::Body, response::Response};
use baton_ports::SpanStoreError;
use baton_traceql::{ParseError, QueryError};
use baton_wire::a2a::v1::Error;
use http::{HeaderValue, StatusCode, header};

/// Why there is no answer.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    message: String,
}

impl Refusal {
    /// The request is wrong.
    pub(super) fn wrong(message: impl Into<String>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, message: message.into() }
    }

    /// The answer does not fit. As Tempo says it: asking again does not help.
    fn too_large(error: &SpanStoreError) -> Self {
        let message = format!("{error} ({})", error.code().code);
        Self { status: StatusCode::UNPROCESSABLE_ENTITY, message }
    }

    /// There is no such thing.
    pub(super) fn missing(message: &str) -> Self {
        Self { status: StatusCode::NOT_FOUND, message: message.to_owned() }
    }

    /// Nobody keeps spans here.
    pub(super) fn not_offered() -> Self {
        Self { status: StatusCode::NOT_IMPLEMENTED, message: KEEPS_NONE.to_owned() }
    }

    /// The reply.
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

impl From<ParseError> for Refusal {
    fn from(error: ParseError) -> Self {
        Self::wrong(format!("invalid TraceQL query: {error}"))
    }
}

impl From<QueryError> for Refusal {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::TooLarge(_) => Self::too_large(&error.into()),
            error => Self::wrong(format!("invalid TraceQL query: {error}")),
        }
    }
}

impl From<SpanStoreError> for Refusal {
    fn from(error: SpanStoreError) -> Self {
        match error {
            SpanStoreError::Query(error) => error.into(),
            error @ SpanStoreError::TooLarge(_) => Self::too_large(&error),
            error => spans::refusal(&error).into(),
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}

impl From<&Error> for Refusal {
    fn from(error: &Error) -> Self {
        let status = StatusCode::from_u16(error.kind.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self { status, message: format!("{} ({})", error.message, error.code.code) }
    }
}
