//! All spans of a trace from both stores.

use super::TeeSpans;
use crate::read::deduplicate_spans;
use baton_span_ports::SpanStoreError;
use baton_types::{Span, TraceId};

/// Deduplicated spans of both stores. If the trace is unknown locally and the Tempo fails, the result is an error,
/// since the trace may exist.
pub(super) async fn trace(tee: &TeeSpans, id: TraceId) -> Result<Vec<Span>, SpanStoreError> {
    let (here, there) = tokio::join!(tee.local.trace(id), tee.query_tempo(tee.tempo.trace(id)));
    match (here, there) {
        (Ok(here), Ok(there)) if there.is_empty() => Ok(here),
        (Ok(here), Ok(there)) => Ok(deduplicate_spans(here.into_iter().chain(there))),
        (Ok(here), Err(error)) => {
            if here.is_empty() {
                Err(error)
            } else {
                Ok(here)
            }
        }
        (Err(too_large @ SpanStoreError::TooLarge(_)), _) => Err(too_large),
        (Err(_), Ok(there)) if !there.is_empty() => Ok(there),
        (Err(error), _) => Err(error),
    }
}
