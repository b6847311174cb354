//! Negotiation of the response encoding.

use axum::{body::Body, response::Response};
use baton_otlp::{Encoding, tempo};
use http::{HeaderMap, HeaderValue, header};
use prost::Message;
use serde::Serialize;

/// Protobuf if the client accepts it, otherwise JSON.
pub(super) fn response_encoding(headers: &HeaderMap) -> Encoding {
    let names = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut named = names.split(',').filter_map(Encoding::from_media_type);
    named.next().unwrap_or(Encoding::Json)
}

/// Response with a message in the given encoding.
pub(super) fn reply(message: &(impl Message + Serialize), encoding: Encoding) -> Response {
    body(tempo::write(message, encoding), encoding)
}

/// Response with an encoded body.
pub(super) fn body(bytes: Vec<u8>, encoding: Encoding) -> Response {
    let mut response = Response::new(Body::from(bytes));
    let media_type = match encoding {
        Encoding::Protobuf => "application/protobuf",
        Encoding::Json => "application/json",
    };
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}
