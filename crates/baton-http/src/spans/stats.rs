//! `GET /api/v1/spans/stats`.

use super::{entry::moment, readable_store, store_error};
use crate::{app::HttpState, auth::Caller, reply};
use axum::{extract::State, response::Response};
use baton_api::SpanStatsEntry;
use std::sync::Arc;

/// Span count, disk usage and retention.
pub(super) async fn show(State(shared): State<Arc<HttpState>>, caller: Caller) -> Response {
    let shown = async {
        let stats = readable_store(&shared, &caller)?.stats().await.map_err(|error| store_error(&error))?;
        Ok(SpanStatsEntry {
            spans: stats.spans,
            head_spans: stats.head_spans,
            blocks: stats.blocks,
            bytes: stats.bytes,
            oldest: (stats.oldest > 0).then(|| moment(stats.oldest)),
            newest: (stats.newest > 0).then(|| moment(stats.newest)),
            max_age_seconds: stats.max_age.map(|age| age.as_secs()),
            max_bytes: stats.max_bytes,
            complete_since: (stats.complete_since > 0).then(|| moment(stats.complete_since)),
            dropped: stats.dropped,
        })
    };
    match shown.await {
        Ok(entry) => reply::json(&entry),
        Err(error) => reply::rest_error(&error),
    }
}
