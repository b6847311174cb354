//! Where a caller wants to be told about a task.

use crate::PushConfigId;
use serde::{Deserialize, Serialize};

/// A receiver outside that is told of a task's events.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushConfig {
    /// Unique within the task.
    pub id: PushConfigId,
    /// The receiver.
    pub url: String,
    /// Comes back with every notification, so that the receiver knows them as its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// How Baton shows who it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authentication: Option<PushAuthentication>,
    /// The dialect of whoever registered it, in which notifications are written.
    pub dialect: PushDialect,
}

/// The `Authorization` header of notifications.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushAuthentication {
    /// Such as `Bearer`.
    pub scheme: String,
    /// What follows the scheme.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials: Option<String>,
}

/// The form in which a receiver reads notifications.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PushDialect {
    /// A2A 1.0: one stream response each.
    #[default]
    V1,
    /// A2A 0.3: the whole task each.
    V03,
}

/// Secrets stay out of logs.
impl std::fmt::Debug for PushConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PushConfig")
            .field("id", &self.id)
            .field("url", &self.url)
            .field("token", &self.token.as_ref().map(|_| "..."))
            .field("authentication", &self.authentication)
            .field("dialect", &self.dialect)
            .finish()
    }
}

impl std::fmt::Debug for PushAuthentication {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PushAuthentication")
            .field("scheme", &self.scheme)
            .field("credentials", &self.credentials.as_ref().map(|_| "..."))
            .finish()
    }
}
