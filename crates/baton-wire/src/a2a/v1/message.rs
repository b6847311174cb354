//! Wire form of a message.

use super::{Part, Role, part::check_object};
use crate::de;
use baton_types::{ContextId, Json, TaskId, Violations};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Maximum number of parts in one message.
pub const MAX_PARTS: usize = 256;

/// Maximum length of a client-chosen id in bytes.
const MAX_ID_LEN: usize = 512;

/// One complete message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Message<'a> {
    /// Id, chosen by the sender.
    #[serde(alias = "message_id", deserialize_with = "de::or_default")]
    pub message_id: Cow<'a, str>,
    /// Context id.
    #[serde(skip_serializing_if = "Option::is_none", alias = "context_id")]
    pub context_id: Option<Cow<'a, str>>,
    /// Task id.
    #[serde(skip_serializing_if = "Option::is_none", alias = "task_id")]
    pub task_id: Option<Cow<'a, str>>,
    /// Role of the sender.
    pub role: Role,
    /// The content.
    #[serde(deserialize_with = "de::objects")]
    pub parts: Vec<Part<'a>>,
    /// JSON object, defined by the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    /// Extension URIs that the message uses.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::or_default")]
    pub extensions: Vec<Cow<'a, str>>,
    /// Ids of earlier tasks that it refers to.
    #[serde(skip_serializing_if = "Vec::is_empty", alias = "reference_task_ids", deserialize_with = "de::or_default")]
    pub reference_task_ids: Vec<Cow<'a, str>>,
}

impl<'a> From<&'a baton_types::Message> for Message<'a> {
    fn from(message: &'a baton_types::Message) -> Self {
        Self {
            message_id: Cow::Borrowed(message.id.as_str()),
            context_id: message.context.as_ref().map(|id| Cow::Borrowed(id.as_str())),
            task_id: message.task.as_ref().map(|id| Cow::Borrowed(id.as_str())),
            role: message.role.into(),
            parts: message.parts.iter().map(Part::from).collect(),
            metadata: message.metadata.clone(),
            extensions: message.extensions.iter().map(|uri| Cow::Borrowed(uri.as_str())).collect(),
            reference_task_ids: message.reference_tasks.iter().map(|id| Cow::Borrowed(id.as_str())).collect(),
        }
    }
}

impl<'a> Message<'a> {
    /// The message as part of a task: every message from a server has a context id and a task id.
    pub fn in_task(message: &'a baton_types::Message, context: &'a ContextId, task: &'a TaskId) -> Self {
        let mut wire = Self::from(message);
        wire.context_id.get_or_insert(Cow::Borrowed(context.as_str()));
        wire.task_id.get_or_insert(Cow::Borrowed(task.as_str()));
        wire
    }

    /// Converts to the `baton-types` form; validation errors go to `violations` under `path`.
    pub fn check(self, path: &str, violations: &mut Violations) -> Option<baton_types::Message> {
        let field = |name: &str| format!("{path}.{name}");
        check_id(&self.message_id, &field("messageId"), violations);
        for (id, name) in [(&self.context_id, "contextId"), (&self.task_id, "taskId")] {
            if let Some(id) = id.as_deref().filter(|id| !id.is_empty()) {
                check_id(id, &field(name), violations);
            }
        }
        check_object(self.metadata.as_ref(), || field("metadata"), violations);
        let role = match self.role {
            Role::User => Some(baton_types::Role::User),
            Role::Agent => Some(baton_types::Role::Agent),
            Role::Unspecified => {
                violations.add(field("role"), "required, such as ROLE_USER");
                None
            }
        };
        if self.parts.is_empty() {
            violations.add(field("parts"), "at least one part is required");
        }
        if self.parts.len() > MAX_PARTS {
            violations.add(field("parts"), format!("at most {MAX_PARTS} parts are accepted"));
            return None;
        }
        let mut parts = Vec::with_capacity(self.parts.len());
        for (index, part) in self.parts.into_iter().enumerate() {
            parts.extend(part.check(&format!("{path}.parts[{index}]"), violations));
        }
        let id = |id: Cow<'_, str>| (!id.is_empty()).then(|| id.into_owned());
        Some(baton_types::Message {
            id: self.message_id.into_owned().into(),
            role: role?,
            parts,
            context: self.context_id.and_then(id).map(ContextId::from),
            task: self.task_id.and_then(id).map(TaskId::from),
            metadata: self.metadata,
            extensions: self.extensions.into_iter().map(Cow::into_owned).collect(),
            reference_tasks: self.reference_task_ids.into_iter().map(|id| id.into_owned().into()).collect(),
        })
    }
}

/// Adds a violation if an id is empty, too long, or contains control characters, which would break log lines and
/// headers.
pub(crate) fn check_id(id: &str, path: &str, violations: &mut Violations) {
    if id.is_empty() {
        violations.add(path, "required");
    } else if id.len() > MAX_ID_LEN {
        violations.add(path, format!("at most {MAX_ID_LEN} bytes are accepted"));
    } else if id.chars().any(char::is_control) {
        violations.add(path, "control characters are not accepted");
    }
}
