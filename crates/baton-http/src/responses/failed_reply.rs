//! The reply to a request whose run failed.

use super::refused::reply_to;
use axum::response::Response as Reply;
use baton_responses::{Projector, RunFailure};
use http::{HeaderName, HeaderValue, header};
use std::time::Duration;

/// Tells clients whether the same request may be sent again by itself.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// The wait before another request in milliseconds, which OpenAI's clients read first.
const RETRY_AFTER_MS: HeaderName = HeaderName::from_static("retry-after-ms");

/// Where a response that failed can be looked at.
const RESPONSE_ID: HeaderName = HeaderName::from_static("baton-response-id");

/// The error that a turn ended with, as a reply; none when it did not fail.
pub(super) fn failed_reply(projector: &Projector) -> Option<Reply> {
    let RunFailure { refusal, retry_after, is_passing } = projector.failure()?;
    let mut reply = reply_to(refusal);
    let headers = reply.headers_mut();
    // Another try would do again what was done: whether that is wanted is for the caller to say.
    if projector.has_acted() || !is_passing {
        headers.insert(SHOULD_RETRY, HeaderValue::from_static("false"));
        headers.remove(header::RETRY_AFTER);
    }
    if let Some(wait) = retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(whole_seconds(*wait)));
        headers.insert(RETRY_AFTER_MS, HeaderValue::from(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)));
    }
    if let Ok(id) = HeaderValue::from_str(&projector.response().id) {
        headers.insert(RESPONSE_ID, id);
    }
    Some(reply)
}

fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}
