//! Spans and log lines of requests.

mod a2a;
mod collector;
mod logs;
mod mcp;
mod requests;
mod secrets;

use crate::world::{engine, options};
use axum::Router;
use baton_http::{HttpOptions, app};
use collector::SpanCollector;
use std::sync::Arc;

/// Trace context of the caller.
const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// An app with one agent, and the collector of its spans.
fn traced() -> (Router, Arc<SpanCollector>) {
    let spans = Arc::new(SpanCollector::default());
    let options = HttpOptions { tracer: spans.tracer(), ..options() };
    (app(engine(&["weather"]), options), spans)
}
