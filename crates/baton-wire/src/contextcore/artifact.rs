//! Wire form of an artifact.

use super::{Part, metadata};
use crate::{a2a::v1, de, members::ObjectMembers};
use baton_types::{Json, Violations};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;

/// An output of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Artifact {
    /// Unique within the task.
    #[serde(alias = "artifact_id", deserialize_with = "de::or_default")]
    pub artifact_id: String,
    /// Display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The content.
    #[serde(deserialize_with = "de::or_default")]
    pub parts: Vec<Part>,
    /// MIME type of the artifact; derived from the first part if absent.
    #[serde(skip_serializing_if = "Option::is_none", alias = "media_type")]
    pub media_type: Option<String>,
    /// Index among the artifacts.
    #[serde(deserialize_with = "index")]
    pub index: u32,
    /// Whether it extends an earlier artifact with the same id.
    #[serde(deserialize_with = "de::or_default")]
    pub append: bool,
    /// Whether it is complete.
    #[serde(alias = "last_chunk", deserialize_with = "last_chunk")]
    pub last_chunk: bool,
    /// Trace id of its creation.
    #[serde(skip_serializing_if = "Option::is_none", alias = "trace_id")]
    pub trace_id: Option<String>,
    /// Time of creation as the sender wrote it.
    #[serde(skip_serializing_if = "Option::is_none", alias = "created_at")]
    pub created_at: Option<String>,
    /// JSON object, defined by the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    /// Extension URIs that the artifact uses.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::or_default")]
    pub extensions: Vec<String>,
}

fn index<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    Ok(de::maybe_integer(deserializer)?.unwrap_or_default())
}

fn last_chunk<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(true))
}

impl Default for Artifact {
    /// The defaults of ContextCore: complete, first, not an extension.
    fn default() -> Self {
        Self {
            artifact_id: String::new(),
            name: None,
            description: None,
            parts: Vec::new(),
            media_type: None,
            index: 0,
            append: false,
            last_chunk: true,
            trace_id: None,
            created_at: None,
            metadata: None,
            extensions: Vec::new(),
        }
    }
}

/// Default MIME type of an artifact, derived from its first part.
fn default_media_type(parts: &[v1::Part<'_>]) -> String {
    let usual = match parts.first() {
        Some(v1::Part { media_type: Some(media_type), .. }) => media_type,
        Some(v1::Part { text: Some(_), .. }) => "text/plain",
        Some(v1::Part { raw: Some(_), .. } | v1::Part { url: Some(_), .. }) => "application/octet-stream",
        _ => "application/json",
    };
    usual.to_owned()
}

impl Artifact {
    /// Converts to 1.0; validation errors go to `violations` under `path`.
    pub fn into_v1(self, path: &str, violations: &mut Violations) -> v1::Artifact<'static> {
        let parts = self.parts.into_iter().enumerate();
        let parts: Vec<_> =
            parts.filter_map(|(index, part)| part.into_v1(&format!("{path}.parts[{index}]"), violations)).collect();
        let mut own = ObjectMembers::default();
        own.put_text("mediaType", self.media_type.filter(|media_type| *media_type != default_media_type(&parts)));
        if self.index > 0 {
            own.put("index", Json::from(serde_json::Value::from(self.index)));
        }
        if self.append {
            own.put("append", Json::from(serde_json::Value::Bool(true)));
        }
        if !self.last_chunk {
            own.put("lastChunk", Json::from(serde_json::Value::Bool(false)));
        }
        own.put_text("traceId", self.trace_id);
        own.put_text("createdAt", self.created_at);
        v1::Artifact {
            artifact_id: self.artifact_id.into(),
            name: self.name.map(Cow::Owned),
            description: self.description.map(Cow::Owned),
            parts,
            metadata: metadata::add(self.metadata, own, || format!("{path}.metadata"), violations),
            extensions: self.extensions.into_iter().map(Cow::Owned).collect(),
        }
    }
}

impl From<v1::Artifact<'_>> for Artifact {
    fn from(artifact: v1::Artifact<'_>) -> Self {
        let usual = default_media_type(&artifact.parts);
        let (metadata, mut own) = metadata::extract(artifact.metadata, |name, value| match name {
            "mediaType" | "traceId" | "createdAt" => metadata::is_text(value),
            "index" => value.read::<u32>().is_ok(),
            "append" | "lastChunk" => value.read::<bool>().is_ok(),
            _ => false,
        });
        Self {
            artifact_id: artifact.artifact_id.into_owned(),
            name: artifact.name.map(Cow::into_owned),
            description: artifact.description.map(Cow::into_owned),
            parts: artifact.parts.into_iter().map(Part::from).collect(),
            media_type: own.take_text(&["mediaType"]).or(Some(usual)),
            index: own.take(&["index"]).and_then(|value| value.read().ok()).unwrap_or_default(),
            append: own.take(&["append"]).and_then(|value| value.read().ok()).unwrap_or_default(),
            last_chunk: own.take(&["lastChunk"]).and_then(|value| value.read().ok()).unwrap_or(true),
            trace_id: own.take_text(&["traceId"]),
            created_at: own.take_text(&["createdAt"]),
            metadata,
            extensions: artifact.extensions.into_iter().map(Cow::into_owned).collect(),
        }
    }
}
