//! Span names of requests without a protocol method.

use super::RequestSpan;
use axum::{
    extract::{MatchedPath, Request},
    middleware::Next,
    response::Response,
};
use baton_telemetry::names;
use http::{Extensions, Method};

/// Span name of an unknown HTTP method.
pub(super) const OTHER: &str = "_OTHER";

/// Name of a known HTTP method.
pub(super) fn method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        Method::PATCH => "PATCH",
        Method::CONNECT => "CONNECT",
        Method::TRACE => "TRACE",
        _ => OTHER,
    }
}

impl RequestSpan {
    /// Records the matched route.
    pub fn record_route(&self, extensions: &Extensions) {
        if let Some(route) = self.is_on().then(|| extensions.get::<MatchedPath>()).flatten() {
            self.edit(|span| span.set(names::HTTP_ROUTE, route.as_str().to_owned()));
        }
    }

    /// Records the matched route and names the span after it.
    pub fn record_route_name(&self, http_method: &Method, extensions: &Extensions) {
        if let Some(route) = self.is_on().then(|| extensions.get::<MatchedPath>()).flatten() {
            self.edit(|span| span.rename(format!("{} {}", method(http_method), route.as_str())));
            self.record_route(extensions);
        }
    }
}

/// Middleware for routes that no protocol names.
pub(crate) async fn note_route(request: Request, next: Next) -> Response {
    let span = RequestSpan::from_request(request.extensions(), request.headers());
    span.record_route_name(request.method(), request.extensions());
    next.run(request).await
}
