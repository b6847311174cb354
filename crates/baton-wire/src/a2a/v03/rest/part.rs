//! Wire form of a part of a message or artifact.

use crate::{
    a2a::{
        v1,
        v03::{data, request_path::RequestPath},
    },
    de,
};
use baton_encoding::base64::{decode_twice_encoded, encode_twice, to_standard};
use baton_types::{Json, Violations};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Exactly one of `text`, `file` and `data`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Part<'a> {
    /// Text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Cow<'a, str>>,
    /// A file.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub file: Option<FilePart<'a>>,
    /// A wrapped JSON object.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub data: Option<DataPart>,
    /// JSON object, defined by the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

/// A file: exactly one of a URL and bytes, with descriptive members.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FilePart<'a> {
    /// URL of the content.
    #[serde(skip_serializing_if = "Option::is_none", alias = "file_with_uri")]
    pub file_with_uri: Option<Cow<'a, str>>,
    /// The content as base64 of base64; single base64 is also accepted.
    #[serde(skip_serializing_if = "Option::is_none", alias = "file_with_bytes")]
    pub file_with_bytes: Option<Cow<'a, str>>,
    /// MIME type.
    #[serde(skip_serializing_if = "Option::is_none", alias = "mime_type")]
    pub mime_type: Option<Cow<'a, str>>,
    /// File name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Cow<'a, str>>,
}

/// Wrapper of a JSON object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DataPart {
    /// The object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Json>,
}

/// proto3 does not distinguish an empty string from an absent one.
pub(super) fn non_empty(text: Option<Cow<'_, str>>) -> Option<Cow<'_, str>> {
    text.filter(|text| !text.is_empty())
}

impl<'a> Part<'a> {
    /// The part in 1.0; validation errors go to `violations`.
    pub(super) fn read(self, at: RequestPath<'_>, violations: &mut Violations) -> Option<v1::Part<'a>> {
        if self.metadata.as_ref().is_some_and(|metadata| !metadata.is_object()) {
            violations.add(at.field("metadata").to_string(), "must be a JSON object");
        }
        let empty = v1::Part::default();
        match (self.text, self.file, self.data) {
            (text @ Some(_), None, None) => Some(v1::Part { text, metadata: self.metadata, ..empty }),
            (None, Some(file), None) => {
                Some(v1::Part { metadata: self.metadata, ..file.read(at.field("file"), violations)? })
            }
            (None, None, Some(DataPart { data: Some(data) })) => {
                let (data, metadata) = data::unwrap(data, self.metadata);
                Some(v1::Part { data: Some(data), metadata, ..empty })
            }
            (None, None, Some(DataPart { data: None })) => {
                let at = at.field("data");
                violations.add(at.field("data").to_string(), "required");
                None
            }
            _ => {
                violations.add(at.to_string(), "exactly one of text, file, data");
                None
            }
        }
    }
}

impl<'a> FilePart<'a> {
    fn read(self, at: RequestPath<'_>, violations: &mut Violations) -> Option<v1::Part<'a>> {
        let described =
            v1::Part { filename: non_empty(self.name), media_type: non_empty(self.mime_type), ..v1::Part::default() };
        match (self.file_with_bytes, self.file_with_uri) {
            (Some(bytes), None) => match decode_twice_encoded(&bytes).or_else(|| to_standard(&bytes)) {
                Some(raw) => Some(v1::Part { raw: Some(Cow::Owned(raw)), ..described }),
                None => {
                    violations.add(at.field("fileWithBytes").to_string(), "must be base64");
                    None
                }
            },
            (None, url @ Some(_)) => Some(v1::Part { url, ..described }),
            _ => {
                violations.add(at.to_string(), "exactly one of fileWithUri, fileWithBytes");
                None
            }
        }
    }
}

impl<'a> From<v1::Part<'a>> for Part<'a> {
    fn from(part: v1::Part<'a>) -> Self {
        let (metadata, empty) = (part.metadata, Self::default());
        if part.text.is_some() {
            return Self { text: part.text, metadata, ..empty };
        }
        if part.raw.is_some() || part.url.is_some() {
            let file = FilePart {
                file_with_uri: if part.raw.is_some() { None } else { part.url },
                file_with_bytes: part.raw.map(|raw| Cow::Owned(encode_twice(&raw))),
                mime_type: part.media_type,
                name: part.filename,
            };
            return Self { file: Some(file), metadata, ..empty };
        }
        match part.data {
            Some(data) => {
                let (data, metadata) = data::wrap(data, metadata);
                Self { data: Some(DataPart { data: Some(data) }), metadata, ..empty }
            }
            None => Self { metadata, ..empty },
        }
    }
}
