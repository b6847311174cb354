//! The part of Tempo's API that Grafana and agents use, below `/tempo`.
//!
//! Bodies are exactly as Tempo's; what it would not say is in headers: the query as it was understood, and warnings.

mod accept;
mod ask;
mod headers;
mod info;
mod metrics;
mod moments;
mod old_search;
mod params;
mod refusal;
mod search;
mod tag_values;
mod tags;
mod trace;

use crate::app::Shared;
use axum::{Router, routing::get};
pub(crate) use headers::explain;
pub(crate) use moments::moment;
use std::sync::Arc;

/// Adds the paths.
pub(crate) fn mount(router: Router<Arc<Shared>>) -> Router<Arc<Shared>> {
    router
        .route("/tempo/api/echo", get(info::echo))
        .route("/tempo/ready", get(info::ready))
        .route("/tempo/api/status/buildinfo", get(info::build))
        .route("/tempo/api/search", get(search::search))
        .route("/tempo/api/search/tags", get(tags::first))
        .route("/tempo/api/v2/search/tags", get(tags::second))
        .route("/tempo/api/search/tag/{tag}/values", get(tag_values::first))
        .route("/tempo/api/v2/search/tag/{tag}/values", get(tag_values::second))
        .route("/tempo/api/traces/{trace}", get(trace::first))
        .route("/tempo/api/v2/traces/{trace}", get(trace::second))
        .route("/tempo/api/metrics/query_range", get(metrics::range))
        .route("/tempo/api/metrics/query", get(metrics::instant))
}
