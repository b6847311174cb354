//! Trace search in both stores.

use super::{
    TeeSpans,
    tell::{services, tell},
};
use crate::{
    join::{Traces, covers, joined, shows_all_of},
    now,
    read::once,
};
use baton_ports::{SpanStoreError, TraceMatch, TraceSearchRequest, TraceSearchResult};
use baton_traceql::{Aliases, Prepared};
use baton_types::{Span, TraceId};
use futures_util::{StreamExt as _, stream};
use std::{cmp::Reverse, collections::HashMap, sync::Arc, time::Duration};
use tokio::time::Instant;

/// Maximum number of traces per search whose spans are fetched from both stores.
const MOST_JOINED: usize = 32;

/// Maximum number of Tempo results per search that are looked up in the local store.
const MOST_LOOKED_UP: usize = 512;

/// Maximum number of traces resolved concurrently.
const AT_ONCE: usize = 4;

/// Timeout of the evaluation of one trace.
const LONGEST: Duration = Duration::from_secs(2);

/// Searches both stores. For a trace found in both, the local result is used if the local store has all of its spans;
/// otherwise the spans of both are merged and the query is evaluated on them.
pub(super) async fn search(tee: &TeeSpans, ask: TraceSearchRequest) -> Result<TraceSearchResult, SpanStoreError> {
    if ask.limit == 0 {
        return tee.local.search(ask).await;
    }
    let until = Instant::now() + tee.options.patience;
    let (here, there) = tokio::join!(tee.local.search(ask.clone()), tee.there(tee.tempo.search(ask.clone())));
    match (here, there) {
        (Err(error @ SpanStoreError::Query(_)), _) | (Err(error), Err(_)) => Err(error),
        (Ok(found), Err(_)) | (Err(_), Ok(found)) => Ok(TraceSearchResult { partial: true, ..found }),
        (Ok(here), Ok(there)) => both(tee, &ask, (here, there), until).await,
    }
}

/// How a found trace gets into the result.
enum Choice {
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

impl Choice {
    fn found(&self) -> &TraceMatch {
        match self {
            Self::Take(found) | Self::LookUp(found) | Self::Join { otherwise: found } => found,
        }
    }
}

async fn both(
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
    let joiner = Joiner { tee, ask, until, query: Arc::new(Prepared::new(&ask.query, aliases)?) };
    let choices = choices(tee, here.traces, there.traces);
    answer.partial |= choices.given_up;
    let settled = choices.each.into_iter().map(|choice| joiner.settle(choice));
    let mut settled = stream::iter(settled).buffered(AT_ONCE);
    let mut traces = Traces::default();
    while let Some(Settled { found, partial }) = settled.next().await {
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

struct Choices {
    /// Sorted newest first.
    each: Vec<Choice>,
    /// Whether the limits of lookups or merges were exceeded.
    given_up: bool,
}

fn choices(tee: &TeeSpans, here: Vec<TraceMatch>, there: Vec<TraceMatch>) -> Choices {
    let hot = u64::try_from(tee.options.hot.as_nanos()).unwrap_or(u64::MAX);
    let seam = now(&*tee.clock).saturating_sub(hot);
    let mut known: HashMap<TraceId, TraceMatch> = here.into_iter().map(|found| (found.id, found)).collect();
    let mut each = Vec::with_capacity(known.len() + there.len());
    for found in there {
        each.push(match known.remove(&found.id) {
            None => Choice::LookUp(found),
            Some(own) if is_whole(&own, &found, seam) => Choice::Take(own),
            Some(own) => Choice::Join { otherwise: joined(own, found) },
        });
    }
    each.extend(known.into_values().map(Choice::Take));
    each.sort_by_key(|choice| (Reverse(choice.found().start), choice.found().id));
    let (mut joins, mut lookups, mut given_up) = (0, 0, false);
    for choice in &mut each {
        let (count, most) = match choice {
            Choice::Take(_) => continue,
            Choice::LookUp(_) => (&mut lookups, MOST_LOOKED_UP),
            Choice::Join { .. } => (&mut joins, MOST_JOINED),
        };
        *count += 1;
        if *count > most {
            given_up = true;
            *choice = Choice::Take(choice.found().clone());
        }
    }
    Choices { each, given_up }
}

/// Whether the local store has all spans of the trace that the Tempo has.
fn is_whole(own: &TraceMatch, found: &TraceMatch, seam: u64) -> bool {
    // An old Tempo reports no services; then the local result wins within the hot window.
    let known = if found.services.is_empty() { own.start >= seam } else { covers(&own.services, &found.services) };
    known && shows_all_of(own, found)
}

struct Settled {
    found: Option<TraceMatch>,
    partial: bool,
}

impl Settled {
    fn as_found(found: TraceMatch) -> Self {
        Self { found: Some(found), partial: false }
    }

    /// A match that may be incomplete.
    fn in_part(found: TraceMatch) -> Self {
        Self { found: Some(found), partial: true }
    }
}

struct Joiner<'a> {
    tee: &'a TeeSpans,
    ask: &'a TraceSearchRequest,
    /// Deadline; traces not resolved by then are used as found.
    until: Instant,
    query: Arc<Prepared>,
}

impl Joiner<'_> {
    async fn settle(&self, choice: Choice) -> Settled {
        let (found, spans) = match choice {
            Choice::Take(found) => return Settled::as_found(found),
            Choice::LookUp(found) => match self.tee.local.trace(found.id).await {
                Ok(spans) if spans.is_empty() => return Settled::as_found(found),
                Ok(spans) if covers(&found.services, &services(&spans)) => return Settled::as_found(found),
                Ok(spans) => (found, spans),
                Err(_) => return Settled::in_part(found),
            },
            Choice::Join { otherwise } => match self.tee.local.trace(otherwise.id).await {
                Ok(spans) => (otherwise, spans),
                Err(_) => return Settled::in_part(otherwise),
            },
        };
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Settled::in_part(found);
        }
        match self.tee.there_within(left, self.tee.tempo.trace(found.id)).await {
            Ok(more) => self.ask_again(found, once(spans.into_iter().chain(more))).await,
            Err(_) => Settled::in_part(found),
        }
    }

    /// Evaluates the query on the merged trace.
    async fn ask_again(&self, found: TraceMatch, spans: Vec<Span>) -> Settled {
        if !spans.iter().any(|span| self.ask.range.overlaps(span.start, span.end.max(span.start))) {
            return Settled { found: None, partial: false };
        }
        let (query, id, most) = (Arc::clone(&self.query), found.id, self.ask.spans_per_spanset);
        let until = self.until.min(Instant::now() + LONGEST);
        let told = tokio::task::spawn_blocking(move || tell(&query, id, spans, most, &|| Instant::now() >= until));
        match told.await {
            Ok(Ok(found)) => Settled { found, partial: false },
            Ok(Err(_)) | Err(_) => Settled::in_part(found),
        }
    }
}
