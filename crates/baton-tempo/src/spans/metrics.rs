//! `GET /api/metrics/query_range` and `GET /api/metrics/query`.

use super::TempoSpans;
use crate::{
    client::{Accept, QueryDeadline},
    failure::TempoError,
    join::{Function, SeriesMerger},
    pieces::{MetricsPiece, interval_length, split_metrics},
    read::{self, SeriesReplyKind},
    rewrite::ExpandedQuery,
};
use baton_span_ports::{MetricsResult, SpanMetricsRequest};
use futures_util::{StreamExt as _, stream};

/// Maximum number of concurrent requests per query.
const MAX_CONCURRENT_REQUESTS: usize = 2;

/// Runs a metrics query in pieces of at most one day.
pub(super) async fn metrics(tempo: &TempoSpans, ask: &SpanMetricsRequest) -> Result<MetricsResult, TempoError> {
    let deadline = tempo.line.deadline();
    let query = ExpandedQuery::new(&ask.query, ask.aliases).query.to_string();
    let (pieces, is_complete) = split_metrics(&ask.steps, Function::from_query(&ask.query));
    let requests = pieces.into_iter().map(|piece| {
        let query = query.as_str();
        async move { (piece, fetch_series(tempo, query, piece, ask.exemplars, deadline).await) }
    });
    let mut results = stream::iter(requests).buffer_unordered(MAX_CONCURRENT_REQUESTS);
    let mut joining = SeriesMerger::new(ask);
    if !is_complete {
        joining.mark_partial();
    }
    let (mut answered, mut failed) = (false, None);
    while let Some((piece, measured)) = results.next().await {
        match measured {
            Ok(measured) => {
                answered = true;
                joining.add(&piece, measured).map_err(TempoError::Query)?;
            }
            Err(refused @ (TempoError::QueryRejected(_) | TempoError::Query(_))) => return Err(refused),
            Err(failure) => failed = Some(failure),
        }
    }
    match failed {
        Some(failure) if !answered => Err(failure),
        Some(failure) => {
            tracing::warn!(tempo = %tempo.line.endpoint, %failure, "some intervals are missing");
            joining.mark_partial();
            Ok(joining.finish())
        }
        None => Ok(joining.finish()),
    }
}

async fn fetch_series(
    tempo: &TempoSpans,
    query: &str,
    piece: MetricsPiece,
    exemplars: usize,
    deadline: QueryDeadline,
) -> Result<MetricsResult, TempoError> {
    let steps = piece.steps();
    let end = steps.end_of(steps.count().saturating_sub(1));
    let mut pairs = vec![("q", query.to_owned()), ("start", steps.start().to_string()), ("end", end.to_string())];
    let (path, form) = match piece {
        MetricsPiece::Part { .. } => ("/api/metrics/query", SeriesReplyKind::Instant),
        MetricsPiece::Intervals { .. } => {
            pairs.push(("step", format_duration(interval_length(&steps))));
            pairs.push(("exemplars", exemplars.to_string()));
            ("/api/metrics/query_range", SeriesReplyKind::Range)
        }
    };
    let body = tempo.line.get(path, &pairs, Accept::Json, deadline).await?;
    read::decode_blocking(move || read::series(&body, steps, form)).await
}

/// Formats a duration in the largest unit without loss of precision.
fn format_duration(nanoseconds: u64) -> String {
    let units = [("s", 1_000_000_000), ("ms", 1_000_000)];
    match units.iter().find(|(_, unit)| nanoseconds.is_multiple_of(*unit)) {
        Some((name, unit)) => format!("{}{name}", nanoseconds / unit),
        None => format!("{nanoseconds}ns"),
    }
}
