//! Wire form of a part of a message or artifact.

use crate::de;
use baton_encoding::base64::to_standard;
use baton_types::{Json, PartContent, Violations};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Exactly one of `text`, `raw`, `url` and `data`, with descriptive members.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Part<'a> {
    /// Text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Cow<'a, str>>,
    /// Bytes as base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<Cow<'a, str>>,
    /// URL of the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<Cow<'a, str>>,
    /// Any JSON value.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::present")]
    pub data: Option<Json>,
    /// JSON object, defined by the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    /// File name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<Cow<'a, str>>,
    /// MIME type.
    #[serde(skip_serializing_if = "Option::is_none", alias = "media_type")]
    pub media_type: Option<Cow<'a, str>>,
}

impl<'a> From<&'a baton_types::Part> for Part<'a> {
    fn from(part: &'a baton_types::Part) -> Self {
        let mut wire = Self {
            metadata: part.metadata.clone(),
            filename: part.filename.as_deref().map(Cow::Borrowed),
            media_type: part.media_type.as_deref().map(Cow::Borrowed),
            ..Self::default()
        };
        match &part.content {
            PartContent::Text(text) => wire.text = Some(Cow::Borrowed(text)),
            PartContent::Raw(raw) => wire.raw = Some(Cow::Borrowed(raw)),
            PartContent::Url(url) => wire.url = Some(Cow::Borrowed(url)),
            PartContent::Data(data) => wire.data = Some(data.clone()),
        }
        wire
    }
}

impl<'a> Part<'a> {
    /// A text part.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// Converts to the `baton-types` form; validation errors go to `violations` under `path`.
    pub fn check(self, path: &str, violations: &mut Violations) -> Option<baton_types::Part> {
        check_object(self.metadata.as_ref(), || format!("{path}.metadata"), violations);
        let non_data_count =
            usize::from(self.text.is_some()) + usize::from(self.raw.is_some()) + usize::from(self.url.is_some());
        // Some clients serialize every field and send `data: null` in addition to the content.
        let data = self.data.filter(|data| non_data_count == 0 || data.as_str() != "null");
        let content = match (non_data_count, self.text, self.raw, self.url, data) {
            (1, Some(text), None, None, None) => PartContent::Text(text.into_owned()),
            (1, None, Some(raw), None, None) => match to_standard(&raw) {
                Some(standard) => PartContent::Raw(standard),
                None => {
                    violations.add(format!("{path}.raw"), "must be base64");
                    return None;
                }
            },
            (1, None, None, Some(url), None) => PartContent::Url(url.into_owned()),
            (0, None, None, None, Some(data)) => PartContent::Data(data),
            _ => {
                violations.add(path, "exactly one of text, raw, url, data");
                return None;
            }
        };
        Some(baton_types::Part {
            content,
            metadata: self.metadata,
            filename: self.filename.map(Cow::into_owned),
            media_type: self.media_type.filter(|kind| !kind.is_empty()).map(Cow::into_owned),
        })
    }
}

/// Adds a violation if `json` is present and not an object.
pub(crate) fn check_object(json: Option<&Json>, path: impl FnOnce() -> String, violations: &mut Violations) {
    if json.is_some_and(|json| !json.is_object()) {
        violations.add(path(), "must be a JSON object");
    }
}
