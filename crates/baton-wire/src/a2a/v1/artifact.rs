//! Wire form of an artifact.

use super::{Part, part::check_object};
use crate::de;
use baton_types::{Json, Violations};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// An output of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Artifact<'a> {
    /// Unique within the task.
    #[serde(alias = "artifact_id", deserialize_with = "de::or_default")]
    pub artifact_id: Cow<'a, str>,
    /// Display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Cow<'a, str>>,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Cow<'a, str>>,
    /// The content.
    #[serde(deserialize_with = "de::objects")]
    pub parts: Vec<Part<'a>>,
    /// JSON object, defined by the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    /// Extension URIs that the artifact uses.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::or_default")]
    pub extensions: Vec<Cow<'a, str>>,
}

impl<'a> From<&'a baton_types::Artifact> for Artifact<'a> {
    fn from(artifact: &'a baton_types::Artifact) -> Self {
        Self {
            artifact_id: Cow::Borrowed(artifact.id.as_str()),
            name: artifact.name.as_deref().map(Cow::Borrowed),
            description: artifact.description.as_deref().map(Cow::Borrowed),
            parts: artifact.parts.iter().map(Part::from).collect(),
            metadata: artifact.metadata.clone(),
            extensions: Vec::new(),
        }
    }
}

impl<'a> Artifact<'a> {
    /// [`baton_types::Artifact::from_answer`] without copying the answer.
    pub fn from_answer(answer: &'a baton_types::Message) -> Self {
        Self {
            artifact_id: Cow::Borrowed(answer.id.as_str()),
            name: Some(Cow::Borrowed("answer")),
            parts: answer.parts.iter().map(Part::from).collect(),
            ..Self::default()
        }
    }

    /// Converts to the `baton-types` form; validation errors go to `violations` under `path`.
    pub fn check(self, path: &str, violations: &mut Violations) -> Option<baton_types::Artifact> {
        super::message::check_id(&self.artifact_id, &format!("{path}.artifactId"), violations);
        check_object(self.metadata.as_ref(), || format!("{path}.metadata"), violations);
        if self.parts.is_empty() {
            violations.add(format!("{path}.parts"), "at least one part is required");
        }
        let mut parts = Vec::with_capacity(self.parts.len());
        for (index, part) in self.parts.into_iter().enumerate() {
            parts.push(part.check(&format!("{path}.parts[{index}]"), violations)?);
        }
        Some(baton_types::Artifact {
            id: self.artifact_id.into_owned().into(),
            name: self.name.map(Cow::into_owned),
            description: self.description.map(Cow::into_owned),
            parts,
            metadata: self.metadata,
        })
    }
}
