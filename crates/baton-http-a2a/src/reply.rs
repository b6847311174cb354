//! Replies and errors of A2A in each binding.

use crate::error::from_api;
use axum::response::Response;
use baton_http::reply::with_status;
pub(crate) use baton_http::reply::{error, json, json_bytes};
use baton_types::ErrorCode;
use baton_wire::{
    a2a::{
        v1::{Error, ErrorKind, RestError},
        v03::rest,
    },
    jsonrpc,
};
use http::{HeaderMap, HeaderValue, header};
use serde::Serialize;
use serde_json::value::RawValue;

/// Rejects a body with a content type other than JSON.
pub(crate) fn check_json(headers: &HeaderMap) -> Result<(), Error> {
    baton_http::reply::check_json(headers).map_err(from_api)
}

/// The body as text, if it is UTF-8 and not nested too deeply.
pub(crate) fn parse_text(bytes: &[u8]) -> Result<&str, Error> {
    baton_http::reply::parse_text(bytes).map_err(from_api)
}

/// The body as text, if it is UTF-8.
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str, Error> {
    baton_http::reply::utf8(bytes).map_err(from_api)
}

/// Media type of responses outside JSON-RPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonMediaType {
    /// `application/json`, the default.
    Json,
    /// `application/a2a+json`, preferred by A2A 1.0; only for clients that name it.
    A2aJson,
}

const A2A_JSON: &str = "application/a2a+json";

impl JsonMediaType {
    /// Media type from the `Accept` and `Content-Type` headers.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Self {
        let header_names = [header::ACCEPT, header::CONTENT_TYPE];
        let names = |name| headers.get(name).and_then(|value| value.to_str().ok()).is_some_and(names_a2a_json);
        if header_names.into_iter().any(names) { Self::A2aJson } else { Self::Json }
    }

    fn value(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Json => "application/json",
            Self::A2aJson => A2A_JSON,
        })
    }
}

fn names_a2a_json(value: &str) -> bool {
    value.split(',').any(|one| essence(one).eq_ignore_ascii_case(A2A_JSON))
}

fn essence(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or_default().trim()
}

/// A 200 response with a value as JSON in the given media type.
pub(crate) fn json_as(value: &impl Serialize, media: JsonMediaType) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => with_media(json_bytes(bytes), media),
        Err(error) => rest_error_as(&Error::new(ErrorKind::Internal, ErrorCode::INTERNAL, error.to_string()), media),
    }
}

fn with_media(mut response: Response, media: JsonMediaType) -> Response {
    response.headers_mut().insert(header::CONTENT_TYPE, media.value());
    response
}

/// An error inside a JSON-RPC envelope.
pub(crate) fn rpc_error(id: Option<&RawValue>, error: &Error) -> Response {
    let mut bytes = Vec::with_capacity(512);
    jsonrpc::write_error(&mut bytes, id, error);
    rpc_bytes(bytes, error)
}

/// An encoded error in a JSON-RPC envelope.
pub(crate) fn rpc_bytes(bytes: Vec<u8>, error: &Error) -> Response {
    with_status(json_bytes(bytes), error.kind.rpc_http_status())
}

/// An error outside JSON-RPC in the given media type.
pub(crate) fn rest_error_as(error: &Error, media: JsonMediaType) -> Response {
    let bytes = serde_json::to_vec(&RestError::from(error)).unwrap_or_else(|_| b"{}".to_vec());
    with_status(with_media(json_bytes(bytes), media), error.kind.http_status())
}

/// An error outside JSON-RPC in the 0.3 format.
pub(crate) fn old_rest_error(error: &Error) -> Response {
    with_status(json(&rest::error_body(error)), rest::http_status(error.kind))
}
