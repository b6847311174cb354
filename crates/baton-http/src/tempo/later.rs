//! What comes later: series over time.

use super::{ask, refusal::Refusal};
use crate::{app::Shared, auth::Caller};
use axum::{extract::State, response::Response};
use std::sync::Arc;

/// `GET /tempo/api/metrics/query_range` and `GET /tempo/api/metrics/query`.
pub(super) async fn metrics(State(shared): State<Arc<Shared>>, caller: Caller) -> Response {
    const MESSAGE: &str = "TraceQL metrics are not supported yet; search for the spans with /api/search and count them";
    match ask::store(&shared, &caller) {
        Ok(_) => Refusal::wrong(MESSAGE).response(),
        Err(refusal) => refusal.response(),
    }
}
