//! CORS response headers.

use super::CorsOrigins;
use http::{HeaderName, Method, header};
use std::time::Duration;
use tower_http::cors::{AllowOrigin, CorsLayer};

/// `Access-Control-Max-Age` of preflight responses.
const PREFLIGHT_MAX_AGE: Duration = Duration::from_secs(600);

const METHODS: [Method; 7] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];

/// Request headers that pages may send. Those from `openai-organization` on are sent by OpenAI's JavaScript SDK.
const ALLOWED_HEADERS: [HeaderName; 37] = [
    header::AUTHORIZATION,
    header::CONTENT_TYPE,
    header::CONTENT_ENCODING,
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
    HeaderName::from_static("baton-tool-items"),
    HeaderName::from_static("if-match"),
    HeaderName::from_static("if-none-match"),
    header::USER_AGENT,
    HeaderName::from_static("openai-organization"),
    HeaderName::from_static("openai-project"),
    HeaderName::from_static("openai-beta"),
    HeaderName::from_static("x-stainless-arch"),
    HeaderName::from_static("x-stainless-async"),
    HeaderName::from_static("x-stainless-custom-poll-interval"),
    HeaderName::from_static("x-stainless-helper"),
    HeaderName::from_static("x-stainless-helper-method"),
    HeaderName::from_static("x-stainless-lang"),
    HeaderName::from_static("x-stainless-os"),
    HeaderName::from_static("x-stainless-package-version"),
    HeaderName::from_static("x-stainless-poll-helper"),
    HeaderName::from_static("x-stainless-read-timeout"),
    HeaderName::from_static("x-stainless-retry-count"),
    HeaderName::from_static("x-stainless-runtime"),
    HeaderName::from_static("x-stainless-runtime-version"),
    HeaderName::from_static("x-stainless-timeout"),
    HeaderName::from_static("x-client-request-id"),
];

const EXPOSED_HEADERS: [HeaderName; 9] = [
    HeaderName::from_static("a2a-extensions"),
    HeaderName::from_static("mcp-session-id"),
    header::RETRY_AFTER,
    header::WWW_AUTHENTICATE,
    header::ETAG,
    HeaderName::from_static("retry-after-ms"),
    HeaderName::from_static("x-request-id"),
    HeaderName::from_static("x-should-retry"),
    HeaderName::from_static("baton-response-id"),
];

/// Answers preflight requests and sets CORS headers; `None` if no other origin is allowed.
///
/// Credentials that browsers attach automatically are never allowed: a page needs a token.
pub(crate) fn layer(origins: &CorsOrigins) -> Option<CorsLayer> {
    let allowed = match origins {
        CorsOrigins::Listed(listed) if listed.is_empty() => return None,
        CorsOrigins::Listed(listed) => AllowOrigin::list(listed.iter().cloned()),
        CorsOrigins::All => AllowOrigin::any(),
    };
    let layer = CorsLayer::new()
        .allow_origin(allowed)
        .allow_methods(METHODS)
        .allow_headers(ALLOWED_HEADERS)
        .expose_headers(EXPOSED_HEADERS)
        .max_age(PREFLIGHT_MAX_AGE)
        .vary([header::ORIGIN]);
    Some(layer)
}
