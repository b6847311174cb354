//! Description of one operation.

use super::{ApiResource, components::SchemaSource, reply::OperationReply};
use crate::RouteAccess;
use axum::routing::MethodFilter;
use schemars::{JsonSchema, SchemaGenerator};
use std::borrow::Cow;

/// Media type of JSON.
pub(super) const JSON: &str = "application/json";

/// One operation: its place in the route table, and its entry in the OpenAPI document.
#[derive(Clone, Debug)]
pub struct Operation {
    pub(crate) method: &'static str,
    pub(crate) filter: MethodFilter,
    pub(crate) path: String,
    pub(crate) access: RouteAccess,
    pub(super) resource: ApiResource,
    pub(super) id: Cow<'static, str>,
    pub(super) summary: Cow<'static, str>,
    pub(super) note: &'static str,
    pub(super) query: Option<SchemaSource>,
    pub(super) headers: Vec<(&'static str, &'static str)>,
    pub(super) body: Option<OperationBody>,
    pub(super) replies: Vec<OperationReply>,
}

/// Request body of an operation.
#[derive(Clone, Debug)]
pub(super) struct OperationBody {
    pub(super) required: bool,
    /// Schemas by media type.
    pub(super) contents: Vec<(&'static str, SchemaSource)>,
}

impl Operation {
    /// An operation without parameters and replies; `names` are its id and its summary.
    pub(super) fn new(
        resource: ApiResource,
        (method, filter): (&'static str, MethodFilter),
        path: String,
        access: RouteAccess,
        (id, summary): (Cow<'static, str>, Cow<'static, str>),
    ) -> Self {
        Self {
            method,
            filter,
            path,
            access,
            resource,
            id,
            summary,
            note: "",
            query: None,
            headers: Vec::new(),
            body: None,
            replies: Vec::new(),
        }
    }

    /// Adds sentences to the description.
    #[must_use]
    pub fn note(mut self, note: &'static str) -> Self {
        self.note = note;
        self
    }

    /// The query parameters are the members of `T`.
    #[must_use]
    pub fn query<T: JsonSchema>(mut self) -> Self {
        self.query = Some(T::json_schema);
        self
    }

    /// Adds an optional request header.
    #[must_use]
    pub fn header(mut self, name: &'static str, description: &'static str) -> Self {
        self.headers.push((name, description));
        self
    }

    /// The JSON body is a `T`.
    #[must_use]
    pub fn body<T: JsonSchema>(self) -> Self {
        self.body_as::<T>(JSON)
    }

    /// The JSON body is a `T`, or empty.
    #[must_use]
    pub fn optional_body<T: JsonSchema>(self) -> Self {
        let mut described = self.body::<T>();
        if let Some(body) = &mut described.body {
            body.required = false;
        }
        described
    }

    /// The body may have this media type, with data described by `T`.
    #[must_use]
    pub fn body_as<T: JsonSchema>(mut self, media_type: &'static str) -> Self {
        let body = self.body.get_or_insert_with(|| OperationBody { required: true, contents: Vec::new() });
        body.contents.push((media_type, SchemaGenerator::subschema_for::<T>));
        self
    }

    /// Success is 200 with a `T` as JSON.
    #[must_use]
    pub fn reply<T: JsonSchema>(self) -> Self {
        self.reply_status::<T>(200)
    }

    /// This status comes with a `T` as JSON.
    #[must_use]
    pub fn reply_status<T: JsonSchema>(mut self, status: u16) -> Self {
        let mut reply = OperationReply::new(status);
        reply.contents.push((JSON, SchemaGenerator::subschema_for::<T>));
        self.replies.push(reply);
        self
    }

    /// This status comes without a body.
    #[must_use]
    pub fn reply_empty(mut self, status: u16) -> Self {
        self.replies.push(OperationReply::new(status));
        self
    }

    /// Success may have this media type, with text.
    #[must_use]
    pub fn reply_text(mut self, media_type: &'static str) -> Self {
        self.success().contents.push((media_type, SchemaGenerator::subschema_for::<String>));
        self
    }

    /// The stream of server-sent events contains events of this name, with a `T` as JSON.
    #[must_use]
    pub fn event<T: JsonSchema>(mut self, name: &'static str) -> Self {
        self.success().events.push((name, SchemaGenerator::subschema_for::<T>));
        self
    }

    /// Success has this header.
    #[must_use]
    pub fn reply_header(mut self, name: &'static str, description: &'static str) -> Self {
        self.success().headers.push((name, description));
        self
    }

    /// The last described reply, or a new one with status 200.
    fn success(&mut self) -> &mut OperationReply {
        if self.replies.is_empty() {
            self.replies.push(OperationReply::new(200));
        }
        let last = self.replies.len() - 1;
        &mut self.replies[last]
    }
}
