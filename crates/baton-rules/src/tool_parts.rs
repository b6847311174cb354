//! Tool calls and results as data parts: the form in which they cross between an agent and its caller.

use crate::Task;
use baton_types::{BUILT_IN_TOOLS, CallId, Json, Message, Part, PartContent, Role, ToolCall, ToolResult};
use serde::{Deserialize, Serialize};

/// The tool that gives work to another agent.
pub const HANDOFF_TOOL: &str = "handoff";

/// The tool that publishes an output.
pub const EMIT_ARTIFACT_TOOL: &str = "emit_artifact";

/// The tool that asks the caller.
pub const ASK_USER_TOOL: &str = "ask_user";

/// The tool that refuses the work.
pub const REJECT_TASK_TOOL: &str = "reject_task";

/// The tool that ends the task with a bare message.
pub const REPLY_MESSAGE_TOOL: &str = "reply_message";

/// The tool that tells which agents there are.
pub const LIST_AGENTS_TOOL: &str = "list_agents";

/// The tool that asks any of them.
pub const CALL_AGENT_TOOL: &str = "call_agent";

/// The tool that reads more of a result that was given in short.
pub const READ_OUTPUT_TOOL: &str = "read_output";

/// Whether Baton itself runs the tool, whoever runs the others.
pub fn is_built_in(name: &str) -> bool {
    BUILT_IN_TOOLS.contains(&name)
}

/// A data part that should hold calls or results and does not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {detail}")]
pub struct ToolPartError {
    /// Where, such as `tool_results[0]`.
    pub field: String,
    /// What is wrong.
    pub detail: String,
}

#[derive(Serialize)]
struct CallsOut<'a> {
    tool_calls: Vec<CallOut<'a>>,
}

#[derive(Serialize)]
struct CallOut<'a> {
    call_id: &'a CallId,
    name: &'a str,
    arguments: &'a Json,
}

#[derive(Serialize)]
struct ResultsOut<'a> {
    tool_results: Vec<ResultOut<'a>>,
}

#[derive(Serialize)]
struct ResultOut<'a> {
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
struct PartIn {
    #[serde(default)]
    tool_calls: Option<Vec<CallIn>>,
    #[serde(default)]
    tool_results: Option<Vec<ResultIn>>,
    #[serde(default)]
    input_requests: Option<Vec<serde::de::IgnoredAny>>,
}

#[derive(Deserialize)]
struct CallIn {
    call_id: Option<CallId>,
    id: Option<CallId>,
    name: Option<String>,
    arguments: Option<Json>,
    function: Option<FunctionIn>,
    task_id: Option<String>,
}

#[derive(Deserialize)]
struct FunctionIn {
    name: String,
    arguments: Option<Json>,
}

#[derive(Deserialize)]
struct ResultIn {
    call_id: Option<CallId>,
    name: Option<String>,
    #[serde(default, deserialize_with = "given")]
    output: Option<Json>,
    #[serde(default)]
    is_error: bool,
}

/// `null` is what a tool without a result gives; only an absent field is missing.
fn given<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

/// The data part that tells a caller which tools to run.
pub fn calls_part<'a>(calls: impl IntoIterator<Item = &'a ToolCall>) -> Part {
    let tool_calls = calls
        .into_iter()
        .map(|call| CallOut { call_id: &call.id, name: &call.name, arguments: &call.arguments })
        .collect();
    Part::data(Json::of(&CallsOut { tool_calls }).unwrap_or_else(|_| Json::string("")))
}

/// The data part that carries results.
pub fn results_part(results: &[ToolResult]) -> Part {
    let tool_results = results
        .iter()
        .map(|result| ResultOut {
            call_id: &result.call,
            name: &result.name,
            output: &result.output,
            is_error: result.is_error,
        })
        .collect();
    Part::data(Json::of(&ResultsOut { tool_results }).unwrap_or_else(|_| Json::string("")))
}

fn data_parts(message: &Message) -> impl Iterator<Item = PartIn> {
    message.parts.iter().filter_map(|part| match &part.content {
        PartContent::Data(data) if data.is_object() => data.read().ok(),
        _ => None,
    })
}

/// The tool calls in a message, in the flat shape or in the older `function` shape.
pub fn calls_in(message: &Message) -> Vec<ToolCall> {
    data_parts(message).filter_map(|part| part.tool_calls).flatten().filter_map(read_call).collect()
}

/// The tool calls in a message that whoever gets it is to run: not those of tasks further down, and none at all if the
/// message also asks for something else.
pub fn own_calls_in(message: &Message) -> Vec<ToolCall> {
    let asks = |part: &PartIn| part.input_requests.is_some();
    if data_parts(message).any(|part| asks(&part)) {
        return Vec::new();
    }
    let calls = data_parts(message).filter_map(|part| part.tool_calls).flatten();
    calls.filter(|call| call.task_id.is_none()).filter_map(read_call).collect()
}

fn read_call(call: CallIn) -> Option<ToolCall> {
    let id = call.call_id.or(call.id)?;
    let (name, arguments) = match call.function {
        Some(function) => (function.name, function.arguments.map(|text| unquoted(&text))),
        None => (call.name?, call.arguments),
    };
    let arguments = arguments.filter(Json::is_object).unwrap_or_else(|| serde_json::json!({}).into());
    Some(ToolCall { id, name, arguments })
}

/// The older shape holds its arguments as JSON inside a string.
fn unquoted(arguments: &Json) -> Json {
    match arguments.read::<String>() {
        Ok(text) => Json::parse(&text).unwrap_or_else(|_| arguments.clone()),
        Err(_) => arguments.clone(),
    }
}

/// The tool results in a message; a part that has `tool_results` must have them right.
pub fn results_in(message: &Message) -> Result<Vec<ToolResult>, ToolPartError> {
    let mut results = Vec::new();
    for part in &message.parts {
        let PartContent::Data(data) = &part.content else { continue };
        if !data.is_object() {
            continue;
        }
        let part: PartIn = match data.read() {
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

/// Own results in the form a caller would have sent them; the id follows from the message that called, so replay
/// repeats it and a model that uses call ids twice does no harm.
pub(crate) fn results_message(task: &Task, results: &[ToolResult]) -> Option<Message> {
    let first = results.first()?;
    let asked_by = task.history.iter().rev().find(|message| message.role == Role::Agent);
    let id = format!("{}-results", asked_by.map_or(first.call.as_str(), |message| message.id.as_str())).into();
    Some(Message::new(id, Role::User, vec![results_part(results)]).within(&task.context, &task.id))
}
