//! Trace queries over Tempo's HTTP API: search, metrics, and traces by id.

mod metrics;
mod otlp;
mod search;
mod trace;

pub use metrics::{MetricsReply, MetricsRequest, SeriesHit};
pub(crate) use otlp::export_request;
pub(crate) use search::{CANONICAL, WARNINGS, decoded_header};
pub use search::{SearchReply, SearchRequest, SpanHit, SpansetHit, TraceHit};
pub use trace::TraceReply;
pub(crate) use trace::spans_of;

use crate::{
    Client, ClientError, ServerRefusal,
    call::{read_body, response_error},
    error_codes,
};
use baton_types::ErrorCode;
use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode, header};
use http_body_util::Full;

/// Prefix of Tempo's error for an invalid query.
const INVALID_QUERY_PREFIX: &str = "invalid TraceQL query: ";

impl Client {
    /// Gets a document of Tempo's API with its headers; errors of this API are plain text.
    async fn tempo(&self, path: &str) -> Result<(HeaderMap, Bytes), ClientError> {
        let request = Request::get(path).header(header::ACCEPT, "application/json").body(Full::new(Bytes::new()));
        let request =
            request.map_err(|error| ClientError::Address { address: path.to_owned(), reason: error.to_string() })?;
        self.with_timeout_limit(async {
            let response = self.exchange(request).await?;
            let (head, body) = response.into_parts();
            let bytes = read_body(body).await?;
            match head.status.is_success() {
                true => Ok((head.headers, bytes)),
                false => Err(tempo_error(head.status, &bytes)),
            }
        })
        .await
    }
}

/// Parses an error of Tempo's API: its text, with the error code at its end or the one for its status.
fn tempo_error(status: StatusCode, bytes: &[u8]) -> ClientError {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) if !text.trim().is_empty() && !text.trim_start().starts_with('{') => text.trim(),
        _ => return response_error(status, bytes),
    };
    let (message, named) = split_error_code(text);
    let code = named.or(match status {
        StatusCode::BAD_REQUEST if text.starts_with(INVALID_QUERY_PREFIX) => Some(ErrorCode::TRACEQL_INVALID.code),
        StatusCode::BAD_REQUEST => Some(ErrorCode::INVALID_REQUEST.code),
        StatusCode::NOT_FOUND => Some(error_codes::TRACE_NOT_FOUND.code),
        StatusCode::NOT_IMPLEMENTED => Some(error_codes::NOT_OFFERED.code),
        _ => None,
    });
    let Some(code) = code else { return response_error(status, bytes) };
    ServerRefusal {
        status: status.as_u16(),
        code: -i32::from(status.as_u16()),
        message: message.trim_start_matches(INVALID_QUERY_PREFIX).chars().take(2000).collect(),
        baton_code: Some(code.to_owned()),
        hint: error_codes::find(code).map(|known| known.hint.to_owned()),
        reason: None,
        violations: Vec::new(),
    }
    .into()
}

/// Splits `message (BTN-1234)` into the message and the code.
fn split_error_code(text: &str) -> (&str, Option<&str>) {
    let parts = text.strip_suffix(')').and_then(|text| text.rsplit_once(" ("));
    match parts {
        Some((message, code)) if is_error_code(code) => (message, Some(code)),
        _ => (text, None),
    }
}

fn is_error_code(text: &str) -> bool {
    let digits = text.strip_prefix("BTN-").unwrap_or_default();
    digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit())
}
