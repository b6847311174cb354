//! Tool calls and results as data parts: the format exchanged between an agent and its caller.

use crate::TaskRecord;
use baton_types::{BUILT_IN_TOOLS, CallId, Json, Message, Part, PartContent, Role, ToolCall, ToolResult};
use serde::{Deserialize, Serialize};

/// Hands work to another agent.
pub const HANDOFF_TOOL: &str = "handoff";

/// Publishes an output.
pub const EMIT_ARTIFACT_TOOL: &str = "emit_artifact";

/// Asks the caller.
pub const ASK_USER_TOOL: &str = "ask_user";

/// Rejects the work.
pub const REJECT_TASK_TOOL: &str = "reject_task";

/// Ends the task with a bare message.
pub const REPLY_MESSAGE_TOOL: &str = "reply_message";

/// Lists the available agents.
pub const LIST_AGENTS_TOOL: &str = "list_agents";

/// Calls any of the listed agents.
pub const CALL_AGENT_TOOL: &str = "call_agent";

/// Reads more of a shortened result.
pub const READ_OUTPUT_TOOL: &str = "read_output";

/// Whether Baton runs the tool, even if the caller runs the other tools.
pub fn is_built_in(name: &str) -> bool {
    BUILT_IN_TOOLS.contains(&name)
}

/// Error for a malformed data part with tool calls or results.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {detail}")]
pub struct ToolPartError {
    /// Path of the field, such as `tool_results[0]`.
    pub field: String,
    /// Description of the error.
    pub detail: String,
}

#[derive(Serialize)]
struct ToolCallsPayload<'a> {
    tool_calls: Vec<ToolCallPayload<'a>>,
}

#[derive(Serialize)]
struct ToolCallPayload<'a> {
    call_id: &'a CallId,
    name: &'a str,
    arguments: &'a Json,
}

#[derive(Serialize)]
struct ToolResultsPayload<'a> {
    tool_results: Vec<ToolResultPayload<'a>>,
}

#[derive(Serialize)]
struct ToolResultPayload<'a> {
    call_id: &'a CallId,
    name: &'a str,
    output: &'a Json,
    #[serde(skip_serializing_if = "is_false")]
    is_error: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field by reference")]
fn is_false(value: &bool) -> bool {
    !value
}

#[derive(Deserialize)]
struct ToolDataPart {
    #[serde(default)]
    tool_calls: Option<Vec<ToolCallEntry>>,
    #[serde(default)]
    tool_results: Option<Vec<ToolResultEntry>>,
    #[serde(default)]
    input_requests: Option<Vec<serde::de::IgnoredAny>>,
}

#[derive(Deserialize)]
struct ToolCallEntry {
    call_id: Option<CallId>,
    id: Option<CallId>,
    name: Option<String>,
    arguments: Option<Json>,
    function: Option<FunctionCallEntry>,
    task_id: Option<String>,
}

#[derive(Deserialize)]
struct FunctionCallEntry {
    name: String,
    arguments: Option<Json>,
}

#[derive(Deserialize)]
struct ToolResultEntry {
    call_id: Option<CallId>,
    name: Option<String>,
    #[serde(default, deserialize_with = "deserialize_present")]
    output: Option<Json>,
    #[serde(default)]
    is_error: bool,
}

/// `null` is a valid output of a tool; only an absent field is missing.
fn deserialize_present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

/// Data part that asks a caller to run tools.
pub fn calls_part<'a>(calls: impl IntoIterator<Item = &'a ToolCall>) -> Part {
    let tool_calls = calls
        .into_iter()
        .map(|call| ToolCallPayload { call_id: &call.id, name: &call.name, arguments: &call.arguments })
        .collect();
    Part::data(Json::from_serializable(&ToolCallsPayload { tool_calls }).unwrap_or_else(|_| Json::string("")))
}

/// Data part with tool results.
pub fn results_part(results: &[ToolResult]) -> Part {
    let tool_results = results
        .iter()
        .map(|result| ToolResultPayload {
            call_id: &result.call,
            name: &result.name,
            output: &result.output,
            is_error: result.is_error,
        })
        .collect();
    Part::data(Json::from_serializable(&ToolResultsPayload { tool_results }).unwrap_or_else(|_| Json::string("")))
}

fn data_parts(message: &Message) -> impl Iterator<Item = ToolDataPart> {
    message.parts.iter().filter_map(|part| match &part.content {
        PartContent::Data(data) if data.is_object() => data.read().ok(),
        _ => None,
    })
}

/// Tool calls in a message, in the flat format or in the older `function` format.
pub fn parse_tool_calls(message: &Message) -> Vec<ToolCall> {
    data_parts(message).filter_map(|part| part.tool_calls).flatten().filter_map(read_call).collect()
}

/// Tool calls in a message that its receiver must run: none of child tasks, and none at all if the message also
/// requests other input.
pub fn parse_own_tool_calls(message: &Message) -> Vec<ToolCall> {
    let has_input_requests = |part: &ToolDataPart| part.input_requests.is_some();
    if data_parts(message).any(|part| has_input_requests(&part)) {
        return Vec::new();
    }
    let calls = data_parts(message).filter_map(|part| part.tool_calls).flatten();
    calls.filter(|call| call.task_id.is_none()).filter_map(read_call).collect()
}

fn read_call(call: ToolCallEntry) -> Option<ToolCall> {
    let id = call.call_id.or(call.id)?;
    let (name, arguments) = match call.function {
        Some(function) => (function.name, function.arguments.map(|text| unquote_arguments(&text))),
        None => (call.name?, call.arguments),
    };
    let arguments = arguments.filter(Json::is_object).unwrap_or_else(|| serde_json::json!({}).into());
    Some(ToolCall { id, name, arguments })
}

/// The older format encodes the arguments as JSON in a string.
fn unquote_arguments(arguments: &Json) -> Json {
    match arguments.read::<String>() {
        Ok(text) => Json::parse(&text).unwrap_or_else(|_| arguments.clone()),
        Err(_) => arguments.clone(),
    }
}

/// Tool results in a message; fails if a part has malformed `tool_results`.
pub fn parse_tool_results(message: &Message) -> Result<Vec<ToolResult>, ToolPartError> {
    let mut results = Vec::new();
    for part in &message.parts {
        let PartContent::Data(data) = &part.content else { continue };
        if !data.is_object() {
            continue;
        }
        let part: ToolDataPart = match data.read() {
            Ok(part) => part,
            Err(_) if !data.as_str().contains("\"tool_results\"") => continue,
            Err(error) => {
                return Err(ToolPartError { field: "tool_results".to_owned(), detail: error.to_string() });
            }
        };
        for (index, result) in part.tool_results.unwrap_or_default().into_iter().enumerate() {
            let missing = |name: &str| ToolPartError {
                field: format!("tool_results[{index}].{name}"),
                detail: "is required".to_owned(),
            };
            results.push(ToolResult {
                call: result.call_id.ok_or_else(|| missing("call_id"))?,
                name: result.name.unwrap_or_default(),
                output: result.output.ok_or_else(|| missing("output"))?,
                is_error: result.is_error,
            });
        }
    }
    Ok(results)
}

/// Message with the agent's own results, in the format of a caller's results. Its id derives from the message with the
/// calls, so that replay is deterministic and a model that reuses call ids causes no collision.
pub(crate) fn results_message(task: &TaskRecord, results: &[ToolResult]) -> Option<Message> {
    let first = results.first()?;
    let calling_message = task.history.iter().rev().find(|message| message.role == Role::Agent);
    let id = format!("{}-results", calling_message.map_or(first.call.as_str(), |message| message.id.as_str())).into();
    Some(Message::new(id, Role::User, vec![results_part(results)]).with_task(&task.context, &task.id))
}
