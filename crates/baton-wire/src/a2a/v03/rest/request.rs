//! Parameters of sends.

use super::{Message, push::into_v1};
use crate::{
    a2a::{
        v1::{self, Error, MAX_PARTS},
        v03::{
            PushNotificationConfig,
            request::{check_role, history_from_v1, history_into_v1},
            request_path::RequestPath,
        },
    },
    de, error_codes,
};
use baton_types::{Json, Violations};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The body of `POST /v1/message:send` and `POST /v1/message:stream`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SendMessageRequest<'a> {
    /// The message. The proto field is `request`; its JSON name is `message`.
    #[serde(skip_serializing_if = "Option::is_none", alias = "request", deserialize_with = "de::maybe_object")]
    pub message: Option<Message<'a>>,
    /// Options of the response.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub configuration: Option<SendMessageConfiguration<'a>>,
    /// JSON object, defined by the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

/// Options of the response to a send.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SendMessageConfiguration<'a> {
    /// MIME types that the caller accepts.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        alias = "accepted_output_modes",
        deserialize_with = "de::or_default"
    )]
    pub accepted_output_modes: Vec<Cow<'a, str>>,
    /// Push configuration for updates.
    #[serde(
        skip_serializing_if = "Option::is_none",
        alias = "push_notification",
        deserialize_with = "de::maybe_object"
    )]
    pub push_notification: Option<PushNotificationConfig<'a>>,
    /// Maximum number of history messages in the response; 0 means all.
    #[serde(skip_serializing_if = "Option::is_none", alias = "history_length", deserialize_with = "de::maybe_integer")]
    pub history_length: Option<i32>,
    /// Whether to respond only when the task has ended or needs input; omitted by clients if false.
    #[serde(deserialize_with = "de::or_default")]
    pub blocking: bool,
}

impl<'a> SendMessageRequest<'a> {
    /// The request in 1.0, or the violations of fields that have another name in 1.0.
    pub fn into_v1(self) -> Result<v1::SendMessageRequest<'a>, Error> {
        let (mut violations, at) = (Violations::default(), RequestPath::Root);
        let mut too_many = false;
        let message = self.message.map(|message| {
            let at = at.field("message");
            check_role(message.role, at.field("role"), ("ROLE_USER", "ROLE_AGENT"), &mut violations);
            if message.content.is_empty() {
                violations.add(at.field("content").to_string(), "at least one part is required");
            }
            too_many = message.content.len() > MAX_PARTS;
            if too_many {
                violations.add(at.field("content").to_string(), format!("at most {MAX_PARTS} parts are accepted"));
            }
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
        violations.into_result(request).map_err(|violations| match Error::invalid_params(violations) {
            error if too_many => error.with_code(error_codes::TOO_MANY_PARTS),
            error => error,
        })
    }
}

impl<'a> SendMessageConfiguration<'a> {
    fn read(self, at: RequestPath<'_>, violations: &mut Violations) -> v1::SendMessageConfiguration<'a> {
        let push = self.push_notification;
        if let Some(push) = &push {
            push.check(at.field("pushNotification"), violations);
        }
        v1::SendMessageConfiguration {
            accepted_output_modes: self.accepted_output_modes,
            task_push_notification_config: push.map(|push| into_v1(push, Cow::Borrowed(""))),
            history_length: history_into_v1(self.history_length),
            return_immediately: !self.blocking,
        }
    }
}

impl<'a> From<v1::SendMessageRequest<'a>> for SendMessageRequest<'a> {
    fn from(request: v1::SendMessageRequest<'a>) -> Self {
        Self {
            message: request.message.map(Message::from),
            configuration: request.configuration.map(SendMessageConfiguration::from),
            metadata: request.metadata,
        }
    }
}

impl<'a> From<v1::SendMessageConfiguration<'a>> for SendMessageConfiguration<'a> {
    fn from(configuration: v1::SendMessageConfiguration<'a>) -> Self {
        Self {
            accepted_output_modes: configuration.accepted_output_modes,
            push_notification: configuration.task_push_notification_config.map(PushNotificationConfig::from),
            history_length: history_from_v1(configuration.history_length),
            blocking: !configuration.return_immediately,
        }
    }
}
