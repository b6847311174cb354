//! `GET /api/v2/traces/{id}`, with fallback to `GET /api/traces/{id}` for an older Tempo.

use super::TempoSpans;
use crate::{client::Accept, failure::TempoError, read};
use baton_types::{Span, TraceId};

/// Number of retries when fetching a single trace.
const MAX_TRACE_RETRIES: u32 = 1;

/// All spans of a trace; empty if the trace is unknown.
pub(super) async fn trace(tempo: &TempoSpans, id: TraceId) -> Result<Vec<Span>, TempoError> {
    let deadline = tempo.line.deadline().with_retries(MAX_TRACE_RETRIES);
    match tempo.line.get(&format!("/api/v2/traces/{id}"), &[], Accept::Protobuf, deadline).await {
        Ok(body) => {
            let trace = read::decode_blocking(move || read::trace_v2(&body)).await?;
            if trace.partial {
                tracing::warn!(tempo = %tempo.line.endpoint, %id, "the trace is incomplete in Tempo");
            }
            return Ok(trace.spans);
        }
        Err(TempoError::NotFound) => {}
        Err(failure) => return Err(failure),
    }
    match tempo.line.get(&format!("/api/traces/{id}"), &[], Accept::Protobuf, deadline).await {
        Ok(body) => read::decode_blocking(move || read::trace_v1(&body)).await,
        Err(TempoError::NotFound) => Ok(Vec::new()),
        Err(failure) => Err(failure),
    }
}
