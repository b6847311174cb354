//! Headers of every request (gRPC metadata).

use crate::{A2aDialect, CallError, RequestMetadata};
use baton_wire::a2a::v1::PROTOCOL_VERSION;
use http::{HeaderMap, HeaderName, HeaderValue, header};

const VERSION: HeaderName = HeaderName::from_static("a2a-version");
const EXTENSIONS: HeaderName = HeaderName::from_static("a2a-extensions");
const OLD_EXTENSIONS: HeaderName = HeaderName::from_static("x-a2a-extensions");
const TRACE: HeaderName = HeaderName::from_static("traceparent");
const IDEMPOTENCY: HeaderName = HeaderName::from_static("idempotency-key");
const DEPTH: HeaderName = HeaderName::from_static("baton-handoff-depth");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const USER_AGENT: HeaderValue = HeaderValue::from_static(concat!("baton/", env!("CARGO_PKG_VERSION")));

/// Headers for the request metadata, in the dialect of the peer.
pub(super) fn build_headers(with: &RequestMetadata, dialect: A2aDialect) -> Result<HeaderMap, CallError> {
    let mut headers = HeaderMap::new();
    headers.insert(header::USER_AGENT, USER_AGENT);
    if dialect == A2aDialect::V1 {
        headers.insert(VERSION, HeaderValue::from_static(PROTOCOL_VERSION));
    }
    if !with.extensions.is_empty() {
        let extensions = value("extensions", &with.extensions.join(", "))?;
        if dialect == A2aDialect::V03 {
            headers.insert(OLD_EXTENSIONS, extensions.clone());
        }
        headers.insert(EXTENSIONS, extensions);
    }
    // An invalid trace context loses the trace, not the request.
    if let Some(trace) = with.trace.as_deref().and_then(|trace| HeaderValue::from_str(trace).ok()) {
        headers.insert(TRACE, trace);
    }
    if let Some(key) = &with.idempotency_key {
        headers.insert(IDEMPOTENCY, value("idempotency key", key)?);
    }
    if with.depth > 0 {
        headers.insert(DEPTH, HeaderValue::from(with.depth));
    }
    if let Some(event) = &with.last_event {
        headers.insert(LAST_EVENT, value("last event", event)?);
    }
    Ok(headers)
}

fn value(label: &str, text: &str) -> Result<HeaderValue, CallError> {
    HeaderValue::from_str(text)
        .map_err(|_| CallError::Forbidden(format!("the {label} is not a valid header value: {text:?}")))
}
