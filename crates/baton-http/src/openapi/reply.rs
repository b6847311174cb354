//! Description of one reply.

use super::components::{Components, SchemaDirection, SchemaSource};
use http::StatusCode;
use serde_json::{Map, Value, json};

/// One reply of an operation.
#[derive(Clone, Debug)]
pub(super) struct OperationReply {
    pub(super) status: u16,
    /// Schemas by media type.
    pub(super) contents: Vec<(&'static str, SchemaSource)>,
    /// Data of server-sent events, by event name.
    pub(super) events: Vec<(&'static str, SchemaSource)>,
    pub(super) headers: Vec<(&'static str, &'static str)>,
}

impl OperationReply {
    pub(super) fn new(status: u16) -> Self {
        Self { status, contents: Vec::new(), events: Vec::new(), headers: Vec::new() }
    }

    /// The Response Object.
    pub(super) fn write(&self, components: &mut Components) -> Value {
        let reason = StatusCode::from_u16(self.status).ok().and_then(|status| status.canonical_reason());
        let mut reply = json!({"description": reason.unwrap_or_default()});
        if !self.headers.is_empty() {
            let header = |(name, description): &(&str, &str)| {
                ((*name).to_owned(), json!({"description": description, "schema": {"type": "string"}}))
            };
            reply["headers"] = self.headers.iter().map(header).collect::<Map<_, _>>().into();
        }
        if !self.contents.is_empty() {
            reply["content"] = write_contents(&self.contents, SchemaDirection::Reply, components);
        }
        let mut events = Map::new();
        for (name, source) in &self.events {
            events.insert((*name).to_owned(), components.schema(*source, SchemaDirection::Reply));
        }
        if !events.is_empty() {
            reply["x-baton-events"] = events.into();
        }
        reply
    }
}

/// Media Type Objects by media type.
pub(super) fn write_contents(
    contents: &[(&'static str, SchemaSource)],
    direction: SchemaDirection,
    components: &mut Components,
) -> Value {
    let mut written = Map::new();
    for (media_type, source) in contents {
        written.insert((*media_type).to_owned(), json!({"schema": components.schema(*source, direction)}));
    }
    written.into()
}
