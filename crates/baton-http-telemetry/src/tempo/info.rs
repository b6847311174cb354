//! Probes and build information for Tempo clients.

use super::{query_target, refusal::TempoRejection};
use crate::state::TelemetryState;
use axum::{
    extract::State,
    response::{IntoResponse as _, Response},
};
use baton_http::{Caller, reply};
use serde::Serialize;
use std::sync::Arc;

/// Emulated Tempo version; clients select API features by it.
const TEMPO_VERSION: &str = "3.0.3";

/// `GET /tempo/api/echo`: Grafana's data source test.
pub(super) async fn echo(State(shared): State<Arc<TelemetryState>>, caller: Caller) -> Response {
    text_reply(&shared, &caller, "echo")
}

/// `GET /tempo/ready`.
pub(super) async fn ready(State(shared): State<Arc<TelemetryState>>, caller: Caller) -> Response {
    text_reply(&shared, &caller, "ready")
}

fn text_reply(shared: &TelemetryState, caller: &Caller, text: &'static str) -> Response {
    query_target::local_store(shared, caller).map_or_else(TempoRejection::response, |_| text.into_response())
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
pub(super) async fn build(State(shared): State<Arc<TelemetryState>>, caller: Caller) -> Response {
    let info = BuildInfo {
        version: TEMPO_VERSION,
        revision: concat!("baton-", env!("CARGO_PKG_VERSION")),
        branch: "",
        build_user: "",
        build_date: "",
        go_version: "",
    };
    query_target::local_store(&shared, &caller).map_or_else(TempoRejection::response, |_| reply::json(&info))
}
