//! Push notification settings of a task.

use crate::PushConfigId;
use serde::{Deserialize, Serialize};

/// Receiver of push notifications for the events of a task.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushConfig {
    /// Unique within the task.
    pub id: PushConfigId,
    /// URL of the receiver.
    pub url: String,
    /// Token sent with every notification, so that the receiver can recognize its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Credentials that Baton sends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authentication: Option<PushAuthentication>,
    /// A2A version of the client that registered it; notifications use the same.
    pub dialect: PushDialect,
}

/// The `Authorization` header of notifications.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushAuthentication {
    /// Authentication scheme, such as `Bearer`.
    pub scheme: String,
    /// Credentials after the scheme.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials: Option<String>,
}

/// Payload format of notifications.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PushDialect {
    /// A2A 1.0: one stream response per notification.
    #[default]
    V1,
    /// A2A 0.3: the whole task per notification.
    V03,
}

/// Redacts secrets.
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
