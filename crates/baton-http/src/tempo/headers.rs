//! What an answer says beyond what Tempo says: in headers, because strict readers refuse it in bodies.

use axum::response::Response;
use http::HeaderValue;

/// The query as it was understood.
const CANONICAL: &str = "x-baton-canonical-query";

/// What was read differently than it was written, or left aside.
const WARNINGS: &str = "x-baton-warnings";

/// Longest header; clients give up on larger ones.
const LONGEST: usize = 8 * 1024;

/// Adds them. A query that is too long to be repeated is left out.
pub(crate) fn explain(response: &mut Response, canonical: &str, warnings: &[String]) {
    let mut set = |name, text: String| {
        if text.len() <= LONGEST
            && let Ok(value) = HeaderValue::from_str(&text)
        {
            response.headers_mut().insert(name, value);
        }
    };
    set(CANONICAL, encoded(canonical));
    if !warnings.is_empty() {
        let warnings = encoded(&warnings.join("; "));
        set(WARNINGS, warnings.chars().take(LONGEST).collect());
    }
}

/// Percent signs, and what no header can carry, are percent-encoded.
fn encoded(text: &str) -> String {
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
