//! Liveness and readiness probes.

use crate::{app::HttpState, reply};
use axum::{extract::State, response::Response};
use baton_api::Health;
use http::StatusCode;
use std::sync::Arc;

fn health(status: &str) -> Response {
    reply::json(&Health { status: status.to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() })
}

/// `GET /healthz`.
pub(crate) async fn healthy() -> Response {
    health("ok")
}

/// `GET /readyz`.
pub(crate) async fn ready(State(shared): State<Arc<HttpState>>) -> Response {
    if shared.engine.ready() {
        return health("ok");
    }
    let mut response = health("not ready");
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response
}
