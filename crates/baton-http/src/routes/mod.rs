//! Operation table: every route is mounted with its required access.
//!
//! [`Routes`] is the only way to mount a handler. Access that is known before the body is read is checked here, before
//! the handler is called. Access that depends on the agent of a task, or on a method in the body, is checked by the
//! operation. [`crate::surface`] returns the table.

mod access;
mod check;

pub use access::{RouteAccess, RouteAgentSource};

use crate::{HttpContext, auth::guard_card, telemetry::note_route};
use axum::{
    Router,
    handler::Handler,
    middleware::{from_fn, from_fn_with_state},
    routing::{self, MethodFilter},
};
use check::AccessHandler;
use std::sync::Arc;

/// One entry of the operation table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteEntry {
    /// HTTP method; `ANY` if the handler accepts all of them.
    pub method: &'static str,
    /// Path, with parameters in braces.
    pub path: String,
    /// Required access.
    pub access: RouteAccess,
}

/// Routes of one surface, whose handlers share the state `S`.
pub struct Routes<S> {
    context: Arc<HttpContext>,
    router: Router<S>,
    entries: Vec<RouteEntry>,
}

/// Complete routes of one surface.
pub struct SurfaceRoutes {
    router: Router,
    entries: Vec<RouteEntry>,
}

impl SurfaceRoutes {
    pub(crate) fn into_parts(self) -> (Router, Vec<RouteEntry>) {
        (self.router, self.entries)
    }
}

impl<S: Clone + Send + Sync + 'static> Routes<S> {
    /// A surface without routes.
    pub fn new(context: &Arc<HttpContext>) -> Self {
        Self { context: Arc::clone(context), router: Router::new(), entries: Vec::new() }
    }

    /// Mounts a handler for `GET` and `HEAD`.
    #[must_use]
    pub fn get<H: Handler<T, S>, T: 'static>(self, path: &str, access: RouteAccess, handler: H) -> Self {
        self.on("GET", MethodFilter::GET, path, access, handler)
    }

    /// Mounts a handler for `POST`.
    #[must_use]
    pub fn post<H: Handler<T, S>, T: 'static>(self, path: &str, access: RouteAccess, handler: H) -> Self {
        self.on("POST", MethodFilter::POST, path, access, handler)
    }

    /// Mounts a handler for `PUT`.
    #[must_use]
    pub fn put<H: Handler<T, S>, T: 'static>(self, path: &str, access: RouteAccess, handler: H) -> Self {
        self.on("PUT", MethodFilter::PUT, path, access, handler)
    }

    /// Mounts a handler for `PATCH`.
    #[must_use]
    pub fn patch<H: Handler<T, S>, T: 'static>(self, path: &str, access: RouteAccess, handler: H) -> Self {
        self.on("PATCH", MethodFilter::PATCH, path, access, handler)
    }

    /// Mounts a handler for `DELETE`.
    #[must_use]
    pub fn delete<H: Handler<T, S>, T: 'static>(self, path: &str, access: RouteAccess, handler: H) -> Self {
        self.on("DELETE", MethodFilter::DELETE, path, access, handler)
    }

    /// Mounts a handler for every method.
    #[must_use]
    pub fn any<H: Handler<T, S>, T: 'static>(mut self, path: &str, access: RouteAccess, handler: H) -> Self {
        self.entries.push(RouteEntry { method: "ANY", path: path.to_owned(), access });
        let handler = AccessHandler { handler, access, context: Arc::clone(&self.context) };
        self.router = self.router.route(path, routing::any(handler));
        self
    }

    fn on<H: Handler<T, S>, T: 'static>(
        mut self,
        method: &'static str,
        filter: MethodFilter,
        path: &str,
        access: RouteAccess,
        handler: H,
    ) -> Self {
        self.entries.push(RouteEntry { method, path: path.to_owned(), access });
        let handler = AccessHandler { handler, access, context: Arc::clone(&self.context) };
        self.router = self.router.route(path, routing::on(filter, handler));
        self
    }

    /// Requires read access to the agent for the routes mounted so far, if cards are private.
    #[must_use]
    pub fn guard_cards(mut self) -> Self {
        self.router = self.router.route_layer(from_fn_with_state(Arc::clone(&self.context), guard_card));
        self
    }

    /// Names the request spans of the routes mounted so far after their paths. Protocols with methods name their spans
    /// themselves.
    #[must_use]
    pub fn name_spans(mut self) -> Self {
        if self.context.options.tracer.is_on() {
            self.router = self.router.route_layer(from_fn(note_route));
        }
        self
    }

    /// Adds the routes of `others`.
    #[must_use]
    pub fn merge(mut self, others: Self) -> Self {
        self.entries.extend(others.entries);
        self.router = self.router.merge(others.router);
        self
    }

    /// The complete routes with their state.
    pub fn with_state(self, state: S) -> SurfaceRoutes {
        SurfaceRoutes { router: self.router.with_state(state), entries: self.entries }
    }
}
