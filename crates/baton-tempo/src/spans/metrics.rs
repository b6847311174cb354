//! `GET /api/metrics/query_range` and `GET /api/metrics/query`.

use super::TempoSpans;
use crate::{
    failure::Failure,
    join::{Function, Joining},
    line::{Accept, Patience},
    pieces::{Piece, length, measured},
    read::{self, Form},
    widen::Widened,
};
use baton_ports::{MetricsResult, SpanMetricsRequest};
use futures_util::{StreamExt as _, stream};

/// Maximum number of concurrent requests per query.
const AT_ONCE: usize = 2;

/// Runs a metrics query in pieces of at most one day.
pub(super) async fn metrics(tempo: &TempoSpans, ask: &SpanMetricsRequest) -> Result<MetricsResult, Failure> {
    let patience = tempo.line.patience();
    let query = Widened::new(&ask.query, ask.aliases).query.to_string();
    let (pieces, whole) = measured(&ask.steps, Function::of(&ask.query));
    let asked = pieces.into_iter().map(|piece| {
        let query = query.as_str();
        async move { (piece, measure(tempo, query, piece, ask.exemplars, patience).await) }
    });
    let mut asked = stream::iter(asked).buffer_unordered(AT_ONCE);
    let mut joining = Joining::new(ask);
    if !whole {
        joining.miss();
    }
    let (mut answered, mut failed) = (false, None);
    while let Some((piece, measured)) = asked.next().await {
        match measured {
            Ok(measured) => {
                answered = true;
                joining.add(&piece, measured).map_err(Failure::Query)?;
            }
            Err(refused @ (Failure::Refused(_) | Failure::Query(_))) => return Err(refused),
            Err(failure) => failed = Some(failure),
        }
    }
    match failed {
        Some(failure) if !answered => Err(failure),
        Some(failure) => {
            tracing::warn!(tempo = %tempo.line.whose, %failure, "some intervals are missing");
            joining.miss();
            Ok(joining.finish())
        }
        None => Ok(joining.finish()),
    }
}

async fn measure(
    tempo: &TempoSpans,
    query: &str,
    piece: Piece,
    exemplars: usize,
    patience: Patience,
) -> Result<MetricsResult, Failure> {
    let steps = piece.steps();
    let end = steps.end_of(steps.count().saturating_sub(1));
    let mut pairs = vec![("q", query.to_owned()), ("start", steps.start().to_string()), ("end", end.to_string())];
    let (path, form) = match piece {
        Piece::Part { .. } => ("/api/metrics/query", Form::Instant),
        Piece::Intervals { .. } => {
            pairs.push(("step", duration(length(&steps))));
            pairs.push(("exemplars", exemplars.to_string()));
            ("/api/metrics/query_range", Form::Range)
        }
    };
    let body = tempo.line.get(path, &pairs, Accept::Json, patience).await?;
    read::off_thread(move || read::series(&body, steps, form)).await
}

/// Formats a duration in the largest unit without loss of precision.
fn duration(nanoseconds: u64) -> String {
    let units = [("s", 1_000_000_000), ("ms", 1_000_000)];
    match units.iter().find(|(_, unit)| nanoseconds.is_multiple_of(*unit)) {
        Some((name, unit)) => format!("{}{name}", nanoseconds / unit),
        None => format!("{nanoseconds}ns"),
    }
}
