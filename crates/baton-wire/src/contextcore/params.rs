//! Parameters of methods.

use super::{Message, Role, metadata};
use crate::{
    a2a::v1::{self, Error, check_id},
    de,
    members::ObjectMembers,
};
use baton_types::{FieldViolation, Json, Violations};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Parameters of `message.send`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SendParams {
    /// The message.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub message: Option<Message>,
    /// Context id; may be set in the message instead.
    #[serde(skip_serializing_if = "Option::is_none", alias = "context_id")]
    pub context_id: Option<String>,
    /// Id of the task that the message continues; may be set in the message instead.
    #[serde(skip_serializing_if = "Option::is_none", alias = "task_id")]
    pub task_id: Option<String>,
    /// Requested capability of the agent.
    #[serde(skip_serializing_if = "Option::is_none", alias = "capability_id")]
    pub capability_id: Option<String>,
    /// JSON object, defined by the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

impl SendParams {
    /// The send in 1.0, non-blocking, or all violations. A message without an id gets a generated one.
    ///
    /// Checks of 1.0, such as the number of parts, are left to [`v1::SendMessageRequest::check`].
    pub fn into_v1(self, fresh_id: impl FnOnce() -> String) -> Result<v1::SendMessageRequest<'static>, Error> {
        let mut violations = Violations::default();
        let Some(mut message) = self.message else {
            violations.add("message", "required");
            return Err(Error::invalid_params(violations));
        };
        if message.message_id.is_empty() {
            message.message_id = fresh_id();
        }
        match message.role {
            Role::User => {}
            Role::Agent => violations.add("message.role", "must be user; agent is reserved for the agent"),
            Role::System => {
                violations.add("message.role", "must be user; system instructions belong in the agent's definition");
            }
        }
        let mut resolve_id = |outer: Option<String>, inner: Option<String>, name: &str| {
            let (outer, inner) = (non_empty(outer), non_empty(inner));
            if let (Some(outer), Some(inner)) = (&outer, &inner)
                && outer != inner
            {
                violations.add(name, format!("must be the same as message.{name}, or absent"));
            }
            outer.or(inner)
        };
        message.task_id = resolve_id(self.task_id, message.task_id, "taskId");
        message.context_id = resolve_id(self.context_id, message.context_id, "contextId");
        if message.context_id.is_none() && message.task_id.is_none() {
            message.context_id = non_empty(message.conversation_id.clone());
        }
        let mut own = ObjectMembers::default();
        if let Some(capability) = non_empty(self.capability_id) {
            check_id(&capability, "capabilityId", &mut violations);
            own.put("capabilityId", Json::string(&capability));
        }
        let mut message = message.into_v1("message", &mut violations);
        if message.metadata.as_ref().is_none_or(Json::is_object) {
            message.metadata = metadata::add(message.metadata, own, || "message.metadata".to_owned(), &mut violations);
        }
        let configuration = v1::SendMessageConfiguration { return_immediately: true, ..Default::default() };
        let request = v1::SendMessageRequest {
            tenant: None,
            message: Some(message),
            configuration: Some(configuration),
            metadata: self.metadata,
        };
        violations.into_result(request).map_err(Error::invalid_params)
    }
}

/// An empty string counts as absent.
fn non_empty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

impl From<v1::SendMessageRequest<'_>> for SendParams {
    /// For clients of a ContextCore server. The response options are dropped, because the dialect has none.
    fn from(request: v1::SendMessageRequest<'_>) -> Self {
        let Some(mut message) = request.message else {
            return Self { metadata: request.metadata, ..Self::default() };
        };
        let (rest, mut own) = metadata::extract(message.metadata.take(), |name, value| {
            name == "capabilityId" && metadata::is_text(value)
        });
        message.metadata = rest;
        let message = Message::from(message);
        Self {
            context_id: message.context_id.clone(),
            task_id: message.task_id.clone(),
            message: Some(message),
            capability_id: own.take_text(&["capabilityId"]),
            metadata: request.metadata,
        }
    }
}

/// Parameters of `tasks.get` and `tasks.cancel`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskParams {
    /// Task id.
    #[serde(alias = "task_id", deserialize_with = "de::or_default")]
    pub task_id: String,
}

impl TaskParams {
    /// `GetTask` with the full history.
    pub fn into_get(self) -> Result<v1::GetTaskRequest<'static>, Error> {
        Ok(v1::GetTaskRequest { id: self.checked_id()?, ..v1::GetTaskRequest::default() })
    }

    /// `CancelTask`.
    pub fn into_cancel(self) -> Result<v1::CancelTaskRequest<'static>, Error> {
        Ok(v1::CancelTaskRequest { id: self.checked_id()?, ..v1::CancelTaskRequest::default() })
    }

    fn checked_id(self) -> Result<Cow<'static, str>, Error> {
        let mut violations = Violations::default();
        check_id(&self.task_id, "taskId", &mut violations);
        violations.into_result(Cow::Owned(self.task_id)).map_err(Error::invalid_params)
    }
}

/// Parameters of `tasks.list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListParams {
    /// Filter by context id.
    #[serde(skip_serializing_if = "Option::is_none", alias = "context_id")]
    pub context_id: Option<String>,
    /// Maximum number of tasks, 1 to 100.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_integer")]
    pub limit: Option<i64>,
}

impl ListParams {
    /// Default and maximum number of tasks; ContextCore's client sends the same value.
    pub const DEFAULT_LIMIT: i32 = 100;

    /// `ListTasks` with artifacts, because the dialect always includes them.
    pub fn into_v1(self) -> Result<v1::ListTasksRequest<'static>, Error> {
        let limit = self.limit.map_or(Ok(Self::DEFAULT_LIMIT), i32::try_from);
        let Some(limit) = limit.ok().filter(|limit| (1..=Self::DEFAULT_LIMIT).contains(limit)) else {
            let description = format!("must be 1 to {}", Self::DEFAULT_LIMIT);
            return Err(Error::invalid_params(FieldViolation { field: "limit".to_owned(), description }.into()));
        };
        Ok(v1::ListTasksRequest {
            context_id: non_empty(self.context_id).map(Cow::Owned),
            page_size: Some(limit),
            include_artifacts: Some(true),
            ..v1::ListTasksRequest::default()
        })
    }
}
