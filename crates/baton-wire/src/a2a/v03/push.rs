//! Push configurations: where a caller wants to be told about a task.

use super::{at::At, request::check_ids};
use crate::{
    Violations,
    a2a::v1::{self, Error},
    de,
};
use baton_types::Json;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Where to push updates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PushNotificationConfig<'a> {
    /// Unique within the task; the server chooses one when it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Cow<'a, str>>,
    /// The receiver.
    #[serde(deserialize_with = "de::or_default")]
    pub url: Cow<'a, str>,
    /// Comes back with every notification, as `X-A2A-Notification-Token`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<Cow<'a, str>>,
    /// How the server shows who it is.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub authentication: Option<PushNotificationAuthenticationInfo<'a>>,
}

/// The `Authorization` header of notifications.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PushNotificationAuthenticationInfo<'a> {
    /// Such as `Bearer`; the first is used.
    #[serde(deserialize_with = "de::or_default")]
    pub schemes: Vec<Cow<'a, str>>,
    /// What follows the scheme.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credentials: Option<Cow<'a, str>>,
}

/// A push configuration of a task; also what `tasks/pushNotificationConfig/set` is asked with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskPushNotificationConfig<'a> {
    /// The task.
    #[serde(alias = "task_id", deserialize_with = "de::or_default")]
    pub task_id: Cow<'a, str>,
    /// The configuration.
    #[serde(alias = "push_notification_config", deserialize_with = "de::object")]
    pub push_notification_config: PushNotificationConfig<'a>,
}

/// The result of `tasks/pushNotificationConfig/list`: a bare array.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaskPushNotificationConfigs<'a>(
    /// The configurations.
    #[serde(deserialize_with = "de::objects")]
    pub Vec<TaskPushNotificationConfig<'a>>,
);

/// Parameters of `tasks/pushNotificationConfig/get`; without a configuration's id they ask for the task's only one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GetPushParams<'a> {
    /// The task.
    #[serde(deserialize_with = "de::or_default")]
    pub id: Cow<'a, str>,
    /// The configuration.
    #[serde(skip_serializing_if = "Option::is_none", alias = "push_notification_config_id")]
    pub push_notification_config_id: Option<Cow<'a, str>>,
    /// A JSON object of the caller's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

/// Parameters of `tasks/pushNotificationConfig/delete`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeletePushParams<'a> {
    /// The task.
    #[serde(deserialize_with = "de::or_default")]
    pub id: Cow<'a, str>,
    /// The configuration.
    #[serde(alias = "push_notification_config_id", deserialize_with = "de::or_default")]
    pub push_notification_config_id: Cow<'a, str>,
    /// A JSON object of the caller's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

impl<'a> PushNotificationConfig<'a> {
    /// The configuration of `task` in 1.0.
    pub fn into_v1(self, task: Cow<'a, str>) -> v1::TaskPushNotificationConfig<'a> {
        v1::TaskPushNotificationConfig {
            id: self.id.unwrap_or_default(),
            task_id: task,
            url: self.url,
            token: self.token,
            authentication: self.authentication.and_then(PushNotificationAuthenticationInfo::into_v1),
            ..v1::TaskPushNotificationConfig::default()
        }
    }

    pub(super) fn check(&self, at: At<'_>, violations: &mut Violations) {
        if self.url.is_empty() {
            violations.add(at.field("url").to_string(), "required, such as https://example.com/hook");
        }
        if let Some(PushNotificationAuthenticationInfo { schemes, credentials: Some(_) }) = &self.authentication
            && schemes.first().is_none_or(|scheme| scheme.is_empty())
        {
            let at = at.field("authentication");
            violations.add(at.field("schemes").to_string(), "required beside credentials, such as [\"Bearer\"]");
        }
    }
}

impl<'a> PushNotificationAuthenticationInfo<'a> {
    /// The header in 1.0, which has one scheme; without scheme and credentials there is none.
    pub(super) fn into_v1(self) -> Option<v1::AuthenticationInfo<'a>> {
        let scheme = self.schemes.into_iter().next();
        let credentials = self.credentials;
        (scheme.is_some() || credentials.is_some())
            .then(|| v1::AuthenticationInfo { scheme: scheme.unwrap_or_default(), credentials })
    }
}

impl<'a> From<v1::AuthenticationInfo<'a>> for PushNotificationAuthenticationInfo<'a> {
    fn from(authentication: v1::AuthenticationInfo<'a>) -> Self {
        Self { schemes: vec![authentication.scheme], credentials: authentication.credentials }
    }
}

impl<'a> From<v1::TaskPushNotificationConfig<'a>> for PushNotificationConfig<'a> {
    fn from(config: v1::TaskPushNotificationConfig<'a>) -> Self {
        Self {
            id: Some(config.id).filter(|id| !id.is_empty()),
            url: config.url,
            token: config.token,
            authentication: config.authentication.map(PushNotificationAuthenticationInfo::from),
        }
    }
}

impl<'a> TaskPushNotificationConfig<'a> {
    /// The configuration in 1.0.
    pub fn into_v1(self) -> v1::TaskPushNotificationConfig<'a> {
        self.push_notification_config.into_v1(self.task_id)
    }

    /// Every field that 1.0 would name otherwise and that is wrong.
    pub fn check(&self) -> Result<(), Error> {
        let mut violations = Violations::default();
        v1::check_id(&self.task_id, "taskId", &mut violations);
        self.push_notification_config.check(At::Root.field("pushNotificationConfig"), &mut violations);
        violations.none_or(()).map_err(Error::invalid_params)
    }
}

impl<'a> From<v1::TaskPushNotificationConfig<'a>> for TaskPushNotificationConfig<'a> {
    fn from(mut config: v1::TaskPushNotificationConfig<'a>) -> Self {
        let task_id = std::mem::take(&mut config.task_id);
        Self { task_id, push_notification_config: config.into() }
    }
}

impl<'a> From<v1::ListTaskPushNotificationConfigsResponse<'a>> for TaskPushNotificationConfigs<'a> {
    fn from(list: v1::ListTaskPushNotificationConfigsResponse<'a>) -> Self {
        Self(list.configs.into_iter().map(TaskPushNotificationConfig::from).collect())
    }
}

impl<'a> TaskPushNotificationConfigs<'a> {
    /// The list in 1.0, all on one page.
    pub fn into_v1(self) -> v1::ListTaskPushNotificationConfigsResponse<'a> {
        let configs = self.0.into_iter().map(TaskPushNotificationConfig::into_v1).collect();
        v1::ListTaskPushNotificationConfigsResponse { configs, ..Default::default() }
    }
}

impl<'a> GetPushParams<'a> {
    /// The ids of the task and of the configuration, if it is named.
    pub fn into_v1(self) -> (Cow<'a, str>, Option<Cow<'a, str>>) {
        (self.id, self.push_notification_config_id.filter(|id| !id.is_empty()))
    }

    /// Notes missing or unusable ids under the names that 0.3 gives them.
    pub fn check(&self) -> Result<(), Error> {
        match self.push_notification_config_id.as_deref() {
            None | Some("") => check_ids(&[("id", &self.id)]),
            Some(config) => check_ids(&[("id", &self.id), ("pushNotificationConfigId", config)]),
        }
    }
}

impl<'a> From<v1::TaskPushNotificationConfigRequest<'a>> for GetPushParams<'a> {
    fn from(request: v1::TaskPushNotificationConfigRequest<'a>) -> Self {
        Self { id: request.task_id, push_notification_config_id: Some(request.id), metadata: None }
    }
}

impl<'a> DeletePushParams<'a> {
    /// The request in 1.0.
    pub fn into_v1(self) -> v1::TaskPushNotificationConfigRequest<'a> {
        v1::TaskPushNotificationConfigRequest {
            task_id: self.id,
            id: self.push_notification_config_id,
            ..v1::TaskPushNotificationConfigRequest::default()
        }
    }

    /// Notes missing or unusable ids under the names that 0.3 gives them.
    pub fn check(&self) -> Result<(), Error> {
        check_ids(&[("id", &self.id), ("pushNotificationConfigId", &self.push_notification_config_id)])
    }
}

impl<'a> From<v1::TaskPushNotificationConfigRequest<'a>> for DeletePushParams<'a> {
    fn from(request: v1::TaskPushNotificationConfigRequest<'a>) -> Self {
        Self { id: request.task_id, push_notification_config_id: request.id, metadata: None }
    }
}
