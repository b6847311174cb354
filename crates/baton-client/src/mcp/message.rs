//! One JSON-RPC message of MCP, parsed as far as routing needs.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpKind {
    /// Expects a response.
    Request,
    /// Expects no response.
    Notification,
    /// Answers a request.
    Response,
}

/// A message with its routing data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpMessage {
    /// Kind.
    pub kind: McpKind,
    /// Id as JSON; none for notifications, `null` for errors without a request.
    pub id: Option<String>,
    /// Method; none for responses.
    pub method: Option<String>,
    /// Protocol version in the message itself; none for messages of a session.
    pub version: Option<String>,
    /// The request that the message cancels, as JSON.
    pub cancels: Option<String>,
    /// The tool, prompt, resource or task that the message is about.
    pub(crate) about: Option<String>,
    /// The whole message on one line.
    pub text: String,
}

/// Reason why a line is not a valid message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum McpMessageError {
    /// It is not JSON.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// It is JSON, but not a message.
    #[error("{problem}")]
    NotMessage {
        /// Its id as JSON, if it has one.
        id: Option<String>,
        /// Reason.
        problem: &'static str,
    },
}

#[derive(Deserialize)]
struct McpEnvelope<'a> {
    jsonrpc: Option<String>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct McpRoutingParams<'a> {
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    uri: Option<&'a RawValue>,
    #[serde(borrow, rename = "taskId")]
    task_id: Option<&'a RawValue>,
    #[serde(borrow, rename = "requestId")]
    request_id: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Meta {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<String>,
}

impl McpMessage {
    /// Parses one message; line breaks become spaces.
    pub fn parse(text: &str) -> Result<Self, McpMessageError> {
        let text = text.trim();
        if text.starts_with('[') {
            return Err(McpMessageError::NotMessage {
                id: None,
                problem: "batches are not supported; send one message at a time",
            });
        }
        let envelope: McpEnvelope<'_> =
            serde_json::from_str(text).map_err(|error| McpMessageError::NotJson(error.to_string()))?;
        let id = envelope.id.map(|id| id.get().to_owned());
        if envelope.jsonrpc.as_deref() != Some("2.0") {
            return Err(McpMessageError::NotMessage { id, problem: "a message must have \"jsonrpc\": \"2.0\"" });
        }
        let kind = match (&envelope.method, envelope.result.or(envelope.error)) {
            (Some(_), _) if id.is_some() => McpKind::Request,
            (Some(_), _) => McpKind::Notification,
            (None, Some(_)) => McpKind::Response,
            (None, None) => {
                let problem = "a message must have a method, a result or an error";
                return Err(McpMessageError::NotMessage { id, problem });
            }
        };
        let params: McpRoutingParams<'_> =
            envelope.params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or_default();
        let meta = params.meta.and_then(|meta| serde_json::from_str::<Meta>(meta.get()).ok());
        let about = envelope.method.as_deref().and_then(|method| match method {
            "tools/call" | "prompts/get" => params.name,
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => params.uri,
            "tasks/get" | "tasks/update" | "tasks/cancel" => params.task_id,
            _ => None,
        });
        let calls_off = match envelope.method.as_deref() {
            Some("notifications/cancelled") => params.request_id.map(|id| id.get().to_owned()),
            _ => None,
        };
        Ok(Self {
            kind,
            id,
            version: meta.and_then(|meta| meta.version),
            cancels: calls_off,
            about: about.and_then(|about| serde_json::from_str(about.get()).ok()),
            method: envelope.method,
            text: text.replace(['\n', '\r'], " "),
        })
    }

    /// Whether this is a request with the given method.
    pub fn is_request(&self, method: &str) -> bool {
        self.kind == McpKind::Request && self.method.as_deref() == Some(method)
    }

    /// Whether this is the response to the request with this id.
    pub fn answers(&self, id: &str) -> bool {
        self.kind == McpKind::Response && self.id.as_deref() == Some(id)
    }

    /// The resource that the message is about, if any.
    pub fn about(&self) -> Option<&str> {
        self.about.as_deref()
    }

    /// The same message with another id.
    pub fn with_id(&self, id: &str) -> Option<Self> {
        let mut members: BTreeMap<String, &RawValue> = serde_json::from_str(&self.text).ok()?;
        members.insert("id".to_owned(), serde_json::from_str(id).ok()?);
        let text = serde_json::to_string(&members).ok()?;
        Some(Self { id: Some(id.to_owned()), text, ..self.clone() })
    }
}
