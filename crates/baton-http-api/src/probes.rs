//! Liveness and readiness probes.

use crate::{ApiState, resources::HEALTH};
use axum::{extract::State, response::Response};
use baton_api::Health;
use baton_http::{RouteAccess, Routes, reply};
use http::StatusCode;
use std::sync::Arc;

/// Adds the routes.
pub(crate) fn mount(routes: Routes<Arc<ApiState>>) -> Routes<Arc<ApiState>> {
    let open = RouteAccess::Open;
    routes
        .operation(HEALTH.get("/healthz", open, "getHealth", "Whether the server answers").reply::<Health>(), healthy)
        .operation(
            HEALTH
                .get("/readyz", open, "getReadiness", "Whether the server accepts work")
                .reply::<Health>()
                .reply_status::<Health>(503),
            ready,
        )
}

fn health(status: &str) -> Response {
    reply::json(&Health { status: status.to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() })
}

/// `GET /healthz`.
pub(crate) async fn healthy() -> Response {
    health("ok")
}

/// `GET /readyz`.
async fn ready(State(shared): State<Arc<ApiState>>) -> Response {
    if shared.engine.ready() {
        return health("ok");
    }
    let mut response = health("not ready");
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response
}
