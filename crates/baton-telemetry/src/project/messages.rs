//! Messages in the JSON form of the GenAI conventions.

use baton_types::{Message, PartContent, Role, ToolCall, ToolResult};
use serde_json::{Value, json};

/// One message as the JSON text of an array.
pub(super) fn message_json(message: &Message, calls: &[ToolCall]) -> String {
    json!([entry(message, calls)]).to_string()
}

/// A tool result as the model receives it.
pub(super) fn response(result: &ToolResult) -> Value {
    let part = json!({ "type": "tool_call_response", "id": result.call, "response": result.output.to_value() });
    json!({ "role": "tool", "parts": [part] })
}

/// One message.
pub(super) fn entry(message: &Message, calls: &[ToolCall]) -> Value {
    let role = match message.role {
        Role::User => "user",
        Role::Agent => "assistant",
    };
    let contents = message.parts.iter().map(|part| match &part.content {
        PartContent::Text(text) => json!({ "type": "text", "content": text }),
        PartContent::Data(data) => json!({ "type": "data", "content": data.to_value() }),
        _ => json!({ "type": "file" }),
    });
    let called = calls.iter().map(
        |call| json!({ "type": "tool_call", "id": call.id, "name": call.name, "arguments": call.arguments.to_value() }),
    );
    let parts: Vec<Value> = match calls.is_empty() {
        true => contents.collect(),
        // The message also carries its calls as data parts.
        false => contents.filter(|part| part["type"] == "text").chain(called).collect(),
    };
    json!({ "role": role, "parts": parts })
}
