//! Push configurations: where a caller wants to be told about a task.

use super::{Error, message::check_id};
use crate::{Violations, de};
use baton_types::{PushAuthentication, PushConfig, PushDialect, TaskId};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Longest URL, token or credential that is kept.
const MAX_TEXT: usize = 4096;

/// A push configuration; also what `CreateTaskPushNotificationConfig` is asked with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskPushNotificationConfig<'a> {
    /// Opaque routing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<Cow<'a, str>>,
    /// Unique within the task; the server chooses one when it is empty.
    #[serde(skip_serializing_if = "str::is_empty", deserialize_with = "de::or_default")]
    pub id: Cow<'a, str>,
    /// The task.
    #[serde(skip_serializing_if = "str::is_empty", alias = "task_id", deserialize_with = "de::or_default")]
    pub task_id: Cow<'a, str>,
    /// The receiver.
    #[serde(deserialize_with = "de::or_default")]
    pub url: Cow<'a, str>,
    /// Comes back with every notification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<Cow<'a, str>>,
    /// How the server shows who it is.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub authentication: Option<AuthenticationInfo<'a>>,
}

/// The `Authorization` header of notifications.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AuthenticationInfo<'a> {
    /// Such as `Bearer`.
    #[serde(deserialize_with = "de::or_default")]
    pub scheme: Cow<'a, str>,
    /// What follows the scheme.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credentials: Option<Cow<'a, str>>,
}

/// Parameters of `GetTaskPushNotificationConfig` and `DeleteTaskPushNotificationConfig`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskPushNotificationConfigRequest<'a> {
    /// Opaque routing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<Cow<'a, str>>,
    /// The task.
    #[serde(alias = "task_id", deserialize_with = "de::or_default")]
    pub task_id: Cow<'a, str>,
    /// The configuration.
    #[serde(deserialize_with = "de::or_default")]
    pub id: Cow<'a, str>,
}

/// Parameters of `ListTaskPushNotificationConfigs`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListTaskPushNotificationConfigsRequest<'a> {
    /// Opaque routing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<Cow<'a, str>>,
    /// The task.
    #[serde(alias = "task_id", deserialize_with = "de::or_default")]
    pub task_id: Cow<'a, str>,
    /// Most configurations; all of them, when it is absent or 0.
    #[serde(skip_serializing_if = "Option::is_none", alias = "page_size", deserialize_with = "de::maybe_integer")]
    pub page_size: Option<i32>,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none", alias = "page_token")]
    pub page_token: Option<Cow<'a, str>>,
}

/// The push configurations of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListTaskPushNotificationConfigsResponse<'a> {
    /// The configurations.
    #[serde(deserialize_with = "de::objects")]
    pub configs: Vec<TaskPushNotificationConfig<'a>>,
    /// Where the next page starts; empty on the last.
    #[serde(alias = "next_page_token", deserialize_with = "de::or_default")]
    pub next_page_token: Cow<'a, str>,
}

/// Parameters of `GetExtendedAgentCard`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GetExtendedAgentCardRequest<'a> {
    /// Opaque routing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<Cow<'a, str>>,
}

impl<'a> TaskPushNotificationConfig<'a> {
    /// A stored configuration as its owner sees it.
    pub fn of(task: &'a TaskId, config: &'a PushConfig) -> Self {
        let authentication = config.authentication.as_ref().map(|authentication| AuthenticationInfo {
            scheme: Cow::Borrowed(&authentication.scheme),
            credentials: authentication.credentials.as_deref().map(Cow::Borrowed),
        });
        Self {
            tenant: None,
            id: Cow::Borrowed(config.id.as_str()),
            task_id: Cow::Borrowed(task.as_str()),
            url: Cow::Borrowed(&config.url),
            token: config.token.as_deref().map(Cow::Borrowed),
            authentication,
        }
    }

    /// The configuration for storing, its id perhaps empty; what is wrong goes to `violations` under `path`.
    pub fn check(self, path: &str, dialect: PushDialect, violations: &mut Violations) -> PushConfig {
        let field = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        if !self.id.is_empty() {
            check_id(&self.id, &field("id"), violations);
        }
        if self.url.is_empty() {
            violations.add(field("url"), "required, such as https://example.com/hook");
        } else {
            check_text(&self.url, &field("url"), violations);
        }
        let text = |text: Option<Cow<'a, str>>| text.filter(|text| !text.is_empty()).map(Cow::into_owned);
        let token = text(self.token);
        if let Some(token) = &token {
            check_text(token, &field("token"), violations);
        }
        let authentication = self.authentication.map(|given| {
            let scheme = given.scheme.into_owned();
            if !is_token(&scheme) {
                violations.add(field("authentication.scheme"), "required, such as Bearer");
            }
            let credentials = text(given.credentials);
            if let Some(credentials) = &credentials {
                check_text(credentials, &field("authentication.credentials"), violations);
            }
            PushAuthentication { scheme, credentials }
        });
        PushConfig { id: self.id.into_owned().into(), url: self.url.into_owned(), token, authentication, dialect }
    }

    /// The task and the configuration of a `CreateTaskPushNotificationConfig`, or every field that is wrong.
    pub fn check_create(self, dialect: PushDialect) -> Result<(TaskId, PushConfig), Error> {
        let mut violations = Violations::default();
        check_id(&self.task_id, "taskId", &mut violations);
        let task = TaskId::from(self.task_id.as_ref());
        let config = self.check("", dialect, &mut violations);
        violations.none_or((task, config)).map_err(Error::invalid_params)
    }
}

impl TaskPushNotificationConfigRequest<'_> {
    /// Every field that is wrong.
    pub fn check(&self) -> Result<(), Error> {
        let mut violations = Violations::default();
        check_id(&self.task_id, "taskId", &mut violations);
        check_id(&self.id, "id", &mut violations);
        violations.none_or(()).map_err(Error::invalid_params)
    }
}

impl ListTaskPushNotificationConfigsRequest<'_> {
    /// Every field that is wrong.
    pub fn check(&self) -> Result<(), Error> {
        let mut violations = Violations::default();
        check_id(&self.task_id, "taskId", &mut violations);
        if self.page_size.is_some_and(|size| size < 0) {
            violations.add("pageSize", "must not be negative");
        }
        if let Some(token) = self.page_token.as_deref().filter(|token| !token.is_empty()) {
            check_id(token, "pageToken", &mut violations);
        }
        violations.none_or(()).map_err(Error::invalid_params)
    }
}

/// These texts end up in headers and request lines, so they must be one visible line.
fn check_text(text: &str, path: &str, violations: &mut Violations) {
    if text.len() > MAX_TEXT {
        violations.add(path, format!("at most {MAX_TEXT} bytes are accepted"));
    } else if !text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        violations.add(path, "only visible ASCII characters are accepted");
    }
}

fn is_token(scheme: &str) -> bool {
    (1..=64).contains(&scheme.len())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+".contains(&byte))
}
