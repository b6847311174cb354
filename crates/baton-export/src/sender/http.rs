//! OTLP over HTTP.

use super::{
    ExportOutcome,
    answer::{Advice, MAX_EXCERPT_LEN, from_outbound_error, from_response},
    connection::{TargetClient, TargetConnection},
};
use crate::{Compression, Route, request_body};
use ::http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use baton_otlp::Encoding;
use baton_outbound::SecretRedactor;
use bytes::Bytes;
use jiff::fmt::rfc2822;
use std::time::Duration;

/// User agent.
pub(super) const USER_AGENT: &str = concat!("baton/", env!("CARGO_PKG_VERSION"));
/// Asks receivers that would discard a signal to reject it instead, so that it is no longer sent.
pub(super) const STRICT_HANDLING: &str = "handling=strict";
/// Maximum size of a response; valid responses have a few bytes.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

pub(super) async fn send(line: &TargetConnection, route: &Route, shown: &SecretRedactor, body: Bytes) -> ExportOutcome {
    let TargetClient::Http(client) = &line.client else {
        return ExportOutcome::Misconfigured("the connection is not HTTP".to_owned());
    };
    let encoding = request_body::encoding(route.protocol);
    let mut request = Request::post(line.uri.clone()).body(body).unwrap_or_default();
    let headers = request.headers_mut();
    *headers = route.headers.clone();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(encoding.media_type()));
    headers.insert(header::USER_AGENT, HeaderValue::from_static(USER_AGENT));
    headers.insert("prefer", HeaderValue::from_static(STRICT_HANDLING));
    if route.compression == Compression::Gzip {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    let reply = match client.send_bounded(request, MAX_RESPONSE_BYTES).await {
        Ok(reply) => reply,
        Err(error) => return from_outbound_error(&error, shown),
    };
    if reply.status.is_success() {
        let content_type = reply.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        return from_response(&reply.body, content_type.and_then(Encoding::from_media_type).unwrap_or(encoding), shown);
    }
    from_http_status(reply.status, &reply.headers, &shown.excerpt(&reply.body, MAX_EXCERPT_LEN))
}

/// Outcome of an error status.
pub(super) fn from_http_status(status: StatusCode, headers: &HeaderMap, excerpt: &str) -> ExportOutcome {
    let reason = if excerpt.is_empty() { status.to_string() } else { format!("{status}: {excerpt}") };
    match status.as_u16() {
        408 | 429 | 502..=504 => ExportOutcome::RetryLater { after: retry_after(headers), reason },
        413 => ExportOutcome::TooLarge(reason),
        401 | 403 | 407 => ExportOutcome::Misconfigured(format!("{reason}; {}", Advice::Credentials)),
        300..=399 | 404 | 405 | 415 | 501 => ExportOutcome::Misconfigured(format!("{reason}; {}", Advice::Address)),
        400..=499 => ExportOutcome::Rejected(reason),
        _ => ExportOutcome::ServerError(reason),
    }
}

/// `Retry-After` in seconds, or as a date relative to the `Date` header.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let now = rfc2822::parse(headers.get(header::DATE)?.to_str().ok()?).ok()?;
    let then = rfc2822::parse(text).ok()?;
    Duration::try_from(then.timestamp().duration_since(now.timestamp())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_parsed() {
        let date = "Wed, 21 Oct 2026 07:28:00 GMT";
        for (said, expect) in [
            ("3", Some(3)),
            ("Wed, 21 Oct 2026 07:28:30 GMT", Some(30)),
            ("Wed, 21 Oct 2026 07:27:00 GMT", None),
            ("x", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::DATE, HeaderValue::from_static(date));
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static(said));
            assert_eq!(retry_after(&headers), expect.map(Duration::from_secs), "{said}");
        }
    }
}
