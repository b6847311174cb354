//! Baton's A2A extensions, requested in message metadata.

use super::{AgentCard, AgentExtension, Error};
use crate::de;
use baton_types::{FieldViolation, Json, ToolExecution, is_idempotency_key};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;
use std::collections::BTreeMap;

/// Selects the party that runs the tools of a task: used in cards, in the `A2A-Extensions` header, and as a key in
/// message metadata.
pub const TOOL_EXECUTION: &str = "https://baton.dev/extensions/tool-execution/v1";

/// Idempotent send: message metadata `{"<uri>": {"key": "..."}}`, or the message id as the key.
pub const IDEMPOTENCY: &str = "https://baton.dev/extensions/idempotency/v1";

/// Generation of a task, as defined by A2A 1.1: in metadata of tasks and events as `{"<uri>": {"generation": 5}}`, and
/// as a precondition of a send in message metadata as `{"<uri>": {"ifGenerationMatch": 5}}`.
pub const GENERATION: &str = "https://baton.dev/extensions/generation/v1";

/// Text streaming: a stream that requests it gets artifact chunks, then the complete artifact.
pub const STREAM_TEXT: &str = "https://baton.dev/extensions/stream-text/v1";

/// Tool calls that the agent runs: a stream that requests them gets a `tool_calls` data part in the message of a
/// `working` status.
pub const TOOL_CALLS: &str = "https://baton.dev/extensions/tool-calls/v1";

/// URL of an agent's Environment, the MCP server with its prompt and tools: in cards, with `{"url": "..."}` as
/// parameters. The party that runs the tools of a task calls them there.
pub const ENVIRONMENT: &str = "https://baton.dev/extensions/environment/v1";

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolExecutionParams {
    tool_execution: ToolExecution,
}

#[derive(Deserialize)]
struct IdempotencyParams {
    key: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GenerationParams {
    #[serde(deserialize_with = "de::maybe_integer")]
    if_generation_match: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct EnvironmentParams {
    url: String,
}

/// The card extension for the Environment at `url`.
pub(super) fn environment_extension(url: &str) -> AgentExtension {
    AgentExtension {
        uri: ENVIRONMENT.to_owned(),
        description:
            "The MCP server with this agent's prompt and tools. Callers that run the tools of a task call them there."
                .to_owned(),
        required: false,
        params: Some(Json::from(json!({ "url": url }))),
    }
}

/// The Environment URL in a card.
pub fn environment_url(card: &AgentCard) -> Option<String> {
    let named = card.capabilities.extensions.iter().find(|extension| extension.uri == ENVIRONMENT)?;
    let params: EnvironmentParams = named.params.as_ref()?.read().ok()?;
    Some(params.url).filter(|url| !url.is_empty())
}

/// The requested tool execution in message metadata. Only called if the extension is active.
pub fn requested_tool_execution(metadata: Option<&Json>) -> Result<Option<ToolExecution>, Error> {
    let expected = "must be {\"toolExecution\":\"agent\"} or {\"toolExecution\":\"caller\"}";
    read_setting(metadata, TOOL_EXECUTION, expected, |choice: ToolExecutionParams| Some(choice.tool_execution))
}

/// The requested idempotency key in message metadata. Only called if the extension is active.
pub fn requested_idempotency_key(metadata: Option<&Json>) -> Result<Option<String>, Error> {
    let expected = "must be {\"key\":\"...\"} with 1 to 255 visible ASCII characters";
    read_setting(metadata, IDEMPOTENCY, expected, |params: IdempotencyParams| {
        Some(params.key).filter(|key| is_idempotency_key(key))
    })
}

/// The generation that the task must have. Only called if the extension is active.
pub fn requested_generation(metadata: Option<&Json>) -> Result<Option<u64>, Error> {
    let expected = "must be {\"ifGenerationMatch\":n} with a number that is not negative";
    read_setting(metadata, GENERATION, expected, |params: GenerationParams| params.if_generation_match)
}

/// Message metadata that requests `tool_execution`.
pub fn tool_execution_metadata(tool_execution: ToolExecution) -> Json {
    Json::from(json!({ TOOL_EXECUTION: { "toolExecution": tool_execution } }))
}

/// Metadata with the generation of a task or event.
pub fn generation_metadata(generation: u64) -> Json {
    Json::from(json!({ GENERATION: { "generation": generation } }))
}

/// The value of `metadata` under `uri`. Absent and `null` yield `None`; any other value must match `expected`.
fn read_setting<T: DeserializeOwned, V>(
    metadata: Option<&Json>,
    uri: &str,
    expected: &str,
    accept: impl FnOnce(T) -> Option<V>,
) -> Result<Option<V>, Error> {
    let wrong = || {
        let field = format!("message.metadata[\"{uri}\"]");
        Error::invalid_params(FieldViolation { field, description: expected.to_owned() }.into())
    };
    let Some(metadata) = metadata else { return Ok(None) };
    let mut members: BTreeMap<String, Json> = metadata.read().map_err(|_| wrong())?;
    match members.remove(uri).filter(|value| value.as_str() != "null") {
        None => Ok(None),
        Some(value) if value.is_object() => value.read().ok().and_then(accept).map(Some).ok_or_else(wrong),
        Some(_) => Err(wrong()),
    }
}
