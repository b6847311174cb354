//! Parameters of operations.

use super::{Message, PushNotificationConfig, Role, request_path::RequestPath};
use crate::{
    a2a::v1::{self, Error},
    de,
};
use baton_types::{Json, Violations};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Parameters of `message/send` and `message/stream`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MessageSendParams<'a> {
    /// The message.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub message: Option<Message<'a>>,
    /// Options of the response.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub configuration: Option<MessageSendConfiguration<'a>>,
    /// JSON object, defined by the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

/// Options of the response to a send.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MessageSendConfiguration<'a> {
    /// MIME types that the caller accepts.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        alias = "accepted_output_modes",
        deserialize_with = "de::or_default"
    )]
    pub accepted_output_modes: Vec<Cow<'a, str>>,
    /// Whether to respond only when the task has ended or needs input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocking: Option<bool>,
    /// Maximum number of history messages in the response; 0 means all.
    #[serde(skip_serializing_if = "Option::is_none", alias = "history_length", deserialize_with = "de::maybe_integer")]
    pub history_length: Option<i32>,
    /// Push configuration for updates.
    #[serde(
        skip_serializing_if = "Option::is_none",
        alias = "push_notification_config",
        deserialize_with = "de::maybe_object"
    )]
    pub push_notification_config: Option<PushNotificationConfig<'a>>,
}

/// Parameters of `tasks/get`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskQueryParams<'a> {
    /// Task id.
    #[serde(deserialize_with = "de::or_default")]
    pub id: Cow<'a, str>,
    /// Maximum number of history messages; 0 means all.
    #[serde(skip_serializing_if = "Option::is_none", alias = "history_length", deserialize_with = "de::maybe_integer")]
    pub history_length: Option<i32>,
    /// JSON object, defined by the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

/// Parameters of `tasks/cancel`, `tasks/resubscribe` and `tasks/pushNotificationConfig/list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskIdParams<'a> {
    /// Task id.
    #[serde(deserialize_with = "de::or_default")]
    pub id: Cow<'a, str>,
    /// JSON object, defined by the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

/// In 0.3 an absent length and 0 both mean all messages.
pub(super) fn history_into_v1(length: Option<i32>) -> Option<i32> {
    length.filter(|length| *length != 0)
}

/// 0.3 cannot request an empty history, so it requests one message.
pub(super) fn history_from_v1(length: Option<i32>) -> Option<i32> {
    length.map(|length| if length == 0 { 1 } else { length })
}

/// Adds a violation if the role is not the user's.
pub(super) fn check_role(role: v1::Role, at: RequestPath<'_>, names: (&str, &str), violations: &mut Violations) {
    let (user, agent) = names;
    match role {
        v1::Role::User => {}
        v1::Role::Agent => {
            violations.add(at.to_string(), format!("must be {user}; {agent} is reserved for the agent"));
        }
        v1::Role::Unspecified => violations.add(at.to_string(), format!("required, such as {user}")),
    }
}

impl<'a> MessageSendParams<'a> {
    /// The request in 1.0, or the violations of fields that have another name in 1.0.
    pub fn into_v1(self) -> Result<v1::SendMessageRequest<'a>, Error> {
        let mut violations = Violations::default();
        let at = RequestPath::Root;
        let message = self.message.map(|message| {
            let at = at.field("message");
            let role = message.role.map(Role::into_v1).unwrap_or_default();
            check_role(role, at.field("role"), ("user", "agent"), &mut violations);
            message.read(at, &mut violations)
        });
        let configuration =
            self.configuration.map(|configuration| configuration.read(at.field("configuration"), &mut violations));
        let request = v1::SendMessageRequest {
            message,
            configuration,
            metadata: self.metadata,
            ..v1::SendMessageRequest::default()
        };
        violations.into_result(request).map_err(Error::invalid_params)
    }
}

impl<'a> MessageSendConfiguration<'a> {
    fn read(self, at: RequestPath<'_>, violations: &mut Violations) -> v1::SendMessageConfiguration<'a> {
        let push = self.push_notification_config;
        if let Some(push) = &push {
            push.check(at.field("pushNotificationConfig"), violations);
        }
        v1::SendMessageConfiguration {
            accepted_output_modes: self.accepted_output_modes,
            task_push_notification_config: push.map(|push| push.into_v1(Cow::Borrowed(""))),
            history_length: history_into_v1(self.history_length),
            return_immediately: self.blocking == Some(false),
        }
    }
}

impl<'a> From<v1::SendMessageRequest<'a>> for MessageSendParams<'a> {
    fn from(request: v1::SendMessageRequest<'a>) -> Self {
        Self {
            message: request.message.map(Message::from),
            configuration: request.configuration.map(MessageSendConfiguration::from),
            metadata: request.metadata,
        }
    }
}

impl<'a> From<v1::SendMessageConfiguration<'a>> for MessageSendConfiguration<'a> {
    fn from(configuration: v1::SendMessageConfiguration<'a>) -> Self {
        Self {
            accepted_output_modes: configuration.accepted_output_modes,
            blocking: Some(!configuration.return_immediately),
            history_length: history_from_v1(configuration.history_length),
            push_notification_config: configuration.task_push_notification_config.map(PushNotificationConfig::from),
        }
    }
}

impl<'a> TaskQueryParams<'a> {
    /// The request in 1.0.
    pub fn into_v1(self) -> v1::GetTaskRequest<'a> {
        let history_length = history_into_v1(self.history_length);
        v1::GetTaskRequest { id: self.id, history_length, ..v1::GetTaskRequest::default() }
    }
}

impl<'a> From<v1::GetTaskRequest<'a>> for TaskQueryParams<'a> {
    fn from(request: v1::GetTaskRequest<'a>) -> Self {
        Self { id: request.id, history_length: history_from_v1(request.history_length), metadata: None }
    }
}

impl<'a> TaskIdParams<'a> {
    /// The request of `tasks/cancel` in 1.0.
    pub fn into_cancel(self) -> v1::CancelTaskRequest<'a> {
        v1::CancelTaskRequest { id: self.id, metadata: self.metadata, ..v1::CancelTaskRequest::default() }
    }

    /// The request of `tasks/resubscribe` in 1.0.
    pub fn into_subscribe(self) -> v1::SubscribeToTaskRequest<'a> {
        v1::SubscribeToTaskRequest { id: self.id, ..v1::SubscribeToTaskRequest::default() }
    }

    /// The request of `tasks/pushNotificationConfig/list` in 1.0.
    pub fn into_list_push(self) -> v1::ListTaskPushNotificationConfigsRequest<'a> {
        v1::ListTaskPushNotificationConfigsRequest { task_id: self.id, ..Default::default() }
    }

    /// Returns a violation of the id under its 0.3 name.
    pub fn check(&self) -> Result<(), Error> {
        check_ids(&[("id", &self.id)])
    }
}

/// Checks the ids of a request under the given names.
pub(super) fn check_ids(ids: &[(&str, &str)]) -> Result<(), Error> {
    let mut violations = Violations::default();
    for (name, id) in ids {
        v1::check_id(id, name, &mut violations);
    }
    violations.into_result(()).map_err(Error::invalid_params)
}

impl<'a> From<v1::CancelTaskRequest<'a>> for TaskIdParams<'a> {
    fn from(request: v1::CancelTaskRequest<'a>) -> Self {
        Self { id: request.id, metadata: request.metadata }
    }
}

impl<'a> From<v1::SubscribeToTaskRequest<'a>> for TaskIdParams<'a> {
    fn from(request: v1::SubscribeToTaskRequest<'a>) -> Self {
        Self { id: request.id, metadata: None }
    }
}

impl<'a> From<v1::ListTaskPushNotificationConfigsRequest<'a>> for TaskIdParams<'a> {
    fn from(request: v1::ListTaskPushNotificationConfigsRequest<'a>) -> Self {
        Self { id: request.task_id, metadata: None }
    }
}
