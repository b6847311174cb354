//! Operation table: every route is mounted with its required access.
//!
//! [`Routes`] is the only way to mount a handler. Access that is known before the body is read is checked here, before
//! the handler is called. Access that depends on the agent of a task, or on a method in the body, is checked by the
//! operation. [`crate::surface`] returns the table. Routes below `/api/` are mounted with their description
//! ([`Routes::operation`]), which becomes their entry in the OpenAPI document.

mod access;
mod check;

pub use access::{RouteAccess, RouteAgentSource};

use crate::{HttpContext, Operation, auth::guard_card, telemetry::note_route};
use axum::{
    Router,
    handler::Handler,
    middleware::{from_fn, from_fn_with_state},
    routing::{self, MethodFilter},
};
use check::AccessHandler;
use std::sync::Arc;

/// One entry of the operation table.
#[derive(Clone, Debug)]
pub struct RouteEntry {
    /// HTTP method; `ANY` if the handler accepts all of them.
    pub method: &'static str,
    /// Path, with parameters in braces.
    pub path: String,
    /// Required access.
    pub access: RouteAccess,
    /// Description in the OpenAPI document; `None` for routes of other protocols.
    pub operation: Option<Arc<Operation>>,
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
    /// The operation table.
    pub fn entries(&self) -> &[RouteEntry] {
        &self.entries
    }

    pub(crate) fn into_parts(self) -> (Router, Vec<RouteEntry>) {
        (self.router, self.entries)
    }
}

impl<S: Clone + Send + Sync + 'static> Routes<S> {
    /// A surface without routes.
    pub fn new(context: &Arc<HttpContext>) -> Self {
        Self { context: Arc::clone(context), router: Router::new(), entries: Vec::new() }
    }

    /// Mounts a handler with its description; `GET` includes `HEAD`.
    #[must_use]
    pub fn operation<H: Handler<T, S>, T: 'static>(self, operation: Operation, handler: H) -> Self {
        let operation = Arc::new(operation);
        let Operation { method, filter, path, access, .. } = &*operation;
        let entry = RouteEntry { method, path: path.clone(), access: *access, operation: Some(Arc::clone(&operation)) };
        self.on(entry, *filter, handler)
    }

    /// Mounts a handler for `GET` and `HEAD`.
    #[must_use]
    pub fn get<H: Handler<T, S>, T: 'static>(self, path: &str, access: RouteAccess, handler: H) -> Self {
        self.on(undescribed("GET", path, access), MethodFilter::GET, handler)
    }

    /// Mounts a handler for `POST`.
    #[must_use]
    pub fn post<H: Handler<T, S>, T: 'static>(self, path: &str, access: RouteAccess, handler: H) -> Self {
        self.on(undescribed("POST", path, access), MethodFilter::POST, handler)
    }

    /// Mounts a handler for `DELETE`.
    #[must_use]
    pub fn delete<H: Handler<T, S>, T: 'static>(self, path: &str, access: RouteAccess, handler: H) -> Self {
        self.on(undescribed("DELETE", path, access), MethodFilter::DELETE, handler)
    }

    /// Mounts a handler for every method.
    #[must_use]
    pub fn any<H: Handler<T, S>, T: 'static>(mut self, path: &str, access: RouteAccess, handler: H) -> Self {
        self.entries.push(undescribed("ANY", path, access));
        let handler = AccessHandler { handler, access, context: Arc::clone(&self.context) };
        self.router = self.router.route(path, routing::any(handler));
        self
    }

    fn on<H: Handler<T, S>, T: 'static>(mut self, entry: RouteEntry, filter: MethodFilter, handler: H) -> Self {
        let handler = AccessHandler { handler, access: entry.access, context: Arc::clone(&self.context) };
        self.router = self.router.route(&entry.path, routing::on(filter, handler));
        self.entries.push(entry);
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

    /// The operation table.
    pub fn entries(&self) -> &[RouteEntry] {
        &self.entries
    }

    /// The complete routes with their state.
    pub fn with_state(self, state: S) -> SurfaceRoutes {
        SurfaceRoutes { router: self.router.with_state(state), entries: self.entries }
    }
}

fn undescribed(method: &'static str, path: &str, access: RouteAccess) -> RouteEntry {
    RouteEntry { method, path: path.to_owned(), access, operation: None }
}
