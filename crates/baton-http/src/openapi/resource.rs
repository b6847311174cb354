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
}

/// Factories of operations, one per method.
macro_rules! operation_factories {
    ($($name:ident $method:literal $filter:ident;)+) => {
        impl ApiResource {
            $(
                #[doc = concat!("An operation with the method `", $method, "`.")]
                pub fn $name(
                    self,
                    path: impl Into<String>,
                    access: RouteAccess,
                    id: impl Into<Cow<'static, str>>,
                    summary: impl Into<Cow<'static, str>>,
                ) -> Operation {
                    Operation::new(self, ($method, MethodFilter::$filter), path.into(), access, (id.into(), summary.into()))
                }
            )+
        }
    };
}

operation_factories! {
    get "GET" GET;
    post "POST" POST;
    put "PUT" PUT;
    patch "PATCH" PATCH;
    delete "DELETE" DELETE;
}
