//! `GET /api/v2/traces/{id}`, with fallback to `GET /api/traces/{id}` for an older Tempo.

use super::TempoSpans;
use crate::{failure::Failure, line::Accept, read};
use baton_types::{Span, TraceId};

/// Number of retries when fetching a single trace.
const RETRIES: u32 = 1;

/// All spans of a trace; empty if the trace is unknown.
pub(super) async fn trace(tempo: &TempoSpans, id: TraceId) -> Result<Vec<Span>, Failure> {
    let patience = tempo.line.patience().with_retries(RETRIES);
    match tempo.line.get(&format!("/api/v2/traces/{id}"), &[], Accept::Protobuf, patience).await {
        Ok(body) => {
            let trace = read::off_thread(move || read::enveloped(&body)).await?;
            if trace.partial {
                tracing::warn!(tempo = %tempo.line.whose, %id, "the trace is incomplete in Tempo");
            }
            return Ok(trace.spans);
        }
        Err(Failure::Missing) => {}
        Err(failure) => return Err(failure),
    }
    match tempo.line.get(&format!("/api/traces/{id}"), &[], Accept::Protobuf, patience).await {
        Ok(body) => read::off_thread(move || read::trace(&body)).await,
        Err(Failure::Missing) => Ok(Vec::new()),
        Err(failure) => Err(failure),
    }
}
