//! Decodes Tempo responses from JSON and protobuf into the values of the port.
//!
//! 64-bit numbers may be text or numbers, zero values may be absent, and unknown members are ignored.

mod number;
mod search;
mod series;
mod tags;
mod trace;
mod value;

pub(crate) use search::search;
pub(crate) use series::{SeriesReplyKind, series};
pub(crate) use tags::{tag_values, tags};
pub(crate) use trace::{deduplicate_spans, trace_v1, trace_v2};

use crate::failure::TempoError;
use serde::de::DeserializeOwned;

/// Decodes a response, which may be several megabytes, on a blocking thread.
pub(crate) async fn decode_blocking<T: Send + 'static>(
    read: impl FnOnce() -> Result<T, TempoError> + Send + 'static,
) -> Result<T, TempoError> {
    let read = tokio::task::spawn_blocking(read).await;
    read.unwrap_or_else(|error| Err(TempoError::Malformed(format!("it could not be read: {error}"))))
}

/// Errors contain only the position: the text around it is arbitrary and of any length.
fn parse_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, TempoError> {
    serde_json::from_slice(body).map_err(|error| {
        let problem = if error.is_data() { "unexpected value" } else { "invalid JSON" };
        TempoError::Malformed(format!("{problem} at line {} column {}", error.line(), error.column()))
    })
}

/// A list that may be `null`.
fn list<T>(list: Option<Vec<T>>) -> Vec<T> {
    list.unwrap_or_default()
}
