//! `GET /metrics`: what the meters show, in the text that Prometheus and its like read.

mod format;
mod ports;
mod show;
mod text;

use crate::app::Shared;
use axum::{Router, routing::get};
pub use ports::MeterPorts;
use std::sync::Arc;

/// Where the meters are read.
pub(crate) const PATH: &str = "/metrics";

/// Adds the path.
pub(crate) fn mount(router: Router<Arc<Shared>>) -> Router<Arc<Shared>> {
    router.route(PATH, get(show::show))
}
