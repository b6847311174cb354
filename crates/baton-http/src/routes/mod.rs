//! The operation table: every route is mounted together with the access that it needs.
//!
//! [`Routes`] is the only way to mount a handler. What is known of an operation before its body is read is checked here,
//! before the handler is called; what depends on the agent of a task, or on a method named in the body, is checked by the
//! operation itself. [`crate::surface`] shows the table.

mod access;
mod check;

pub use access::{AgentPlace, RouteAccess};

use crate::app::Shared;
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
    /// The HTTP method; `ANY` where the handler takes all of them.
    pub method: &'static str,
    /// The path, with names in braces.
    pub path: String,
    /// What a caller needs.
    pub access: RouteAccess,
}

/// Routes, and the table of what they need.
pub(crate) struct Routes {
    router: Router<Arc<Shared>>,
    entries: Vec<RouteEntry>,
}

impl Routes {
    pub(crate) fn new() -> Self {
        Self { router: Router::new(), entries: Vec::new() }
    }

    /// Mounts a handler of `GET` and `HEAD`.
    pub(crate) fn get<H: Handler<T, Arc<Shared>>, T: 'static>(self, path: &str, access: RouteAccess, it: H) -> Self {
        self.on("GET", MethodFilter::GET, path, access, it)
    }

    /// Mounts a handler of `POST`.
    pub(crate) fn post<H: Handler<T, Arc<Shared>>, T: 'static>(self, path: &str, access: RouteAccess, it: H) -> Self {
        self.on("POST", MethodFilter::POST, path, access, it)
    }

    /// Mounts a handler of `PUT`.
    pub(crate) fn put<H: Handler<T, Arc<Shared>>, T: 'static>(self, path: &str, access: RouteAccess, it: H) -> Self {
        self.on("PUT", MethodFilter::PUT, path, access, it)
    }

    /// Mounts a handler of `PATCH`.
    pub(crate) fn patch<H: Handler<T, Arc<Shared>>, T: 'static>(self, path: &str, access: RouteAccess, it: H) -> Self {
        self.on("PATCH", MethodFilter::PATCH, path, access, it)
    }

    /// Mounts a handler of `DELETE`.
    pub(crate) fn delete<H: Handler<T, Arc<Shared>>, T: 'static>(self, path: &str, access: RouteAccess, it: H) -> Self {
        self.on("DELETE", MethodFilter::DELETE, path, access, it)
    }

    /// Mounts a handler of every method.
    pub(crate) fn any<H: Handler<T, Arc<Shared>>, T: 'static>(
        mut self,
        path: &str,
        access: RouteAccess,
        handler: H,
    ) -> Self {
        self.entries.push(RouteEntry { method: "ANY", path: path.to_owned(), access });
        self.router = self.router.route(path, routing::any(AccessHandler { handler, access }));
        self
    }

    fn on<H: Handler<T, Arc<Shared>>, T: 'static>(
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

    /// Puts a layer around the routes that are there already.
    pub(crate) fn layered(self, layer: impl FnOnce(Router<Arc<Shared>>) -> Router<Arc<Shared>>) -> Self {
        Self { router: layer(self.router), entries: self.entries }
    }

    /// These routes and others.
    pub(crate) fn merge(mut self, others: Self) -> Self {
        self.entries.extend(others.entries);
        Self { router: self.router.merge(others.router), entries: self.entries }
    }

    /// The router, and the table.
    pub(crate) fn into_parts(self) -> (Router<Arc<Shared>>, Vec<RouteEntry>) {
        (self.router, self.entries)
    }
}
