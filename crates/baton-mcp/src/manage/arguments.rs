//! Call arguments, after validation against the schema of their tool.

use baton_manage::ManageError;
use baton_types::{AgentName, Digest, ErrorCode};
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Argument with the agent that a call is about.
pub(super) const TARGET: &str = "agentTarget";
/// Argument with the expected digest of a change.
pub(super) const DIGEST: &str = "digest";

/// Arguments of one call; each is consumed on access.
pub(super) struct ManageArguments(JsonObject);

impl ManageArguments {
    pub(super) fn new(members: JsonObject) -> Self {
        Self(members)
    }

    /// An optional string.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        match self.0.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// A required string.
    pub(super) fn required_text(&mut self, name: &str) -> Result<String, ManageError> {
        self.text(name).ok_or_else(|| invalid_argument(format!("'{name}' is missing")))
    }

    pub(super) fn agent(&mut self) -> Result<AgentName, ManageError> {
        self.required_text(TARGET).map(AgentName::from)
    }

    pub(super) fn digest(&mut self) -> Option<Digest> {
        self.text(DIGEST).map(Digest::from_hex)
    }

    pub(super) fn flag(&mut self, name: &str) -> Option<bool> {
        self.0.remove(name).as_ref().and_then(Value::as_bool)
    }

    /// One member, deserialized.
    pub(super) fn member<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, ManageError> {
        let unfit = |error: serde_json::Error| invalid_argument(format!("'{name}' is invalid: {error}"));
        self.0.remove(name).map(serde_json::from_value).transpose().map_err(unfit)
    }

    /// All remaining members, deserialized.
    pub(super) fn rest<T: DeserializeOwned>(self) -> Result<T, ManageError> {
        serde_json::from_value(Value::Object(self.0))
            .map_err(|error| invalid_argument(format!("the arguments are invalid: {error}")))
    }
}

pub(super) fn invalid_argument(detail: String) -> ManageError {
    ManageError { code: ErrorCode::INVALID_REQUEST, detail }
}
