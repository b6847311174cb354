//! Metrics of both stores: the hot window from the local store, older intervals from the Tempo.

use super::{
    TeeSpans,
    plan::{MetricsSplitPlan, SplitPoint},
};
use crate::{
    join::{Function, SeriesMerger},
    now,
    pieces::MetricsPiece,
};
use baton_span_ports::{MetricsResult, SpanMetricsRequest, SpanStore, SpanStoreError};

const SECOND: u64 = 1_000_000_000;

/// Measures with both stores. If the Tempo fails, the local store answers the whole range and the result is partial.
pub(super) async fn metrics(tee: &TeeSpans, ask: SpanMetricsRequest) -> Result<MetricsResult, SpanStoreError> {
    let plan = plan(tee, &ask).await;
    if plan.remote.is_empty() {
        return tee.local.metrics(ask).await;
    }
    let (here, there) = tokio::join!(
        measure(&*tee.local, &ask, &plan.local),
        tee.query_tempo(measure(&*tee.tempo, &ask, &plan.remote))
    );
    let mut joining = SeriesMerger::new(&ask);
    let missing = match (here, there) {
        (Err(error @ SpanStoreError::Query(_)), _) | (Err(error), Err(_)) => return Err(error),
        (Ok(_), Err(_)) => {
            let mut all = tee.local.metrics(ask).await?;
            all.partial = true;
            return Ok(all);
        }
        (here, there) => {
            let missing = here.is_err() || plan.may_miss_recent;
            for (piece, measured) in here.into_iter().chain(there).flatten() {
                joining.add(&piece, measured)?;
            }
            missing
        }
    };
    if missing {
        joining.mark_partial();
    }
    Ok(joining.finish())
}

async fn plan(tee: &TeeSpans, ask: &SpanMetricsRequest) -> MetricsSplitPlan {
    let now = now(&*tee.clock);
    let hot = u64::try_from(tee.options.hot.as_nanos()).unwrap_or(u64::MAX);
    let function = Function::from_query(&ask.query);
    let local_stats = if function == Function::Other { tee.local.stats().await.ok() } else { None };
    let oldest_here = local_stats.map(|stats| stats.oldest).filter(|oldest| *oldest > 0);
    let at = now.saturating_sub(hot) / SECOND * SECOND;
    MetricsSplitPlan::new(&ask.steps, function, &SplitPoint { at, now, oldest_local: oldest_here })
}

async fn measure(
    store: &dyn SpanStore,
    ask: &SpanMetricsRequest,
    pieces: &[MetricsPiece],
) -> Result<Vec<(MetricsPiece, MetricsResult)>, SpanStoreError> {
    let mut measured = Vec::with_capacity(pieces.len());
    for piece in pieces {
        measured.push((*piece, store.metrics(SpanMetricsRequest { steps: piece.steps(), ..ask.clone() }).await?));
    }
    Ok(measured)
}
