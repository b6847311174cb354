//! Messages, parts and artifacts.

use super::pb::{self, part::Content};
use crate::{
    fault::{ConversionError, ConversionResult, FieldContext, WireConvert, convert, each},
    json,
    scalar::{
        cows, decode_base64, encode_base64, object, read_object, role_from_number, role_number, some, text, texts,
    },
};
use baton_wire::a2a::v1 as wire;
use std::borrow::Cow;

convert! { in_answer:
    pb::Message, wire::Message<'static>, wire::Message<'_>;
    pb::Artifact, wire::Artifact<'static>, wire::Artifact<'_>;
    pb::Part, wire::Part<'static>, wire::Part<'_>;
}

impl WireConvert<wire::Message<'static>> for pb::Message {
    fn convert(self) -> ConversionResult<wire::Message<'static>> {
        Ok(wire::Message {
            message_id: Cow::Owned(self.message_id),
            context_id: some(self.context_id),
            task_id: some(self.task_id),
            role: role_from_number(self.role).at("role")?,
            parts: each(self.parts, "parts")?,
            metadata: read_object(self.metadata, "metadata")?,
            extensions: cows(self.extensions),
            reference_task_ids: cows(self.reference_task_ids),
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
            parts: each(self.parts, "parts")?,
            metadata: object(self.metadata.as_ref(), "metadata")?,
            extensions: texts(self.extensions),
            reference_task_ids: texts(self.reference_task_ids),
        })
    }
}

impl WireConvert<wire::Part<'static>> for pb::Part {
    fn convert(self) -> ConversionResult<wire::Part<'static>> {
        let mut part = wire::Part {
            metadata: read_object(self.metadata, "metadata")?,
            filename: some(self.filename),
            media_type: some(self.media_type),
            ..wire::Part::default()
        };
        match self.content {
            Some(Content::Text(text)) => part.text = Some(Cow::Owned(text)),
            Some(Content::Raw(bytes)) => part.raw = Some(Cow::Owned(encode_base64(&bytes))),
            Some(Content::Url(url)) => part.url = Some(Cow::Owned(url)),
            Some(Content::Data(value)) => part.data = Some(json::json_from_value(&value).at("data")?),
            // A part without content is rejected with its path when the message is checked.
            None => {}
        }
        Ok(part)
    }
}

impl WireConvert<pb::Part> for wire::Part<'_> {
    fn convert(self) -> ConversionResult<pb::Part> {
        let data = self.data.filter(|data| {
            let others = self.text.is_some() || self.raw.is_some() || self.url.is_some();
            // Some clients serialize every field and send `data: null` in addition to the content.
            !others || data.as_str() != "null"
        });
        let content = match (self.text, self.raw, self.url, data) {
            (Some(text), None, None, None) => Content::Text(text.into_owned()),
            (None, Some(raw), None, None) => Content::Raw(decode_base64(&raw).at("raw")?.into()),
            (None, None, Some(url), None) => Content::Url(url.into_owned()),
            (None, None, None, Some(data)) => Content::Data(json::value_from_json(&data).at("data")?),
            _ => return Err(ConversionError::new("exactly one of text, raw, url, data")),
        };
        Ok(pb::Part {
            content: Some(content),
            metadata: object(self.metadata.as_ref(), "metadata")?,
            filename: text(self.filename),
            media_type: text(self.media_type),
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
