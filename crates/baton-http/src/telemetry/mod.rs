//! One span for each request, from its arrival to the end of its response.
//!
//! The layer starts the span and adds it to the request's extensions. A2A and MCP name it after their methods, other
//! routes after their path. Client data (bodies, queries, header values) is never recorded.

mod layer;
mod request_span;
mod route;
mod stream;
mod untraced;

pub(crate) use layer::RequestTraceLayer;
pub use request_span::RequestSpan;
pub(crate) use route::note_route;
