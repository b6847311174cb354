//! Metrics of both stores: the hot window from the local store, older intervals from the Tempo.

use super::{
    TeeSpans,
    plan::{Plan, Seam},
};
use crate::{
    join::{Function, Joining},
    now,
    pieces::Piece,
};
use baton_ports::{MetricsResult, SpanMetricsRequest, SpanStore, SpanStoreError};

const SECOND: u64 = 1_000_000_000;

/// Measures with both stores. If the Tempo fails, the local store answers the whole range and the result is partial.
pub(super) async fn metrics(tee: &TeeSpans, ask: SpanMetricsRequest) -> Result<MetricsResult, SpanStoreError> {
    let plan = plan(tee, &ask).await;
    if plan.there.is_empty() {
        return tee.local.metrics(ask).await;
    }
    let (here, there) =
        tokio::join!(measure(&*tee.local, &ask, &plan.here), tee.there(measure(&*tee.tempo, &ask, &plan.there)));
    let mut joining = Joining::new(&ask);
    let missing = match (here, there) {
        (Err(error @ SpanStoreError::Query(_)), _) | (Err(error), Err(_)) => return Err(error),
        (Ok(_), Err(_)) => {
            let mut all = tee.local.metrics(ask).await?;
            all.partial = true;
            return Ok(all);
        }
        (here, there) => {
            let missing = here.is_err() || plan.doubtful;
            for (piece, measured) in here.into_iter().chain(there).flatten() {
                joining.add(&piece, measured)?;
            }
            missing
        }
    };
    if missing {
        joining.miss();
    }
    Ok(joining.finish())
}

async fn plan(tee: &TeeSpans, ask: &SpanMetricsRequest) -> Plan {
    let now = now(&*tee.clock);
    let hot = u64::try_from(tee.options.hot.as_nanos()).unwrap_or(u64::MAX);
    let function = Function::of(&ask.query);
    let kept = if function == Function::Other { tee.local.stats().await.ok() } else { None };
    let oldest_here = kept.map(|stats| stats.oldest).filter(|oldest| *oldest > 0);
    let at = now.saturating_sub(hot) / SECOND * SECOND;
    Plan::new(&ask.steps, function, &Seam { at, now, oldest_here })
}

async fn measure(
    store: &dyn SpanStore,
    ask: &SpanMetricsRequest,
    pieces: &[Piece],
) -> Result<Vec<(Piece, MetricsResult)>, SpanStoreError> {
    let mut measured = Vec::with_capacity(pieces.len());
    for piece in pieces {
        measured.push((*piece, store.metrics(SpanMetricsRequest { steps: piece.steps(), ..ask.clone() }).await?));
    }
    Ok(measured)
}
