//! Extractor for a single path parameter.

use crate::reply;
use axum::{
    extract::{FromRequestParts, Path},
    response::Response,
};
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};
use http::request::Parts;

/// Name of an agent, task or handoff in a path. An invalid name is rejected with the usual error body.
pub(crate) struct PathName(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for PathName {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        let read = Path::<String>::from_request_parts(parts, state).await;
        read.map(|Path(name)| Self(name)).map_err(|error| reply::rest_error(&invalid_path(&error.body_text())))
    }
}

/// Error for a path with invalid parameters.
pub(crate) fn invalid_path(reason: &str) -> Error {
    Error::new(ErrorKind::PageNotFound, ErrorCode::INVALID_REQUEST, format!("the path cannot be read: {reason}"))
}
