//! Canonical form of a call, which decides whether two calls are equal.

use baton_ports::{ChatFile, ChatFileContent, ChatMessage, ModelCall, OutputFormat, ToolChoice};
use baton_types::CallId;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::{collections::HashMap, fmt::Write as _};

/// Replacement for a secret.
const SECRET_REPLACEMENT: &str = "[secret]";
/// Shorter values are ordinary words and would be redacted everywhere.
const MIN_SECRET_LEN: usize = 8;

/// Key of the recorded answer to this call: SHA-256 of the model input.
///
/// Ids, attempts and metadata differ between runs and are excluded; files count by their digest.
pub fn call_key(call: &ModelCall) -> String {
    key(&canonical(call, &[]))
}

pub(super) fn key(canonical: &Value) -> String {
    hex(canonical.to_string().as_bytes())
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// The call in its recorded form.
pub(super) fn canonical(call: &ModelCall, secrets: &[String]) -> Value {
    let mut numbers = HashMap::new();
    let messages: Vec<Value> = call.messages.iter().map(|chat_message| message(chat_message, &mut numbers)).collect();
    let tools: Vec<Value> = call
        .tools
        .iter()
        .map(|tool| json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters.to_value()}))
        .collect();
    let mut value = json!({
        "system": call.system,
        "messages": messages,
        "tools": tools,
        "tool_choice": match &call.tool_choice {
            ToolChoice::Auto => json!("auto"),
            ToolChoice::None => json!("none"),
            ToolChoice::Required => json!("required"),
            ToolChoice::Named(name) => json!({"name": name}),
        },
        "format": match &call.format {
            OutputFormat::Text => json!("text"),
            OutputFormat::JsonObject => json!("json_object"),
            OutputFormat::JsonSchema(schema) => schema.to_value(),
        },
        "writing": serde_json::to_value(&call.writing).unwrap_or_default(),
        "parallel_calls": call.parallel_calls,
    });
    redact(&mut value, secrets);
    value
}

fn message(message: &ChatMessage, numbers: &mut HashMap<CallId, usize>) -> Value {
    // Call ids differ in every run, so a call and its result are matched by a sequence number.
    let mut number = |id: &CallId| {
        let next = numbers.len();
        *numbers.entry(id.clone()).or_insert(next)
    };
    match message {
        ChatMessage::User { text, files, .. } => {
            json!({"user": text, "files": files.iter().map(file).collect::<Vec<_>>()})
        }
        ChatMessage::Assistant { text, calls, .. } => {
            let calls: Vec<Value> = calls
                .iter()
                .map(
                    |call| json!({"call": number(&call.id), "name": call.name, "arguments": call.arguments.to_value()}),
                )
                .collect();
            json!({"assistant": text, "calls": calls})
        }
        ChatMessage::Tool { call, name, output, is_error, .. } => {
            json!({"result_of": number(call), "name": name, "output": output.to_value(), "is_error": is_error})
        }
    }
}

fn file(file: &ChatFile) -> Value {
    let content = match &file.content {
        ChatFileContent::Bytes(base64) => json!({"sha256": hex(base64.as_bytes())}),
        ChatFileContent::Url(url) => json!({"url": url}),
    };
    json!({"name": file.name, "media_type": file.media_type, "content": content})
}

/// Replaces every secret in keys and strings.
pub(super) fn redact(value: &mut Value, secrets: &[String]) {
    match value {
        Value::String(text) => {
            for secret in secrets.iter().filter(|secret| secret.len() >= MIN_SECRET_LEN) {
                if text.contains(secret.as_str()) {
                    *text = text.replace(secret.as_str(), SECRET_REPLACEMENT);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redact(item, secrets)),
        Value::Object(members) => {
            // Members are sorted by name, whichever order the maps of this build have, so that equal values give equal
            // text.
            let mut old: Vec<(String, Value)> = std::mem::take(members).into_iter().collect();
            old.sort_by(|a, b| a.0.cmp(&b.0));
            for (key, mut member) in old {
                redact(&mut member, secrets);
                let mut key = Value::String(key);
                redact(&mut key, secrets);
                if let Value::String(key) = key {
                    members.insert(key, member);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
