//! Operation table: every route is mounted with its required access.
//!
//! [`Routes`] is the only way to mount a handler. Access that is known before the body is read is checked here, before
//! the handler is called. Access that depends on the agent of a task, or on a method in the body, is checked by the
//! operation. [`crate::surface`] returns the table.

mod access;
mod check;

pub use access::{RouteAccess, RouteAgentSource};

use crate::app::HttpState;
use axum::{
    Router,
    handler::Handler,
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

/// Router and its operation table.
pub(crate) struct Routes {
    router: Router<Arc<HttpState>>,
    entries: Vec<RouteEntry>,
}

impl Routes {
    pub(crate) fn new() -> Self {
        Self { router: Router::new(), entries: Vec::new() }
    }

    /// Mounts a handler for `GET` and `HEAD`.
    pub(crate) fn get<H: Handler<T, Arc<HttpState>>, T: 'static>(self, path: &str, access: RouteAccess, it: H) -> Self {
        self.on("GET", MethodFilter::GET, path, access, it)
    }

    /// Mounts a handler for `POST`.
    pub(crate) fn post<H: Handler<T, Arc<HttpState>>, T: 'static>(
        self,
        path: &str,
        access: RouteAccess,
        it: H,
    ) -> Self {
        self.on("POST", MethodFilter::POST, path, access, it)
    }

    /// Mounts a handler for `PUT`.
    pub(crate) fn put<H: Handler<T, Arc<HttpState>>, T: 'static>(self, path: &str, access: RouteAccess, it: H) -> Self {
        self.on("PUT", MethodFilter::PUT, path, access, it)
    }

    /// Mounts a handler for `PATCH`.
    pub(crate) fn patch<H: Handler<T, Arc<HttpState>>, T: 'static>(
        self,
        path: &str,
        access: RouteAccess,
        it: H,
    ) -> Self {
        self.on("PATCH", MethodFilter::PATCH, path, access, it)
    }

    /// Mounts a handler for `DELETE`.
    pub(crate) fn delete<H: Handler<T, Arc<HttpState>>, T: 'static>(
        self,
        path: &str,
        access: RouteAccess,
        it: H,
    ) -> Self {
        self.on("DELETE", MethodFilter::DELETE, path, access, it)
    }

    /// Mounts a handler for every method.
    pub(crate) fn any<H: Handler<T, Arc<HttpState>>, T: 'static>(
        mut self,
        path: &str,
        access: RouteAccess,
        handler: H,
    ) -> Self {
        self.entries.push(RouteEntry { method: "ANY", path: path.to_owned(), access });
        self.router = self.router.route(path, routing::any(AccessHandler { handler, access }));
        self
    }

    fn on<H: Handler<T, Arc<HttpState>>, T: 'static>(
        mut self,
        method: &'static str,
        filter: MethodFilter,
        path: &str,
        access: RouteAccess,
        handler: H,
    ) -> Self {
        self.entries.push(RouteEntry { method, path: path.to_owned(), access });
        self.router = self.router.route(path, routing::on(filter, AccessHandler { handler, access }));
        self
    }

    /// Adds a layer around the routes mounted so far.
    pub(crate) fn layered(self, layer: impl FnOnce(Router<Arc<HttpState>>) -> Router<Arc<HttpState>>) -> Self {
        Self { router: layer(self.router), entries: self.entries }
    }

    /// Adds the routes of `others`.
    pub(crate) fn merge(mut self, others: Self) -> Self {
        self.entries.extend(others.entries);
        Self { router: self.router.merge(others.router), entries: self.entries }
    }

    /// The router and the operation table.
    pub(crate) fn into_parts(self) -> (Router<Arc<HttpState>>, Vec<RouteEntry>) {
        (self.router, self.entries)
    }
}
