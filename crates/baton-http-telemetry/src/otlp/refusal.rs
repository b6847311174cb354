//! Error responses for exporters, with retry hints.

use crate::spans;
use axum::{body::Body, response::Response};
use baton_api::{ApiError, ApiErrorKind};
use baton_http::error_codes;
use baton_otlp::{Encoding, ReadError, RpcStatus};
use baton_span_ports::SpanStoreError;
use baton_types::ErrorCode;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use prost::Message as _;
use std::time::Duration;

/// Retry delay for exporters.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Reason for the rejection of a request.
#[derive(Debug)]
pub(super) enum OtlpRejection {
    /// An error that is not specific to OTLP.
    Common(ApiError),
    /// Not supported; a retry is useless.
    NotOffered(&'static str),
}

impl From<ApiError> for OtlpRejection {
    fn from(error: ApiError) -> Self {
        Self::Common(error)
    }
}

impl From<ReadError> for OtlpRejection {
    fn from(error: ReadError) -> Self {
        let (kind, code) = match error {
            ReadError::Malformed(_) => (ApiErrorKind::InvalidRequest, ErrorCode::INVALID_REQUEST),
            ReadError::TooMany { .. } => (ApiErrorKind::BodyTooLarge, error_codes::BODY_TOO_LARGE),
        };
        ApiError::new(kind, code, error.to_string()).into()
    }
}

impl From<SpanStoreError> for OtlpRejection {
    fn from(error: SpanStoreError) -> Self {
        spans::store_error(&error).into()
    }
}

impl OtlpRejection {
    fn code(&self) -> tonic::Code {
        match self {
            Self::Common(error) => grpc_code(error.kind),
            Self::NotOffered(_) => tonic::Code::Unimplemented,
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Common(error) => format!("{} ({})", error.message, error.code.code),
            Self::NotOffered(message) => (*message).to_owned(),
        }
    }

    fn http_status(&self) -> StatusCode {
        match self {
            Self::Common(error) => {
                StatusCode::from_u16(error.kind.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
            }
            Self::NotOffered(_) => StatusCode::NOT_IMPLEMENTED,
        }
    }

    fn retry(&self) -> Option<Duration> {
        let later = |error: &ApiError| matches!(error.kind, ApiErrorKind::RateLimited | ApiErrorKind::Unavailable);
        matches!(self, Self::Common(error) if later(error)).then_some(RETRY_DELAY)
    }

    fn rpc_status(&self) -> RpcStatus {
        let status = RpcStatus::new(self.code() as i32, self.message());
        match self.retry() {
            Some(delay) => status.retry_after(delay),
            None => status,
        }
    }

    /// The HTTP response.
    pub(super) fn response(&self, encoding: Encoding) -> Response {
        let mut response = Response::new(Body::from(self.rpc_status().write(encoding)));
        *response.status_mut() = self.http_status();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(encoding.media_type()));
        if let Some(delay) = self.retry() {
            headers.insert(header::RETRY_AFTER, delay.as_secs().into());
        }
        response
    }

    /// The gRPC status.
    pub(super) fn grpc(&self) -> tonic::Status {
        tonic::Status::with_details(self.code(), self.message(), self.rpc_status().encode_to_vec().into())
    }
}

/// gRPC status code of an error.
fn grpc_code(kind: ApiErrorKind) -> tonic::Code {
    match kind {
        ApiErrorKind::TaskNotFound | ApiErrorKind::AgentNotFound | ApiErrorKind::PageNotFound => tonic::Code::NotFound,
        ApiErrorKind::TaskNotCancelable | ApiErrorKind::UnsupportedOperation => tonic::Code::FailedPrecondition,
        ApiErrorKind::TaskGenerationMismatch => tonic::Code::Aborted,
        ApiErrorKind::UnsupportedMediaType
        | ApiErrorKind::Parse
        | ApiErrorKind::InvalidRequest
        | ApiErrorKind::InvalidParams
        | ApiErrorKind::BodyTooLarge => tonic::Code::InvalidArgument,
        ApiErrorKind::MethodNotAllowed => tonic::Code::Unimplemented,
        ApiErrorKind::Unauthenticated => tonic::Code::Unauthenticated,
        ApiErrorKind::Forbidden => tonic::Code::PermissionDenied,
        ApiErrorKind::RateLimited => tonic::Code::ResourceExhausted,
        ApiErrorKind::Unavailable => tonic::Code::Unavailable,
        ApiErrorKind::Internal => tonic::Code::Internal,
    }
}

/// Encoding of a request; the response uses the same. Errors for other content types are JSON.
pub(crate) fn encoding_of(headers: &HeaderMap) -> Option<Encoding> {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok())?;
    Encoding::from_media_type(content_type)
}

/// Error response for a request that was rejected before it reached this module.
pub(crate) fn error_response(encoding: Encoding, error: &ApiError) -> Response {
    OtlpRejection::Common(error.clone()).response(encoding)
}
