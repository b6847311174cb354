//! `GET /metrics`: what the meters show, in the text that Prometheus and its like read.

mod format;
mod ports;
mod show;
mod text;

use crate::routes::{RouteAccess, Routes};
pub use ports::MeterPorts;

/// Where the meters are read.
pub(crate) const PATH: &str = "/metrics";

/// Adds the path.
pub(crate) fn mount(routes: Routes) -> Routes {
    routes.get(PATH, RouteAccess::Metrics, show::show)
}
