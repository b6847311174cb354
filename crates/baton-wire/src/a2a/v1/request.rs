//! Parameters of operations.

use super::{
    Error, ErrorKind, HistoryLength, MAX_PARTS, Message, Role, TaskPushNotificationConfig, TaskState, message::check_id,
};
use crate::{de, error_codes};
use baton_types::{ErrorCode, FieldViolation, Json, Timestamp, Violations};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Parameters of `SendMessage` and `SendStreamingMessage`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SendMessageRequest<'a> {
    /// Opaque routing key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<Cow<'a, str>>,
    /// The message.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
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
        alias = "task_push_notification_config",
        deserialize_with = "de::maybe_object"
    )]
    pub task_push_notification_config: Option<TaskPushNotificationConfig<'a>>,
    /// Maximum number of history messages in the response.
    #[serde(skip_serializing_if = "Option::is_none", alias = "history_length", deserialize_with = "de::maybe_integer")]
    pub history_length: Option<i32>,
    /// Whether to respond as soon as the task exists.
    #[serde(alias = "return_immediately", deserialize_with = "de::or_default")]
    pub return_immediately: bool,
}

/// Parameters of `GetTask`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GetTaskRequest<'a> {
    /// Opaque routing key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<Cow<'a, str>>,
    /// Task id.
    #[serde(deserialize_with = "de::or_default")]
    pub id: Cow<'a, str>,
    /// Maximum number of history messages.
    #[serde(skip_serializing_if = "Option::is_none", alias = "history_length", deserialize_with = "de::maybe_integer")]
    pub history_length: Option<i32>,
    /// Respond when the task has changed since this generation; only used with the generation extension.
    #[serde(
        skip_serializing_if = "Option::is_none",
        alias = "current_generation",
        deserialize_with = "de::maybe_integer"
    )]
    pub current_generation: Option<i64>,
}

/// Parameters of `ListTasks`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListTasksRequest<'a> {
    /// Opaque routing key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<Cow<'a, str>>,
    /// Filter by context id.
    #[serde(skip_serializing_if = "Option::is_none", alias = "context_id")]
    pub context_id: Option<Cow<'a, str>>,
    /// Filter by state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<TaskState>,
    /// Maximum number of tasks, 1 to 100.
    #[serde(skip_serializing_if = "Option::is_none", alias = "page_size", deserialize_with = "de::maybe_integer")]
    pub page_size: Option<i32>,
    /// Token of the page.
    #[serde(skip_serializing_if = "Option::is_none", alias = "page_token")]
    pub page_token: Option<Cow<'a, str>>,
    /// Maximum number of history messages per task.
    #[serde(skip_serializing_if = "Option::is_none", alias = "history_length", deserialize_with = "de::maybe_integer")]
    pub history_length: Option<i32>,
    /// Only tasks whose status changed at or after this time.
    #[serde(skip_serializing_if = "Option::is_none", alias = "status_timestamp_after", with = "baton_types::rfc3339")]
    pub status_timestamp_after: Option<Timestamp>,
    /// Whether to include artifacts.
    #[serde(skip_serializing_if = "Option::is_none", alias = "include_artifacts")]
    pub include_artifacts: Option<bool>,
}

/// Parameters of `CancelTask`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CancelTaskRequest<'a> {
    /// Opaque routing key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<Cow<'a, str>>,
    /// Task id.
    #[serde(deserialize_with = "de::or_default")]
    pub id: Cow<'a, str>,
    /// JSON object, defined by the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

/// Parameters of `SubscribeToTask`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubscribeToTaskRequest<'a> {
    /// Opaque routing key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<Cow<'a, str>>,
    /// Task id.
    #[serde(deserialize_with = "de::or_default")]
    pub id: Cow<'a, str>,
}

impl SendMessageRequest<'_> {
    /// The message and the requested history length, or all violations.
    pub fn check(self) -> Result<(baton_types::Message, HistoryLength), Error> {
        let mut violations = Violations::default();
        super::part::check_object(self.metadata.as_ref(), || "metadata".to_owned(), &mut violations);
        let history_length = self.configuration.as_ref().and_then(|configuration| configuration.history_length);
        let history = check_history(history_length, "configuration.historyLength", &mut violations);
        let Some(message) = self.message else {
            violations.add("message", "required");
            return Err(Error::invalid_params(violations));
        };
        // A caller must not inject text as the model's output.
        if message.role == Role::Agent {
            violations.add("message.role", "must be ROLE_USER; ROLE_AGENT is reserved for the agent");
        }
        let too_many = message.parts.len() > MAX_PARTS;
        match (message.check("message", &mut violations), violations.into_result(())) {
            (Some(message), Ok(())) => Ok((message, history)),
            (_, Err(violations)) if too_many => {
                Err(Error::invalid_params(violations).with_code(error_codes::TOO_MANY_PARTS))
            }
            (_, Err(violations)) => Err(Error::invalid_params(violations)),
            (None, Ok(())) => Err(Error::new(ErrorKind::InvalidParams, ErrorCode::INVALID_REQUEST, "message: invalid")),
        }
    }
}

/// Checks a task id and an optional history length.
fn check_task(id: &str, history: Option<i32>) -> Result<HistoryLength, Error> {
    let mut violations = Violations::default();
    check_id(id, "id", &mut violations);
    let history = check_history(history, "historyLength", &mut violations);
    violations.into_result(history).map_err(Error::invalid_params)
}

impl GetTaskRequest<'_> {
    /// The requested history length, or all violations.
    pub fn check(&self) -> Result<HistoryLength, Error> {
        check_task(&self.id, self.history_length)
    }
}

impl CancelTaskRequest<'_> {
    /// Returns all violations.
    pub fn check(&self) -> Result<(), Error> {
        check_task(&self.id, None).map(drop)
    }
}

impl SubscribeToTaskRequest<'_> {
    /// Returns all violations.
    pub fn check(&self) -> Result<(), Error> {
        check_task(&self.id, None).map(drop)
    }
}

impl ListTasksRequest<'_> {
    /// Default number of tasks per page.
    pub const DEFAULT_PAGE_SIZE: u32 = 50;
    /// Maximum number of tasks per page.
    pub const MAX_PAGE_SIZE: u32 = 100;

    /// The page size and the requested history length, or all violations.
    pub fn check(&self) -> Result<(u32, HistoryLength), Error> {
        let mut violations = Violations::default();
        let history = check_history(self.history_length, "historyLength", &mut violations);
        let page = match self.page_size.map(u32::try_from) {
            None => Self::DEFAULT_PAGE_SIZE,
            Some(Ok(size)) if (1..=Self::MAX_PAGE_SIZE).contains(&size) => size,
            Some(_) => {
                violations.add("pageSize", format!("must be 1 to {}", Self::MAX_PAGE_SIZE));
                Self::DEFAULT_PAGE_SIZE
            }
        };
        violations.into_result((page, history)).map_err(Error::invalid_params)
    }
}

fn check_history(length: Option<i32>, path: &str, violations: &mut Violations) -> HistoryLength {
    match length.map(usize::try_from) {
        None => HistoryLength::All,
        Some(Ok(length)) => HistoryLength::Latest(length),
        Some(Err(_)) => {
            violations.add(path, "must not be negative");
            HistoryLength::All
        }
    }
}

/// Parses the parameters of an operation. Absent parameters are an empty object; a wrong type is reported with its
/// path.
pub fn read_params<T: DeserializeOwned>(params: Option<&RawValue>) -> Result<T, Error> {
    read_params_text(params.map_or("{}", RawValue::get))
}

/// [`read_params`] for text that was detached from its envelope.
pub fn read_params_text<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    if !text.starts_with('{') {
        let violation = FieldViolation { field: "params".to_owned(), description: "must be an object".to_owned() };
        return Err(Error::invalid_params(violation.into()));
    }
    // Tracking the path is slow, so it is computed only after an error.
    serde_json::from_str(text).or_else(|_| {
        let mut reader = serde_json::Deserializer::from_str(text);
        let read = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let field = match error.path().to_string() {
                root if root == "." => "params".to_owned(),
                path => path,
            };
            let description = error.into_inner().to_string();
            let description = description.split(" at line ").next().unwrap_or_default().to_owned();
            Error::invalid_params(FieldViolation { field, description }.into())
        })?;
        reader.end().map_err(|_| {
            let description = "unexpected text after the object".to_owned();
            Error::invalid_params(FieldViolation { field: "params".to_owned(), description }.into())
        })?;
        Ok(read)
    })
}
