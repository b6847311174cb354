//! `GET /metrics`: metrics in the Prometheus text formats.

mod format;
mod ports;
mod show;
mod text;

use crate::routes::{RouteAccess, Routes};
pub use ports::MeterPorts;

/// Path of the metrics endpoint.
pub(crate) const PATH: &str = "/metrics";

/// Adds the route.
pub(crate) fn mount(routes: Routes) -> Routes {
    routes.get(PATH, RouteAccess::Metrics, show::show)
}
