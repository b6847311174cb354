//! `GET /metrics`: metrics in the Prometheus text formats.

mod format;
mod ports;
mod show;
mod text;

use crate::state::TelemetryState;
use baton_http::{RouteAccess, Routes};
pub use ports::MeterPorts;
use std::sync::Arc;

/// Path of the metrics endpoint.
pub(crate) const PATH: &str = "/metrics";

/// Adds the route.
pub(crate) fn mount(routes: Routes<Arc<TelemetryState>>) -> Routes<Arc<TelemetryState>> {
    routes.get(PATH, RouteAccess::Metrics, show::show)
}
