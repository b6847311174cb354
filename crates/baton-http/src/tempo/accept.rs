//! In which encoding a client wants its answer.

use axum::{body::Body, response::Response};
use baton_otlp::{Encoding, tempo};
use http::{HeaderMap, HeaderValue, header};
use prost::Message;
use serde::Serialize;

/// Protobuf for those who name it, JSON for everybody else.
pub(super) fn wanted(headers: &HeaderMap) -> Encoding {
    let names = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut named = names.split(',').filter_map(Encoding::of_media_type);
    named.next().unwrap_or(Encoding::Json)
}

/// A message as the client wants it.
pub(super) fn reply(message: &(impl Message + Serialize), encoding: Encoding) -> Response {
    body(tempo::write(message, encoding), encoding)
}

/// The reply with a body of that encoding.
pub(super) fn body(bytes: Vec<u8>, encoding: Encoding) -> Response {
    let mut response = Response::new(Body::from(bytes));
    let media_type = match encoding {
        Encoding::Protobuf => "application/protobuf",
        Encoding::Json => "application/json",
    };
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}
