//! Asking for traces the way Tempo's clients do: a search, and a trace by its id.

mod otlp;
mod search;
mod trace;

pub(crate) use otlp::exported;
pub use search::{SearchReply, SearchRequest, SpanHit, SpansetHit, TraceHit};
pub use trace::TraceReply;

use crate::{
    Client, ClientError, Refusal,
    call::{read, refused},
};
use baton_types::ErrorCode;
use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode, header};
use http_body_util::Full;

impl Client {
    /// A document of Tempo's API with the head that came with it; refusals there are plain text.
    async fn tempo(&self, path: &str) -> Result<(HeaderMap, Bytes), ClientError> {
        let request = Request::get(path).header(header::ACCEPT, "application/json").body(Full::new(Bytes::new()));
        let request =
            request.map_err(|error| ClientError::Address { address: path.to_owned(), reason: error.to_string() })?;
        self.in_time(async {
            let response = self.exchange(request).await?;
            let (head, body) = response.into_parts();
            let bytes = read(body).await?;
            match head.status.is_success() {
                true => Ok((head.headers, bytes)),
                false => Err(tempo_refused(head.status, &bytes)),
            }
        })
        .await
    }
}

/// What a refusal of Tempo's API means: a query that cannot be run, a trace that is not there, or what any call may
/// hear.
fn tempo_refused(status: StatusCode, bytes: &[u8]) -> ClientError {
    let code = match status {
        StatusCode::BAD_REQUEST => ErrorCode::TRACEQL_INVALID,
        StatusCode::NOT_FOUND => ErrorCode::TRACE_NOT_FOUND,
        _ => return refused(status, bytes),
    };
    let text = match std::str::from_utf8(bytes) {
        Ok(text) if !text.trim().is_empty() && !text.trim_start().starts_with('{') => text.trim(),
        _ => return refused(status, bytes),
    };
    Refusal {
        status: status.as_u16(),
        code: -i32::from(status.as_u16()),
        message: text.chars().take(2000).collect(),
        baton_code: Some(code.code.to_owned()),
        hint: Some(code.hint.to_owned()),
        reason: None,
        violations: Vec::new(),
    }
    .into()
}
