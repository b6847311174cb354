//! Additional response data in headers, because strict clients reject unknown members in bodies.

use axum::response::Response;
use http::HeaderValue;

/// Query as parsed.
const CANONICAL: &str = "x-baton-canonical-query";

/// Query parts that were reinterpreted or ignored.
const WARNINGS: &str = "x-baton-warnings";

/// Maximum header size; clients reject larger ones.
const MAX_HEADER_BYTES: usize = 8 * 1024;

/// Adds the headers. A query that is too long is omitted.
pub(crate) fn explain(response: &mut Response, canonical: &str, warnings: &[String]) {
    let mut set = |name, text: String| {
        if text.len() <= MAX_HEADER_BYTES
            && let Ok(value) = HeaderValue::from_str(&text)
        {
            response.headers_mut().insert(name, value);
        }
    };
    set(CANONICAL, percent_encode(canonical));
    if !warnings.is_empty() {
        let warnings = percent_encode(&warnings.join("; "));
        set(WARNINGS, warnings.chars().take(MAX_HEADER_BYTES).collect());
    }
}

/// Percent-encodes percent signs and bytes that a header cannot carry.
fn percent_encode(text: &str) -> String {
    use std::fmt::Write as _;
    text.bytes().fold(String::with_capacity(text.len()), |mut encoded, byte| {
        if matches!(byte, b' '..=b'~') && byte != b'%' {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}
