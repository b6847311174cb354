//! Probes and build information for Tempo clients.

use super::{ask, refusal::Refusal};
use crate::{app::Shared, auth::Caller, reply};
use axum::{
    extract::State,
    response::{IntoResponse as _, Response},
};
use serde::Serialize;
use std::sync::Arc;

/// Emulated Tempo version; clients select API features by it.
const TEMPO: &str = "3.0.3";

/// `GET /tempo/api/echo`: Grafana's data source test.
pub(super) async fn echo(State(shared): State<Arc<Shared>>, caller: Caller) -> Response {
    said(&shared, &caller, "echo")
}

/// `GET /tempo/ready`.
pub(super) async fn ready(State(shared): State<Arc<Shared>>, caller: Caller) -> Response {
    said(&shared, &caller, "ready")
}

fn said(shared: &Shared, caller: &Caller, word: &'static str) -> Response {
    ask::offered(shared, caller).map_or_else(Refusal::response, |_| word.into_response())
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BuildInfo {
    version: &'static str,
    revision: &'static str,
    branch: &'static str,
    build_user: &'static str,
    build_date: &'static str,
    go_version: &'static str,
}

/// `GET /tempo/api/status/buildinfo`.
pub(super) async fn build(State(shared): State<Arc<Shared>>, caller: Caller) -> Response {
    let info = BuildInfo {
        version: TEMPO,
        revision: concat!("baton-", env!("CARGO_PKG_VERSION")),
        branch: "",
        build_user: "",
        build_date: "",
        go_version: "",
    };
    ask::offered(&shared, &caller).map_or_else(Refusal::response, |_| reply::json(&info))
}
