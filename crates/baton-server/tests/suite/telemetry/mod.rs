//! Spans and log lines of requests.

mod a2a;
mod collector;
mod logs;
mod mcp;
mod requests;
mod secrets;

use crate::world::{configured, engine, options};
use axum::Router;
use baton_server::app;
use collector::SpanCollector;
use std::sync::Arc;

/// Trace context of the caller.
const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// An app with one agent, and the collector of its spans.
fn traced() -> (Router, Arc<SpanCollector>) {
    let spans = Arc::new(SpanCollector::default());
    let options = configured(options(), |options| {
        options.http.tracer = spans.tracer();
    });
    (app(engine(&["weather"]), options), spans)
}
