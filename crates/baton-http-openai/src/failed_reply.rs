//! Reply to a request whose run failed.

use super::error::error_reply;
use axum::response::Response as Reply;
use baton_responses::{ResponseProjector, RunFailure};
use http::{HeaderName, HeaderValue, header};
use std::time::Duration;

/// Header that states whether clients may retry automatically.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// Retry delay in milliseconds, which OpenAI clients read first.
const RETRY_AFTER_MS: HeaderName = HeaderName::from_static("retry-after-ms");

/// Id of the failed response, for retrieving it.
const RESPONSE_ID: HeaderName = HeaderName::from_static("baton-response-id");

/// Error reply of a failed turn; `None` if it did not fail.
pub(super) fn failed_reply(projector: &ResponseProjector) -> Option<Reply> {
    let RunFailure { error: refusal, retry_after, is_retryable: is_passing } = projector.failure()?;
    let mut reply = error_reply(refusal);
    let headers = reply.headers_mut();
    // A retry would repeat side effects, so the caller must decide.
    if projector.has_run_tools() || !is_passing {
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
