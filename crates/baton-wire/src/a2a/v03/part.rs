//! Wire form of a part of a message or artifact.

use super::{data, request_path::RequestPath};
use crate::{a2a::v1, de};
use baton_encoding::base64::to_standard;
use baton_types::{Json, Violations};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Kind of part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PartKind {
    /// Text.
    Text,
    /// A file, as bytes or as a URL.
    File,
    /// A JSON object.
    Data,
}

/// Exactly one of `text`, `file` and `data`, named by `kind`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Part<'a> {
    /// Kind of part; optional on input if only one content member is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<PartKind>,
    /// Text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Cow<'a, str>>,
    /// A file.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub file: Option<File<'a>>,
    /// A JSON object; other values are also accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Json>,
    /// JSON object, defined by the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

/// A file: exactly one of `bytes` and `uri`, with descriptive members.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct File<'a> {
    /// The content as base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Cow<'a, str>>,
    /// URL of the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<Cow<'a, str>>,
    /// MIME type.
    #[serde(skip_serializing_if = "Option::is_none", alias = "mime_type")]
    pub mime_type: Option<Cow<'a, str>>,
    /// File name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Cow<'a, str>>,
}

impl<'a> Part<'a> {
    fn effective_kind(&self) -> Option<PartKind> {
        self.kind.or(match (&self.text, &self.file, &self.data) {
            (Some(_), None, None) => Some(PartKind::Text),
            (None, Some(_), None) => Some(PartKind::File),
            (None, None, Some(_)) => Some(PartKind::Data),
            _ => None,
        })
    }

    /// The part in 1.0; validation errors go to `violations`.
    pub(super) fn read(self, at: RequestPath<'_>, violations: &mut Violations) -> Option<v1::Part<'a>> {
        let Some(kind) = self.effective_kind() else {
            violations.add(at.to_string(), "kind must be text, file or data");
            return None;
        };
        let empty = v1::Part::default();
        match (kind, self.text, self.file, self.data) {
            (PartKind::Text, text @ Some(_), None, None) => Some(v1::Part { text, metadata: self.metadata, ..empty }),
            (PartKind::File, None, Some(file), None) => {
                Some(v1::Part { metadata: self.metadata, ..file.read(at.field("file"), violations)? })
            }
            (PartKind::Data, None, None, Some(data)) => {
                let (data, metadata) = data::unwrap(data, self.metadata);
                Some(v1::Part { data: Some(data), metadata, ..empty })
            }
            (PartKind::Text, ..) => reject(at, "text", violations),
            (PartKind::File, ..) => reject(at, "file", violations),
            (PartKind::Data, ..) => reject(at, "data", violations),
        }
    }
}

fn reject<T>(at: RequestPath<'_>, name: &'static str, violations: &mut Violations) -> Option<T> {
    violations.add(at.field(name).to_string(), "required, and must be the only one of text, file and data");
    None
}

impl<'a> File<'a> {
    fn read(self, at: RequestPath<'_>, violations: &mut Violations) -> Option<v1::Part<'a>> {
        let described = v1::Part { filename: self.name, media_type: self.mime_type, ..v1::Part::default() };
        match (self.bytes, self.uri) {
            (Some(bytes), None) if to_standard(&bytes).is_none() => {
                violations.add(at.field("bytes").to_string(), "must be base64");
                None
            }
            (raw @ Some(_), None) => Some(v1::Part { raw, ..described }),
            (None, url @ Some(_)) => Some(v1::Part { url, ..described }),
            _ => {
                violations.add(at.to_string(), "exactly one of bytes, uri");
                None
            }
        }
    }
}

impl<'a> From<v1::Part<'a>> for Part<'a> {
    fn from(part: v1::Part<'a>) -> Self {
        let (metadata, empty) = (part.metadata, Self::default());
        if part.text.is_some() {
            return Self { kind: Some(PartKind::Text), text: part.text, metadata, ..empty };
        }
        if part.raw.is_some() || part.url.is_some() {
            let uri = if part.raw.is_some() { None } else { part.url };
            let file = File { bytes: part.raw, uri, mime_type: part.media_type, name: part.filename };
            return Self { kind: Some(PartKind::File), file: Some(file), metadata, ..empty };
        }
        match part.data {
            Some(data) => {
                let (data, metadata) = data::wrap(data, metadata);
                Self { kind: Some(PartKind::Data), data: Some(data), metadata, ..empty }
            }
            None => Self { metadata, ..empty },
        }
    }
}
