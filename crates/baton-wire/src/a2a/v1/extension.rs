//! Baton's own extensions: what a caller asks for in the metadata of its message.

use super::{AgentCard, AgentExtension, Error};
use crate::{FieldViolation, de};
use baton_types::{Json, ToolExecution};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;
use std::collections::BTreeMap;

/// Who runs the tools of one task: in cards, in the `A2A-Extensions` header, and as the key in a message's metadata.
pub const TOOL_EXECUTION: &str = "https://baton.dev/extensions/tool-execution/v1";

/// Safe repetition of a send: message metadata `{"<uri>": {"key": "..."}}`, or the message's own id as the key.
pub const IDEMPOTENCY: &str = "https://baton.dev/extensions/idempotency/v1";

/// The number of changes of a task, as A2A 1.1 counts them: in metadata of tasks and events as
/// `{"<uri>": {"generation": 5}}`, and as a condition of a send in message metadata as `{"<uri>": {"ifGenerationMatch": 5}}`.
pub const GENERATION: &str = "https://baton.dev/extensions/generation/v1";

/// Text while it is written: a stream that asks for it gets artifact chunks, and then the whole artifact.
pub const STREAM_TEXT: &str = "https://baton.dev/extensions/stream-text/v1";

/// Tool calls that the agent runs itself: streams that ask for them get a `tool_calls` data part in the message of a
/// `working` status.
pub const TOOL_CALLS: &str = "https://baton.dev/extensions/tool-calls/v1";

/// Where an agent's Environment is, the MCP server with its prompt and tools: in cards, with `{"url": "..."}` as its
/// parameters. Whoever runs the tools of a task calls them there.
pub const ENVIRONMENT: &str = "https://baton.dev/extensions/environment/v1";

/// Longest key that is accepted.
const MAX_KEY: usize = 255;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Choice {
    tool_execution: ToolExecution,
}

#[derive(Deserialize)]
struct Repetition {
    key: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Condition {
    #[serde(deserialize_with = "de::maybe_integer")]
    if_generation_match: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct Place {
    url: String,
}

/// The Environment at `url`, as a card names it.
pub(super) fn environment(url: &str) -> AgentExtension {
    AgentExtension {
        uri: ENVIRONMENT.to_owned(),
        description:
            "The MCP server with this agent's prompt and tools: whoever runs the tools of a task calls them there."
                .to_owned(),
        required: false,
        params: Some(Json::from(json!({ "url": url }))),
    }
}

/// Where a card says that its agent's Environment is.
pub fn environment_of(card: &AgentCard) -> Option<String> {
    let named = card.capabilities.extensions.iter().find(|extension| extension.uri == ENVIRONMENT)?;
    let place: Place = named.params.as_ref()?.read().ok()?;
    Some(place.url).filter(|url| !url.is_empty())
}

/// Who the caller wants to run tools, from the metadata of its message; asked only when the extension is active.
pub fn requested_tool_execution(metadata: Option<&Json>) -> Result<Option<ToolExecution>, Error> {
    let expected = "must be {\"toolExecution\":\"agent\"} or {\"toolExecution\":\"caller\"}";
    setting(metadata, TOOL_EXECUTION, expected, |choice: Choice| Some(choice.tool_execution))
}

/// Under which key the message may be repeated, from its metadata; asked only when the extension is active.
pub fn requested_idempotency_key(metadata: Option<&Json>) -> Result<Option<String>, Error> {
    let expected = "must be {\"key\":\"...\"} with 1 to 255 visible ASCII characters";
    setting(metadata, IDEMPOTENCY, expected, |asked: Repetition| Some(asked.key).filter(|key| is_idempotency_key(key)))
}

/// At which generation of its task the message is to be said; asked only when the extension is active.
pub fn requested_generation(metadata: Option<&Json>) -> Result<Option<u64>, Error> {
    let expected = "must be {\"ifGenerationMatch\":n} with a number that is not negative";
    setting(metadata, GENERATION, expected, |asked: Condition| asked.if_generation_match)
}

/// Whether `key` is short and plain enough to be stored and put into a header: 1 to 255 visible ASCII characters.
pub fn is_idempotency_key(key: &str) -> bool {
    (1..=MAX_KEY).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The message metadata with which a client asks for `tool_execution`.
pub fn tool_execution_metadata(tool_execution: ToolExecution) -> Json {
    Json::from(json!({ TOOL_EXECUTION: { "toolExecution": tool_execution } }))
}

/// The metadata with which a task or an event says its generation.
pub fn generation_metadata(generation: u64) -> Json {
    Json::from(json!({ GENERATION: { "generation": generation } }))
}

/// What `metadata` says under `uri`; absent and `null` are nothing, everything else must be what is `expected`.
fn setting<T: DeserializeOwned, V>(
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
    match members.remove(uri).filter(|said| said.as_str() != "null") {
        None => Ok(None),
        Some(said) if said.is_object() => said.read().ok().and_then(accept).map(Some).ok_or_else(wrong),
        Some(_) => Err(wrong()),
    }
}
