//! Messages and artifacts.

use super::pb;
use crate::{
    fault::{ConversionResult, FieldContext, WireConvert, convert, each},
    scalar::{cows, object, read_object, role_from_number, role_number, some, text, texts},
};
use baton_wire::a2a::v1 as wire;
use std::borrow::Cow;

convert! { in_answer:
    pb::Message, wire::Message<'static>, wire::Message<'_>;
    pb::Artifact, wire::Artifact<'static>, wire::Artifact<'_>;
}

impl WireConvert<wire::Message<'static>> for pb::Message {
    fn convert(self) -> ConversionResult<wire::Message<'static>> {
        Ok(wire::Message {
            message_id: Cow::Owned(self.message_id),
            context_id: some(self.context_id),
            task_id: some(self.task_id),
            role: role_from_number(self.role).at("role")?,
            parts: each(self.content, "content")?,
            metadata: read_object(self.metadata, "metadata")?,
            extensions: cows(self.extensions),
            reference_task_ids: Vec::new(),
        })
    }
}

impl WireConvert<pb::Message> for wire::Message<'_> {
    fn convert(self) -> ConversionResult<pb::Message> {
        Ok(pb::Message {
            message_id: self.message_id.into_owned(),
            context_id: text(self.context_id),
            task_id: text(self.task_id),
            role: role_number(self.role),
            content: each(self.parts, "content")?,
            metadata: object(self.metadata.as_ref(), "metadata")?,
            extensions: texts(self.extensions),
        })
    }
}

impl WireConvert<wire::Artifact<'static>> for pb::Artifact {
    fn convert(self) -> ConversionResult<wire::Artifact<'static>> {
        Ok(wire::Artifact {
            artifact_id: Cow::Owned(self.artifact_id),
            name: some(self.name),
            description: some(self.description),
            parts: each(self.parts, "parts")?,
            metadata: read_object(self.metadata, "metadata")?,
            extensions: cows(self.extensions),
        })
    }
}

impl WireConvert<pb::Artifact> for wire::Artifact<'_> {
    fn convert(self) -> ConversionResult<pb::Artifact> {
        Ok(pb::Artifact {
            artifact_id: self.artifact_id.into_owned(),
            name: text(self.name),
            description: text(self.description),
            parts: each(self.parts, "parts")?,
            metadata: object(self.metadata.as_ref(), "metadata")?,
            extensions: texts(self.extensions),
        })
    }
}
