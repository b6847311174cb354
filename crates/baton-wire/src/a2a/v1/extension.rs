//! The tool-execution extension: who runs the tools of one task.

use super::Error;
use crate::FieldViolation;
use baton_types::{Json, ToolExecution};
use serde::{Deserialize, Serialize};

/// The extension's URI: in cards, in the `A2A-Extensions` header, and as the key in a message's metadata.
pub const TOOL_EXECUTION: &str = "https://baton.dev/extensions/tool-execution/v1";

/// Safe repetition of a send: message metadata `{"<uri>": {"key": "..."}}`, or the message's own id as the key.
pub const IDEMPOTENCY: &str = "https://baton.dev/extensions/idempotency/v1";

/// The number of changes of a task, as A2A 1.1 counts them: in metadata of tasks and events as
/// `{"<uri>": {"generation": 5}}`, and as a condition of a send in message metadata as `{"<uri>": {"ifGenerationMatch": 5}}`.
pub const GENERATION: &str = "https://baton.dev/extensions/generation/v1";

#[derive(Serialize, Deserialize)]
struct Keyed {
    #[serde(rename = "https://baton.dev/extensions/tool-execution/v1")]
    choice: Option<Choice>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Choice {
    tool_execution: ToolExecution,
}

/// Who the caller wants to run tools, from the metadata of its message; asked only when the extension is active.
pub fn requested_tool_execution(metadata: Option<&Json>) -> Result<Option<ToolExecution>, Error> {
    let Some(metadata) = metadata else { return Ok(None) };
    match metadata.read::<Keyed>() {
        Ok(keyed) => Ok(keyed.choice.map(|choice| choice.tool_execution)),
        Err(_) => Err(Error::invalid_params(
            FieldViolation {
                field: format!("message.metadata[\"{TOOL_EXECUTION}\"]"),
                description: "must be {\"toolExecution\":\"agent\"} or {\"toolExecution\":\"caller\"}".to_owned(),
            }
            .into(),
        )),
    }
}

/// The message metadata with which a client asks for `tool_execution`.
pub fn tool_execution_metadata(tool_execution: ToolExecution) -> Json {
    Json::of(&Keyed { choice: Some(Choice { tool_execution }) }).unwrap_or_else(|_| Json::from(serde_json::json!({})))
}
