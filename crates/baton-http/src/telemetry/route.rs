//! What a request is called when no protocol has a name for it.

use super::RequestSpan;
use axum::{
    extract::{MatchedPath, Request},
    middleware::Next,
    response::Response,
};
use baton_telemetry::names;
use http::{Extensions, Method};

/// What a method that nobody knows is called.
pub(super) const OTHER: &str = "_OTHER";

/// The method, of those that are known.
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
    /// Notes the route that a request took, whatever it stands for.
    pub(crate) fn routed(&self, extensions: &Extensions) {
        if let Some(route) = self.is_on().then(|| extensions.get::<MatchedPath>()).flatten() {
            self.say(|span| span.set(names::HTTP_ROUTE, route.as_str().to_owned()));
        }
    }

    /// Notes the route that a request took, and names the span after it.
    pub(crate) fn named_by_route(&self, asked: &Method, extensions: &Extensions) {
        if let Some(route) = self.is_on().then(|| extensions.get::<MatchedPath>()).flatten() {
            self.say(|span| span.rename(format!("{} {}", method(asked), route.as_str())));
            self.routed(extensions);
        }
    }
}

/// Stands before routes that no protocol names.
pub(crate) async fn note_route(request: Request, next: Next) -> Response {
    let span = RequestSpan::of(request.extensions(), request.headers());
    span.named_by_route(request.method(), request.extensions());
    next.run(request).await
}
