//! Wire form of a part of a message or artifact.

use super::{PartType, metadata};
use crate::{a2a::v1, members::ObjectMembers};
use baton_types::{Json, Violations};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeMap as _};
use std::borrow::Cow;

const TYPE: &[&str] = &["type", "part_type", "partType"];
const MEDIA_TYPE: &[&str] = &["mimeType", "mime_type", "mediaType", "media_type"];
const NAME: &[&str] = &["fileName", "file_name", "name", "filename"];
const ADDRESS: &[&str] = &["fileUri", "file_uri"];

/// Names with a meaning in a part; members restored from metadata must not use them.
const RESERVED_MEMBERS: &[&[&str]] = &[TYPE, MEDIA_TYPE, NAME, ADDRESS, &["text", "file", "data", "json", "metadata"]];

/// A part: its type, and its members in source order.
///
/// A file is `file: {uri, mimeType}`, with `name` and `bytes` (base64) if 1.0 provides them. The type of a part without
/// one is inferred from its members, because one of ContextCore's serializers omits it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    kind: PartType,
    members: ObjectMembers,
}

impl Part {
    /// A text part.
    pub fn text(text: &str) -> Self {
        let mut members = ObjectMembers::default();
        members.put("text", Json::string(text));
        Self { kind: PartType::Text, members }
    }

    /// Type of the part.
    pub fn kind(&self) -> PartType {
        self.kind
    }

    /// A part of a type specific to ContextCore, unwrapped from a data part.
    fn from_wrapper(data: &Json) -> Option<Self> {
        let mut wrapper = ObjectMembers::from_json(data)?;
        let inner = wrapper.take(&[metadata::KEY])?;
        // Data without the required member stays data: clients of the dialect would reject the part.
        let is_complete =
            |part: &Self| part.kind.required_member().is_none_or(|names| part.members.get(names).is_some());
        if wrapper.is_empty() { Self::from_native_json(&inner).filter(is_complete) } else { None }
    }

    fn from_native_json(json: &Json) -> Option<Self> {
        let mut members = ObjectMembers::from_json(json)?;
        let kind = members.take_text(TYPE).and_then(|name| PartType::from_name(&name))?;
        kind.is_native().then_some(Self { kind, members })
    }

    /// Converts to 1.0; validation errors go to `violations` under `path`.
    pub fn into_v1(self, path: &str, violations: &mut Violations) -> Option<v1::Part<'static>> {
        let Self { kind, mut members } = self;
        if kind.is_native() {
            if let Some(names) = kind.required_member().filter(|names| members.get(names).is_none()) {
                violations.add(format!("{path}.{}", names[0]), format!("required in a part of type {kind}"));
                return None;
            }
            let mut wrapper = ObjectMembers::default();
            wrapper.put(metadata::KEY, Json::from_serializable(&Self { kind, members }).ok()?);
            return Some(v1::Part { data: Some(wrapper.into_json()), ..v1::Part::default() });
        }
        let mut missing = |name: &str| {
            violations.add(format!("{path}.{name}"), format!("required in a part of type {kind}"));
            None
        };
        let mut part = v1::Part::default();
        let mut file = ObjectMembers::default();
        match kind {
            PartType::Text => match members.take_text(&["text"]) {
                Some(text) => part.text = Some(text.into()),
                None => return missing("text"),
            },
            PartType::File => {
                file = members.take(&["file"]).as_ref().and_then(ObjectMembers::from_json).unwrap_or_default();
                let uri = members.take_text(ADDRESS);
                match (file.take_text(&["uri", "url"]).or(uri), file.take_text(&["bytes"])) {
                    (Some(uri), _) => part.url = Some(uri.into()),
                    (None, Some(bytes)) => part.raw = Some(bytes.into()),
                    (None, None) => return missing("file.uri"),
                }
            }
            _ => match members.take(&["data", "json"]) {
                Some(data) => part.data = Some(data),
                None => return missing("data"),
            },
        }
        part.media_type = file.take_text(MEDIA_TYPE).or(members.take_text(MEDIA_TYPE)).map(Cow::Owned);
        part.filename = file.take_text(NAME).or(members.take_text(NAME)).map(Cow::Owned);
        let own_metadata = members.take(&["metadata"]).filter(|json| json.as_str() != "null");
        if matches!(kind, PartType::Json | PartType::Form) {
            members.put("type", Json::string(kind.as_str()));
        }
        part.metadata = metadata::add(own_metadata, members, || format!("{path}.metadata"), violations);
        Some(part)
    }
}

impl From<v1::Part<'_>> for Part {
    fn from(part: v1::Part<'_>) -> Self {
        let is_plain = part.metadata.is_none() && part.filename.is_none() && part.media_type.is_none();
        if let Some(own) = part.data.as_ref().filter(|_| is_plain).and_then(Self::from_wrapper) {
            return own;
        }
        let is_data = part.text.is_none() && part.raw.is_none() && part.url.is_none() && part.data.is_some();
        let typed =
            |name: &str, value: &Json| is_data && name == "type" && matches!(value.as_str(), "\"json\"" | "\"form\"");
        let plain = |name: &str| !RESERVED_MEMBERS.iter().any(|names| names.contains(&name));
        let (metadata, mut lifted) = metadata::extract(part.metadata, |name, value| typed(name, value) || plain(name));
        let part_type = lifted.take_text(&["type"]).and_then(|name| PartType::from_name(&name));
        let mut members = ObjectMembers::default();
        let (media_type, filename) = (part.media_type.map(Cow::into_owned), part.filename.map(Cow::into_owned));
        let kind = match (part.text, part.raw, part.url, part.data) {
            (Some(text), ..) => {
                members.put("text", Json::string(&text));
                PartType::Text
            }
            (None, None, None, Some(data)) => {
                members.put("data", data);
                part_type.unwrap_or(PartType::Data)
            }
            (None, None, None, None) => {
                members.put("text", Json::string(""));
                PartType::Text
            }
            (None, raw, url, _) => {
                let mut file = ObjectMembers::default();
                file.put_text("uri", url.map(Cow::into_owned));
                file.put_text("bytes", raw.map(Cow::into_owned));
                // Required by ContextCore's parser.
                file.put_text("mimeType", media_type.clone().or(Some("application/octet-stream".to_owned())));
                file.put_text("name", filename.clone());
                members.put("file", file.into_json());
                PartType::File
            }
        };
        if kind != PartType::File {
            members.put_text("mimeType", media_type);
            members.put_text("fileName", filename);
        }
        members.extend(lifted);
        if let Some(metadata) = metadata {
            members.put("metadata", metadata);
        }
        Self { kind, members }
    }
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.members.0.len() + 1))?;
        map.serialize_entry("type", &self.kind)?;
        for (name, value) in &self.members.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut members = ObjectMembers::deserialize(deserializer)?;
        if let Some(kind) = members.take(TYPE).filter(|kind| kind.as_str() != "null") {
            let kind = kind.read().map_err(|_| {
                let known: Vec<_> = PartType::ALL.iter().map(|kind| kind.as_str()).collect();
                de::Error::custom(format_args!("type must be one of {}", known.join(", ")))
            })?;
            return Ok(Self { kind, members });
        }
        let has = |names| members.get(names).is_some();
        let kind = if has(&["text"]) {
            PartType::Text
        } else if has(&["file"]) || has(ADDRESS) {
            PartType::File
        } else if let Some(json) = members.get(&["json"]).cloned() {
            if let Some(own) = Self::from_native_json(&json) {
                return Ok(own);
            }
            members.take(&["json"]);
            members.put("data", json);
            PartType::Json
        } else if has(&["data"]) {
            PartType::Data
        } else {
            return Err(de::Error::custom("type is required, such as text"));
        };
        Ok(Self { kind, members })
    }
}
