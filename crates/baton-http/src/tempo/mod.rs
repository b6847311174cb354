//! The part of Tempo's API that Grafana and agents use, below `/tempo`.
//!
//! Bodies have exactly Tempo's format. Additional data is in headers: the query as parsed, and warnings.

mod accept;
mod headers;
mod info;
mod legacy_search;
mod messages;
mod metrics;
mod params;
mod query_target;
mod refusal;
mod search;
mod tag_values;
mod tags;
mod time_params;
mod trace;

use crate::routes::{RouteAccess, Routes};
use axum::response::Response;
use baton_wire::a2a::v1::Error;
pub(crate) use headers::explain;
use refusal::TempoRejection;
pub(crate) use time_params::parse_time;

/// Error response for a request that was rejected before it reached this module.
pub(crate) fn error_response(error: &Error) -> Response {
    TempoRejection::from(error).response()
}

/// Adds the routes.
pub(crate) fn mount(routes: Routes) -> Routes {
    routes
        .get("/tempo/api/echo", RouteAccess::TelemetryRead, info::echo)
        .get("/tempo/ready", RouteAccess::TelemetryRead, info::ready)
        .get("/tempo/api/status/buildinfo", RouteAccess::TelemetryRead, info::build)
        .get("/tempo/api/search", RouteAccess::TelemetryRead, search::search)
        .get("/tempo/api/search/tags", RouteAccess::TelemetryRead, tags::show_v1)
        .get("/tempo/api/v2/search/tags", RouteAccess::TelemetryRead, tags::show_v2)
        .get("/tempo/api/search/tag/{tag}/values", RouteAccess::TelemetryRead, tag_values::show_v1)
        .get("/tempo/api/v2/search/tag/{tag}/values", RouteAccess::TelemetryRead, tag_values::show_v2)
        .get("/tempo/api/traces/{trace}", RouteAccess::TelemetryRead, trace::show_v1)
        .get("/tempo/api/v2/traces/{trace}", RouteAccess::TelemetryRead, trace::show_v2)
        .get("/tempo/api/metrics/query_range", RouteAccess::TelemetryRead, metrics::range)
        .get("/tempo/api/metrics/query", RouteAccess::TelemetryRead, metrics::instant)
}
