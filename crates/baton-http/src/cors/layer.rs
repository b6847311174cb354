//! What browsers are told about pages of other origins.

use super::CorsOrigins;
use http::{HeaderName, Method, header};
use std::time::Duration;
use tower_http::cors::{AllowOrigin, CorsLayer};

/// How long a browser may remember the answer to a preflight request.
const REMEMBERED: Duration = Duration::from_secs(600);

const METHODS: [Method; 4] = [Method::GET, Method::POST, Method::DELETE, Method::OPTIONS];

const SENT: [HeaderName; 14] = [
    header::AUTHORIZATION,
    header::CONTENT_TYPE,
    HeaderName::from_static("a2a-version"),
    HeaderName::from_static("a2a-extensions"),
    HeaderName::from_static("x-a2a-extensions"),
    HeaderName::from_static("last-event-id"),
    HeaderName::from_static("idempotency-key"),
    HeaderName::from_static("traceparent"),
    HeaderName::from_static("tracestate"),
    HeaderName::from_static("baton-current-generation"),
    HeaderName::from_static("mcp-protocol-version"),
    HeaderName::from_static("mcp-session-id"),
    HeaderName::from_static("mcp-method"),
    HeaderName::from_static("mcp-name"),
];

const READ: [HeaderName; 5] = [
    HeaderName::from_static("a2a-extensions"),
    HeaderName::from_static("mcp-session-id"),
    header::RETRY_AFTER,
    header::WWW_AUTHENTICATE,
    header::ETAG,
];

/// Answers preflight requests and marks replies; nothing when no page of another origin may call.
///
/// It never allows credentials that browsers send by themselves: callers show tokens, and a page must have been given one.
pub(crate) fn layer(origins: &CorsOrigins) -> Option<CorsLayer> {
    let allowed = match origins {
        CorsOrigins::Listed(listed) if listed.is_empty() => return None,
        CorsOrigins::Listed(listed) => AllowOrigin::list(listed.iter().cloned()),
        CorsOrigins::All => AllowOrigin::any(),
    };
    let layer = CorsLayer::new()
        .allow_origin(allowed)
        .allow_methods(METHODS)
        .allow_headers(SENT)
        .expose_headers(READ)
        .max_age(REMEMBERED)
        .vary([header::ORIGIN]);
    Some(layer)
}
