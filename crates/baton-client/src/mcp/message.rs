//! One JSON-RPC message of MCP, read as far as its way needs.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// What a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpKind {
    /// It wants an answer.
    Request,
    /// It wants none.
    Notification,
    /// It is one.
    Response,
}

/// A message with what its way depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpMessage {
    /// What it is for.
    pub kind: McpKind,
    /// Its id as JSON; notifications have none, and errors about nothing have `null`.
    pub id: Option<String>,
    /// Its method; answers have none.
    pub method: Option<String>,
    /// The protocol version that the message itself names; messages of sessions name none.
    pub version: Option<String>,
    /// The request that it calls off, as JSON.
    pub calls_off: Option<String>,
    /// The tool, prompt, resource or task that it is about.
    pub(crate) about: Option<String>,
    /// The whole message on one line.
    pub text: String,
}

/// Why a line is no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum McpMessageError {
    /// It is not JSON.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// It is JSON, and no message.
    #[error("{problem}")]
    NotMessage {
        /// The id it has all the same, as JSON.
        id: Option<String>,
        /// What is wrong with it.
        problem: &'static str,
    },
}

#[derive(Deserialize)]
struct Envelope<'a> {
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
struct Params<'a> {
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
    /// Reads one message; its line breaks become spaces.
    pub fn parse(text: &str) -> Result<Self, McpMessageError> {
        let text = text.trim();
        if text.starts_with('[') {
            return Err(McpMessageError::NotMessage {
                id: None,
                problem: "messages come one at a time, not in arrays",
            });
        }
        let envelope: Envelope<'_> =
            serde_json::from_str(text).map_err(|error| McpMessageError::NotJson(error.to_string()))?;
        let id = envelope.id.map(|id| id.get().to_owned());
        if envelope.jsonrpc.as_deref() != Some("2.0") {
            return Err(McpMessageError::NotMessage { id, problem: "a message has \"jsonrpc\": \"2.0\"" });
        }
        let kind = match (&envelope.method, envelope.result.or(envelope.error)) {
            (Some(_), _) if id.is_some() => McpKind::Request,
            (Some(_), _) => McpKind::Notification,
            (None, Some(_)) => McpKind::Response,
            (None, None) => {
                let problem = "a message has a method, a result or an error";
                return Err(McpMessageError::NotMessage { id, problem });
            }
        };
        let params: Params<'_> =
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
            calls_off,
            about: about.and_then(|about| serde_json::from_str(about.get()).ok()),
            method: envelope.method,
            text: text.replace(['\n', '\r'], " "),
        })
    }

    /// Whether this is a request of the given method.
    pub fn asks(&self, method: &str) -> bool {
        self.kind == McpKind::Request && self.method.as_deref() == Some(method)
    }

    /// Whether this answers the request with that id.
    pub fn answers(&self, id: &str) -> bool {
        self.kind == McpKind::Response && self.id.as_deref() == Some(id)
    }

    /// The resource that the message is about, when it is about one.
    pub fn about(&self) -> Option<&str> {
        self.about.as_deref()
    }

    /// The same message under another id.
    pub fn under(&self, id: &str) -> Option<Self> {
        let mut members: BTreeMap<String, &RawValue> = serde_json::from_str(&self.text).ok()?;
        members.insert("id".to_owned(), serde_json::from_str(id).ok()?);
        let text = serde_json::to_string(&members).ok()?;
        Some(Self { id: Some(id.to_owned()), text, ..self.clone() })
    }
}
