//! Cache validators of documents.

use axum::{body::Body, response::Response};
use baton_types::Timestamp;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

/// Cache validators of a document.
pub struct Validators {
    /// `ETag` value.
    pub tag: String,
    /// Time of the last change.
    pub changed_at: Timestamp,
    /// `max-age` in seconds.
    pub max_age: u32,
}

/// The document, or 304 Not Modified.
pub fn cacheable(headers: &HeaderMap, valid: &Validators, document: impl FnOnce() -> Response) -> Response {
    let mut response = if is_fresh(headers, valid) {
        let mut unchanged = Response::new(Body::empty());
        *unchanged.status_mut() = StatusCode::NOT_MODIFIED;
        unchanged
    } else {
        document()
    };
    let mut set =
        |name: HeaderName, value: Option<HeaderValue>| value.map(|value| response.headers_mut().insert(name, value));
    set(header::ETAG, HeaderValue::from_str(&valid.tag).ok());
    set(header::CACHE_CONTROL, HeaderValue::from_str(&format!("public, max-age={}", valid.max_age)).ok());
    set(header::LAST_MODIFIED, http_date(valid.changed_at));
    response
}

fn is_fresh(headers: &HeaderMap, valid: &Validators) -> bool {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    if let Some(known) = text(header::IF_NONE_MATCH) {
        // Weak comparison.
        let (mut known, tag) = (known.split(',').map(str::trim), valid.tag.trim_start_matches("W/"));
        return known.any(|one| one == "*" || one.trim_start_matches("W/") == tag);
    }
    let since = text(header::IF_MODIFIED_SINCE).and_then(|date| jiff::fmt::rfc2822::parse(date).ok());
    since.is_some_and(|since| since.timestamp().as_second() >= valid.changed_at.as_millis().div_euclid(1000))
}

fn http_date(at: Timestamp) -> Option<HeaderValue> {
    let moment = jiff::Timestamp::from_millisecond(at.as_millis()).ok()?;
    let printer = jiff::fmt::rfc2822::DateTimePrinter::new();
    HeaderValue::from_str(&printer.timestamp_to_rfc9110_string(&moment).ok()?).ok()
}
