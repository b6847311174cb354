//! The spans that requests leave behind.

mod a2a;
mod collected;
mod logs;
mod mcp;
mod requests;
mod secrets;

use crate::world::{engine, options};
use axum::Router;
use baton_http::{HttpOptions, app};
use collected::Collected;
use std::sync::Arc;

/// The span that a caller is in.
const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// The surface of one agent, and the spans of what it is asked.
fn traced() -> (Router, Arc<Collected>) {
    let spans = Arc::new(Collected::default());
    let options = HttpOptions { tracer: spans.tracer(), ..options() };
    (app(engine(&["weather"]), options), spans)
}
