//! Extractor for a single path parameter.

use crate::reply;
use axum::{
    extract::{FromRequestParts, Path},
    response::Response,
};
use baton_api::{ApiError, ApiErrorKind};
use baton_types::ErrorCode;
use http::request::Parts;

/// Name of an agent, task or handoff in a path. An invalid name is rejected with the usual error body.
pub struct PathName(pub String);

impl<S: Send + Sync> FromRequestParts<S> for PathName {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        let read = Path::<String>::from_request_parts(parts, state).await;
        read.map(|Path(name)| Self(name)).map_err(|error| reply::error(&invalid_path(&error.body_text())))
    }
}

/// Error for a path with invalid parameters.
pub fn invalid_path(reason: &str) -> ApiError {
    ApiError::new(ApiErrorKind::PageNotFound, ErrorCode::INVALID_REQUEST, format!("the path cannot be read: {reason}"))
}
