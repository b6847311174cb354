//! `GET /api/search`.

use super::TempoSpans;
use crate::{
    client::Accept, failure::TempoError, join::TraceMatchSet, now, pieces::split_search, read, rewrite::ExpandedQuery,
};
use baton_span_ports::{TraceMatch, TraceSearchRequest, TraceSearchResult};

/// Maximum number of spans per spanset in a Tempo response.
const MAX_SPANS_PER_SPANSET: usize = 100;

/// Searches in windows of one week, newest first, until the limit is reached.
pub(super) async fn search(tempo: &TempoSpans, ask: &TraceSearchRequest) -> Result<TraceSearchResult, TempoError> {
    let mut answer = TraceSearchResult::default();
    if ask.limit == 0 {
        return Ok(answer);
    }
    let deadline = tempo.line.deadline();
    let widened = ExpandedQuery::new(&ask.query, ask.aliases).with_recency_hint();
    let query = widened.query.to_string();
    let stretches = split_search(ask.range, now(&*tempo.clock), tempo.history);
    let mut traces = TraceMatchSet::default();
    let mut looked_at_all = stretches.complete;
    for (number, (start, end)) in stretches.windows.into_iter().enumerate() {
        if traces.len() >= ask.limit {
            // Older traces would exceed the limit.
            looked_at_all = true;
            break;
        }
        let pairs = [
            ("q", query.clone()),
            ("start", start.to_string()),
            ("end", end.to_string()),
            ("limit", ask.limit.to_string()),
            ("spss", ask.spans_per_spanset.clamp(1, MAX_SPANS_PER_SPANSET).to_string()),
        ];
        let found = tempo.line.get("/api/search", &pairs, Accept::Json, deadline).await;
        let found = match found {
            Ok(body) => read::decode_blocking(move || read::search(&body)).await,
            Err(failure) => Err(failure),
        };
        let found = match found {
            Ok(found) => found,
            Err(failure) if number == 0 => return Err(failure),
            Err(failure) => {
                tracing::warn!(tempo = %tempo.line.endpoint, %failure, "older traces are missing");
                looked_at_all = false;
                break;
            }
        };
        answer.inspected_traces += found.inspected_traces;
        answer.inspected_bytes += found.inspected_bytes;
        answer.partial |= found.partial;
        let touches = |found: &TraceMatch| {
            // The duration was rounded down to a millisecond.
            let end = found.start.saturating_add(found.duration).saturating_add(1_000_000);
            ask.range.overlaps(found.start, end)
        };
        for found in found.traces.into_iter().filter(touches) {
            traces.add(adapt_match(found, &widened, ask.spans_per_spanset));
        }
    }
    answer.partial |= !looked_at_all;
    answer.traces = traces.newest(ask.limit);
    Ok(answer)
}

/// Renames aliases back to the keys of the query and truncates spansets.
fn adapt_match(mut found: TraceMatch, widened: &ExpandedQuery, max_spans: usize) -> TraceMatch {
    for set in &mut found.spansets {
        set.spans.truncate(max_spans);
        for span in &mut set.spans {
            span.attributes = widened.restore_keys(std::mem::take(&mut span.attributes));
        }
    }
    found
}
