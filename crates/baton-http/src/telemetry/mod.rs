//! One span for each request: begun when it comes, named by whoever knows what it is, ended with its reply.
//!
//! The layer makes the span and puts it among the request's extensions. A2A and MCP name it after their methods, the
//! other routes after themselves. What callers send (bodies, queries, values of headers) is never on it.

mod layer;
mod quiet;
mod request_span;
mod route;
mod stream;

pub(crate) use layer::TracedLayer;
pub(crate) use request_span::RequestSpan;
pub(crate) use route::note_route;
