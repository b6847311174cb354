//! JSON Schemas of data that is not described by a type of this crate.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// Describes an A2A task in the place of the wire type. A2A defines the members.
pub struct A2aTask;

impl JsonSchema for A2aTask {
    fn schema_name() -> Cow<'static, str> {
        "A2aTask".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A `Task` of A2A 1.0: <https://a2a-protocol.org/latest/specification/>.",
            "type": "object",
            "properties": {
                "id": {"description": "Id of the task.", "type": "string"},
                "contextId": {"description": "Id of its context.", "type": "string"},
                "status": {"description": "A `TaskStatus` of A2A.", "type": "object"},
            },
            "required": ["id", "contextId", "status"],
        })
    }
}

/// Describes an A2A message in the place of the wire type. A2A defines the members.
pub struct A2aMessage;

impl JsonSchema for A2aMessage {
    fn schema_name() -> Cow<'static, str> {
        "A2aMessage".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A `Message` of A2A 1.0: <https://a2a-protocol.org/latest/specification/>.",
            "type": "object",
            "properties": {
                "role": {"description": "`ROLE_USER` or `ROLE_AGENT`.", "type": "string"},
                "parts": {"description": "`Part` objects of A2A.", "type": "array", "items": {"type": "object"}},
            },
            "required": ["role", "parts"],
        })
    }
}

/// A time that is always present.
pub(crate) fn timestamp(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "format": "date-time"})
}

/// A time that may be `null`.
pub(crate) fn timestamp_or_null(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["string", "null"], "format": "date-time"})
}

/// An object without fixed members.
pub(crate) fn object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object"})
}
