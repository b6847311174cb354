//! Groups of operations.

use super::Operation;
use crate::RouteAccess;
use axum::routing::MethodFilter;
use std::borrow::Cow;

/// A kind of resource of the API: one tag of the document, and a factory of its operations.
#[derive(Clone, Copy, Debug)]
pub struct ApiResource {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    pub(super) parameters: &'static [(&'static str, &'static str)],
}

impl ApiResource {
    /// A resource. `parameters` are the names and descriptions of the path parameters of its operations.
    pub const fn new(
        name: &'static str,
        description: &'static str,
        parameters: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self { name, description, parameters }
    }

    /// An operation with the method `GET`.
    pub fn get(
        self,
        path: impl Into<String>,
        access: RouteAccess,
        id: impl Into<Cow<'static, str>>,
        summary: impl Into<Cow<'static, str>>,
    ) -> Operation {
        Operation::new(self, ("GET", MethodFilter::GET), path.into(), access, (id.into(), summary.into()))
    }

    /// An operation with the method `POST`.
    pub fn post(
        self,
        path: impl Into<String>,
        access: RouteAccess,
        id: impl Into<Cow<'static, str>>,
        summary: impl Into<Cow<'static, str>>,
    ) -> Operation {
        Operation::new(self, ("POST", MethodFilter::POST), path.into(), access, (id.into(), summary.into()))
    }

    /// An operation with the method `PUT`.
    pub fn put(
        self,
        path: impl Into<String>,
        access: RouteAccess,
        id: impl Into<Cow<'static, str>>,
        summary: impl Into<Cow<'static, str>>,
    ) -> Operation {
        Operation::new(self, ("PUT", MethodFilter::PUT), path.into(), access, (id.into(), summary.into()))
    }

    /// An operation with the method `PATCH`.
    pub fn patch(
        self,
        path: impl Into<String>,
        access: RouteAccess,
        id: impl Into<Cow<'static, str>>,
        summary: impl Into<Cow<'static, str>>,
    ) -> Operation {
        Operation::new(self, ("PATCH", MethodFilter::PATCH), path.into(), access, (id.into(), summary.into()))
    }

    /// An operation with the method `DELETE`.
    pub fn delete(
        self,
        path: impl Into<String>,
        access: RouteAccess,
        id: impl Into<Cow<'static, str>>,
        summary: impl Into<Cow<'static, str>>,
    ) -> Operation {
        Operation::new(self, ("DELETE", MethodFilter::DELETE), path.into(), access, (id.into(), summary.into()))
    }
}
