//! Converts chat completion requests into response requests.

use super::{
    resumption::{ChatResumption, conversation_digest},
    unsupported::{UNSUPPORTED_IN_CHAT, reject_unsupported},
};
use crate::{
    CreateResponse, OpenAiError,
    fields::{RequestFields, parse_object},
    parts::{missing_param, required_text},
};
use serde_json::{Map, Value, json};

/// A parsed and validated request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateChatCompletion {
    /// The equivalent response request; not stored by default, and the agent's own tool calls are hidden.
    pub create: CreateResponse,
    /// Whether the stream ends with the token usage.
    pub include_usage: bool,
}

/// Members with the same meaning in both dialects.
const SHARED_FIELDS: [&str; 15] = [
    "model",
    "stream",
    "metadata",
    "temperature",
    "top_p",
    "presence_penalty",
    "frequency_penalty",
    "stop",
    "stop_sequences",
    "parallel_tool_calls",
    "service_tier",
    "safety_identifier",
    "prompt_cache_key",
    "truncation",
    "user",
];

impl CreateChatCompletion {
    /// Parses a request.
    pub fn parse(body: &[u8], fresh: &mut dyn FnMut() -> String) -> Result<Self, OpenAiError> {
        let members = parse_object(body)?;
        reject_unsupported(RequestFields::new(&members, ""), &UNSUPPORTED_IN_CHAT)?;
        Self::from_members(&members, fresh)
    }

    pub(super) fn from_members(
        members: &Map<String, Value>,
        fresh: &mut dyn FnMut() -> String,
    ) -> Result<Self, OpenAiError> {
        let fields = RequestFields::new(members, "");
        if fields.get("messages").is_none() {
            return Err(missing_param("messages"));
        }
        let (items, origins) = items(fields)?;
        let request = translate_request(fields, items)?;
        let create = CreateResponse::from_members(&request, fresh).and_then(|create| {
            create.input.check_answerable()?;
            Ok(create)
        });
        let mut create = create.map_err(|refusal| with_chat_params(refusal, &origins))?;
        create.record.hides_tools = true;
        // The client resends the whole conversation with every request, so the items are never retrieved.
        create.record.input = Vec::new();
        let messages = fields.list("messages")?;
        create.record.conversation_digest = Some(conversation_digest(messages));
        create.resumption = ChatResumption::read(messages);
        let options = fields.object("stream_options")?;
        let include_usage = match options {
            Some(options) => RequestFields::new(options, "stream_options.").flag("include_usage")?.unwrap_or(false),
            None => false,
        };
        Ok(Self { create, include_usage })
    }
}

/// Rewrites an error with the field names of the chat request; `origins` maps items to messages.
fn with_chat_params(refusal: OpenAiError, origins: &[usize]) -> OpenAiError {
    let Some(param) = refusal.param else { return refusal };
    let item = param.strip_prefix("input[").and_then(|rest| rest.split_once(']'));
    let renamed = match item.and_then(|(index, rest)| Some((origins.get(index.parse::<usize>().ok()?)?, rest))) {
        Some((message, rest)) => format!("messages[{message}]{rest}"),
        None if param == "input" => "messages".to_owned(),
        None => param.replacen("text.format", "response_format", 1),
    };
    let message = refusal.message.replace(&format!("'{param}"), &format!("'{renamed}"));
    OpenAiError { param: Some(renamed), message, ..refusal }
}

/// The messages as items, and the message index of each item.
fn items(fields: RequestFields<'_>) -> Result<(Vec<Value>, Vec<usize>), OpenAiError> {
    let (mut items, mut origins) = (Vec::new(), Vec::new());
    for (index, message) in fields.list("messages")?.iter().enumerate() {
        push_message_items(message, &format!("messages[{index}]"), &mut items)?;
        origins.resize(items.len(), index);
    }
    Ok((items, origins))
}

fn translate_request(fields: RequestFields<'_>, items: Vec<Value>) -> Result<Map<String, Value>, OpenAiError> {
    let mut request = Map::new();
    for name in SHARED_FIELDS {
        if let Some(value) = fields.get(name) {
            request.insert(name.to_owned(), value.clone());
        }
    }
    request.insert("store".to_owned(), fields.flag("store")?.unwrap_or(false).into());
    // Older clients request fewer tokens than the newer dialect allows.
    let max_tokens = match fields.count("max_completion_tokens", 1, u32::MAX)? {
        None => fields.count("max_tokens", 1, u32::MAX)?,
        max_tokens => max_tokens,
    };
    if let Some(max_tokens) = max_tokens {
        request.insert("max_output_tokens".to_owned(), max_tokens.max(16).into());
    }
    if let Some(effort) = fields.text("reasoning_effort")? {
        request.insert("reasoning".to_owned(), json!({ "effort": effort }));
    }
    let mut text = Map::new();
    if let Some(format) = fields.object("response_format")? {
        let mut format = format.clone();
        if let Some(Value::Object(schema)) = format.remove("json_schema") {
            format.extend(schema);
        }
        text.insert("format".to_owned(), Value::Object(format));
    }
    if let Some(verbosity) = fields.get("verbosity") {
        text.insert("verbosity".to_owned(), verbosity.clone());
    }
    if !text.is_empty() {
        request.insert("text".to_owned(), Value::Object(text));
    }
    let tools: Vec<Value> = fields.list("tools")?.iter().map(flatten_tool).collect();
    request.insert("tools".to_owned(), Value::Array(tools));
    if let Some(choice) = fields.get("tool_choice") {
        request.insert("tool_choice".to_owned(), flatten_tool_choice(choice));
    }
    request.insert("input".to_owned(), Value::Array(items));
    Ok(request)
}

/// Flattens `{type, function: {name, ...}}` to `{type, name, ...}`.
fn flatten_tool(tool: &Value) -> Value {
    let Value::Object(members) = tool else { return tool.clone() };
    let mut flat = members.clone();
    for kind in ["function", "custom", "allowed_tools"] {
        if let Some(Value::Object(inner)) = flat.remove(kind) {
            flat.extend(inner);
        }
    }
    Value::Object(flat)
}

fn flatten_tool_choice(choice: &Value) -> Value {
    let mut flat = flatten_tool(choice);
    if let Some(Value::Array(tools)) = flat.get_mut("tools") {
        for tool in tools {
            *tool = flatten_tool(tool);
        }
    }
    flat
}

/// One message as items: its content, followed by its calls.
fn push_message_items(message: &Value, param: &str, items: &mut Vec<Value>) -> Result<(), OpenAiError> {
    let Value::Object(members) = message else {
        return Err(OpenAiError::invalid("invalid_type", param, format!("'{param}' must be an object.")));
    };
    let content = members.get("content").filter(|content| !content.is_null()).cloned();
    match required_text(members, "role", param)? {
        "tool" | "function" => {
            let id = required_text(members, "tool_call_id", param)?;
            let output = content.unwrap_or_else(|| "".into());
            items.push(json!({"type": "function_call_output", "call_id": id, "output": output}));
        }
        "assistant" => {
            if let Some(content) =
                content.or_else(|| members.get("refusal").filter(|refusal| !refusal.is_null()).cloned())
            {
                items.push(json!({"type": "message", "role": "assistant", "content": content}));
            }
            let prefix = format!("{param}.");
            let calls = RequestFields::new(members, &prefix).list("tool_calls")?;
            for (index, call) in calls.iter().enumerate() {
                items.push(call_item(call, &format!("{param}.tool_calls[{index}]"))?);
            }
        }
        role => items.push(json!({"type": "message", "role": role, "content": content})),
    }
    Ok(())
}

fn call_item(call: &Value, param: &str) -> Result<Value, OpenAiError> {
    let Value::Object(members) = call else {
        return Err(OpenAiError::invalid("invalid_type", param, format!("'{param}' must be an object.")));
    };
    let id = required_text(members, "id", param)?;
    if let Some(Value::Object(custom)) = members.get("custom") {
        let custom_param = format!("{param}.custom");
        let (name, input) =
            (required_text(custom, "name", &custom_param)?, required_text(custom, "input", &custom_param)?);
        return Ok(json!({"type": "custom_tool_call", "call_id": id, "name": name, "input": input}));
    }
    let Some(Value::Object(function)) = members.get("function") else {
        return Err(missing_param(&format!("{param}.function")));
    };
    let function_param = format!("{param}.function");
    let (name, arguments) =
        (required_text(function, "name", &function_param)?, required_text(function, "arguments", &function_param)?);
    Ok(json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments}))
}
