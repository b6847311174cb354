//! Push configurations, identified by resource names.

use super::part::non_empty;
use crate::{
    a2a::{
        v1::{self, Error},
        v03::{PushNotificationConfig, request_path::RequestPath},
    },
    de,
};
use baton_types::Violations;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

const TASKS: &str = "tasks/";
const CONFIGS: &str = "/pushNotificationConfigs/";

/// The resource name of a task.
pub fn task_name(task: &str) -> String {
    format!("{TASKS}{task}")
}

/// The resource name of a push configuration.
pub fn push_name(task: &str, config: &str) -> String {
    format!("{TASKS}{task}{CONFIGS}{config}")
}

/// The task id in a resource name of a task or of a child resource.
pub fn parse_task_name(name: &str) -> Option<&str> {
    name.strip_prefix(TASKS)?.split('/').next().filter(|id| !id.is_empty())
}

/// The task id and configuration id in a resource name of a push configuration. The configuration id is chosen by the
/// client and may contain a slash.
pub fn parse_push_name(name: &str) -> Option<(&str, &str)> {
    let (task, config) = name.strip_prefix(TASKS)?.split_once(CONFIGS)?;
    (!task.is_empty() && !config.is_empty() && !task.contains('/')).then_some((task, config))
}

/// A push configuration of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskPushNotificationConfig<'a> {
    /// `tasks/{id}/pushNotificationConfigs/{id}`.
    #[serde(deserialize_with = "de::or_default")]
    pub name: Cow<'a, str>,
    /// The configuration.
    #[serde(alias = "push_notification_config", deserialize_with = "de::object")]
    pub push_notification_config: PushNotificationConfig<'a>,
}

/// The body of `POST /v1/tasks/{id}/pushNotificationConfigs`.
///
/// SDKs send the full request with the configuration in `config`; by the HTTP rule of the proto, the configuration
/// itself is the body. Both are accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CreatePushRequest<'a> {
    /// `tasks/{id}`; also part of the path.
    #[serde(skip_serializing_if = "str::is_empty", deserialize_with = "de::or_default")]
    pub parent: Cow<'a, str>,
    /// The requested id.
    #[serde(skip_serializing_if = "str::is_empty", alias = "config_id", deserialize_with = "de::or_default")]
    pub config_id: Cow<'a, str>,
    /// The configuration. The id in its name is ignored, because SDKs write `None` for a missing id.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub config: Option<TaskPushNotificationConfig<'a>>,
    /// The name, if the configuration itself is the body.
    #[serde(skip_serializing_if = "str::is_empty", deserialize_with = "de::or_default")]
    pub name: Cow<'a, str>,
    /// The configuration, if it is the body.
    #[serde(
        skip_serializing_if = "Option::is_none",
        alias = "push_notification_config",
        deserialize_with = "de::maybe_object"
    )]
    pub push_notification_config: Option<PushNotificationConfig<'a>>,
}

/// Response to `GET /v1/tasks/{id}/pushNotificationConfigs`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListPushResponse<'a> {
    /// The configurations.
    #[serde(deserialize_with = "de::objects")]
    pub configs: Vec<TaskPushNotificationConfig<'a>>,
    /// Token of the next page; empty on the last page.
    #[serde(skip_serializing_if = "str::is_empty", alias = "next_page_token", deserialize_with = "de::or_default")]
    pub next_page_token: Cow<'a, str>,
}

/// The configuration in 1.0, with empty strings removed: proto3 does not distinguish them from absent ones.
pub(super) fn into_v1<'a>(
    mut config: PushNotificationConfig<'a>,
    task: Cow<'a, str>,
) -> v1::TaskPushNotificationConfig<'a> {
    config.token = non_empty(config.token);
    if let Some(authentication) = &mut config.authentication {
        authentication.credentials = non_empty(authentication.credentials.take());
    }
    config.into_v1(task)
}

impl<'a> TaskPushNotificationConfig<'a> {
    /// The configuration in 1.0; missing ids are taken from its name.
    pub fn into_v1(self) -> v1::TaskPushNotificationConfig<'a> {
        let (task, id) = parse_push_name(&self.name).unwrap_or_default();
        let (task, id) = (task.to_owned(), id.to_owned());
        let mut config = into_v1(self.push_notification_config, Cow::Owned(task));
        if config.id.is_empty() {
            config.id = Cow::Owned(id);
        }
        config
    }
}

impl<'a> From<v1::TaskPushNotificationConfig<'a>> for TaskPushNotificationConfig<'a> {
    fn from(config: v1::TaskPushNotificationConfig<'a>) -> Self {
        Self { name: Cow::Owned(push_name(&config.task_id, &config.id)), push_notification_config: config.into() }
    }
}

impl<'a> CreatePushRequest<'a> {
    /// The request in 1.0. The caller sets the task id from the path.
    pub fn into_v1(self) -> v1::TaskPushNotificationConfig<'a> {
        let (nested, name) = match self.config {
            Some(config) => (config.push_notification_config, config.name),
            None => (self.push_notification_config.unwrap_or_default(), self.name),
        };
        let task = parse_task_name(&self.parent).or_else(|| parse_task_name(&name)).unwrap_or_default().to_owned();
        let mut config = into_v1(nested, Cow::Owned(task));
        if config.id.is_empty() {
            config.id = self.config_id;
        }
        config
    }

    /// Returns the violations of fields that have another name in 1.0.
    pub fn check(&self) -> Result<(), Error> {
        let (mut violations, at) = (Violations::default(), RequestPath::Root);
        let absent = PushNotificationConfig::default();
        match &self.config {
            Some(config) => {
                let at = at.field("config");
                config.push_notification_config.check(at.field("pushNotificationConfig"), &mut violations);
            }
            None => {
                let config = self.push_notification_config.as_ref().unwrap_or(&absent);
                config.check(at.field("pushNotificationConfig"), &mut violations);
            }
        }
        violations.into_result(()).map_err(Error::invalid_params)
    }
}

impl<'a> From<v1::TaskPushNotificationConfig<'a>> for CreatePushRequest<'a> {
    fn from(config: v1::TaskPushNotificationConfig<'a>) -> Self {
        Self {
            parent: Cow::Owned(task_name(&config.task_id)),
            config_id: config.id.clone(),
            config: Some(config.into()),
            ..Self::default()
        }
    }
}

impl<'a> ListPushResponse<'a> {
    /// The list in 1.0.
    pub fn into_v1(self) -> v1::ListTaskPushNotificationConfigsResponse<'a> {
        v1::ListTaskPushNotificationConfigsResponse {
            configs: self.configs.into_iter().map(TaskPushNotificationConfig::into_v1).collect(),
            next_page_token: self.next_page_token,
        }
    }
}

impl<'a> From<v1::ListTaskPushNotificationConfigsResponse<'a>> for ListPushResponse<'a> {
    fn from(list: v1::ListTaskPushNotificationConfigsResponse<'a>) -> Self {
        Self {
            configs: list.configs.into_iter().map(TaskPushNotificationConfig::from).collect(),
            next_page_token: list.next_page_token,
        }
    }
}
