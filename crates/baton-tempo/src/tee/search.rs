//! Trace search in both stores.

use super::{
    TeeSpans,
    evaluate::{evaluate_trace, service_stats},
};
use crate::{
    join::{TraceMatchSet, covers, merge_matches, shows_all_spans},
    now,
    read::deduplicate_spans,
};
use baton_span_ports::{SpanStoreError, TraceMatch, TraceSearchRequest, TraceSearchResult};
use baton_traceql::{Aliases, SearchPlan};
use baton_types::{Span, TraceId};
use futures_util::{StreamExt as _, stream};
use std::{cmp::Reverse, collections::HashMap, sync::Arc, time::Duration};
use tokio::time::Instant;

/// Maximum number of traces per search whose spans are fetched from both stores.
const MAX_MERGED_TRACES: usize = 32;

/// Maximum number of Tempo results per search that are looked up in the local store.
const MAX_LOCAL_LOOKUPS: usize = 512;

/// Maximum number of traces resolved concurrently.
const MAX_CONCURRENT_TRACES: usize = 4;

/// Timeout of the evaluation of one trace.
const TRACE_EVALUATION_TIMEOUT: Duration = Duration::from_secs(2);

/// Searches both stores. For a trace found in both, the local result is used if the local store has all of its spans;
/// otherwise the spans of both are merged and the query is evaluated on them.
pub(super) async fn search(tee: &TeeSpans, ask: TraceSearchRequest) -> Result<TraceSearchResult, SpanStoreError> {
    if ask.limit == 0 {
        return tee.local.search(ask).await;
    }
    let until = Instant::now() + tee.options.timeout;
    let (here, there) = tokio::join!(tee.local.search(ask.clone()), tee.query_tempo(tee.tempo.search(ask.clone())));
    match (here, there) {
        (Err(error @ SpanStoreError::Query(_)), _) | (Err(error), Err(_)) => Err(error),
        (Ok(found), Err(_)) | (Err(_), Ok(found)) => Ok(TraceSearchResult { partial: true, ..found }),
        (Ok(here), Ok(there)) => merge_results(tee, &ask, (here, there), until).await,
    }
}

/// How a found trace gets into the result.
enum MergeAction {
    /// The match is used as found.
    Take(TraceMatch),
    /// The local search did not match the trace, but the local store may have some of its spans.
    LookUp(TraceMatch),
    /// Each store has spans that the other lacks.
    Join {
        /// Fallback if the spans cannot be fetched.
        otherwise: TraceMatch,
    },
}

impl MergeAction {
    fn found(&self) -> &TraceMatch {
        match self {
            Self::Take(found) | Self::LookUp(found) | Self::Join { otherwise: found } => found,
        }
    }
}

async fn merge_results(
    tee: &TeeSpans,
    ask: &TraceSearchRequest,
    (here, there): (TraceSearchResult, TraceSearchResult),
    until: Instant,
) -> Result<TraceSearchResult, SpanStoreError> {
    let mut answer = TraceSearchResult {
        traces: Vec::new(),
        inspected_traces: here.inspected_traces + there.inspected_traces,
        inspected_bytes: here.inspected_bytes + there.inspected_bytes,
        partial: here.partial || there.partial,
    };
    let aliases = if ask.aliases { Aliases(baton_telemetry::ALIASES) } else { Aliases::NONE };
    let joiner = TraceMerger { tee, ask, until, query: Arc::new(SearchPlan::new(&ask.query, aliases)?) };
    let choices = plan_actions(tee, here.traces, there.traces);
    answer.partial |= choices.limit_exceeded;
    let settled = choices.each.into_iter().map(|choice| joiner.resolve(choice));
    let mut settled = stream::iter(settled).buffered(MAX_CONCURRENT_TRACES);
    let mut traces = TraceMatchSet::default();
    while let Some(MergeOutcome { found, partial }) = settled.next().await {
        answer.partial |= partial;
        if let Some(found) = found {
            traces.add(found);
        }
        if traces.len() >= ask.limit {
            break;
        }
    }
    answer.traces = traces.newest(ask.limit);
    Ok(answer)
}

struct MergeActions {
    /// Sorted newest first.
    each: Vec<MergeAction>,
    /// Whether the limits of lookups or merges were exceeded.
    limit_exceeded: bool,
}

fn plan_actions(tee: &TeeSpans, here: Vec<TraceMatch>, there: Vec<TraceMatch>) -> MergeActions {
    let hot = u64::try_from(tee.options.hot.as_nanos()).unwrap_or(u64::MAX);
    let split_time = now(&*tee.clock).saturating_sub(hot);
    let mut known: HashMap<TraceId, TraceMatch> = here.into_iter().map(|found| (found.id, found)).collect();
    let mut each = Vec::with_capacity(known.len() + there.len());
    for found in there {
        each.push(match known.remove(&found.id) {
            None => MergeAction::LookUp(found),
            Some(own) if is_complete(&own, &found, split_time) => MergeAction::Take(own),
            Some(own) => MergeAction::Join { otherwise: merge_matches(own, found) },
        });
    }
    each.extend(known.into_values().map(MergeAction::Take));
    each.sort_by_key(|choice| (Reverse(choice.found().start), choice.found().id));
    let (mut joins, mut lookups, mut given_up) = (0, 0, false);
    for choice in &mut each {
        let (count, limit) = match choice {
            MergeAction::Take(_) => continue,
            MergeAction::LookUp(_) => (&mut lookups, MAX_LOCAL_LOOKUPS),
            MergeAction::Join { .. } => (&mut joins, MAX_MERGED_TRACES),
        };
        *count += 1;
        if *count > limit {
            given_up = true;
            *choice = MergeAction::Take(choice.found().clone());
        }
    }
    MergeActions { each, limit_exceeded: given_up }
}

/// Whether the local store has all spans of the trace that the Tempo has.
fn is_complete(own: &TraceMatch, found: &TraceMatch, split_time: u64) -> bool {
    // An old Tempo reports no services; then the local result wins within the hot window.
    let known =
        if found.services.is_empty() { own.start >= split_time } else { covers(&own.services, &found.services) };
    known && shows_all_spans(own, found)
}

struct MergeOutcome {
    found: Option<TraceMatch>,
    partial: bool,
}

impl MergeOutcome {
    fn complete(found: TraceMatch) -> Self {
        Self { found: Some(found), partial: false }
    }

    /// A match that may be incomplete.
    fn partial(found: TraceMatch) -> Self {
        Self { found: Some(found), partial: true }
    }
}

struct TraceMerger<'a> {
    tee: &'a TeeSpans,
    ask: &'a TraceSearchRequest,
    /// Deadline; traces not resolved by then are used as found.
    until: Instant,
    query: Arc<SearchPlan>,
}

impl TraceMerger<'_> {
    async fn resolve(&self, choice: MergeAction) -> MergeOutcome {
        let (found, spans) = match choice {
            MergeAction::Take(found) => return MergeOutcome::complete(found),
            MergeAction::LookUp(found) => match self.tee.local.trace(found.id).await {
                Ok(spans) if spans.is_empty() => return MergeOutcome::complete(found),
                Ok(spans) if covers(&found.services, &service_stats(&spans)) => return MergeOutcome::complete(found),
                Ok(spans) => (found, spans),
                Err(_) => return MergeOutcome::partial(found),
            },
            MergeAction::Join { otherwise } => match self.tee.local.trace(otherwise.id).await {
                Ok(spans) => (otherwise, spans),
                Err(_) => return MergeOutcome::partial(otherwise),
            },
        };
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return MergeOutcome::partial(found);
        }
        match self.tee.query_tempo_within(left, self.tee.tempo.trace(found.id)).await {
            Ok(more) => self.evaluate_merged(found, deduplicate_spans(spans.into_iter().chain(more))).await,
            Err(_) => MergeOutcome::partial(found),
        }
    }

    /// Evaluates the query on the merged trace.
    async fn evaluate_merged(&self, found: TraceMatch, spans: Vec<Span>) -> MergeOutcome {
        if !spans.iter().any(|span| self.ask.range.overlaps(span.start, span.end.max(span.start))) {
            return MergeOutcome { found: None, partial: false };
        }
        let (query, id, max_spans) = (Arc::clone(&self.query), found.id, self.ask.spans_per_spanset);
        let until = self.until.min(Instant::now() + TRACE_EVALUATION_TIMEOUT);
        let evaluation = tokio::task::spawn_blocking(move || {
            evaluate_trace(&query, id, spans, max_spans, &|| Instant::now() >= until)
        });
        match evaluation.await {
            Ok(Ok(found)) => MergeOutcome { found, partial: false },
            Ok(Err(_)) | Err(_) => MergeOutcome::partial(found),
        }
    }
}
