//! Parses model input and output messages on spans, in the format of the GenAI conventions.

use serde_json::Value;

/// One part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MessageItem {
    /// Text.
    Text {
        /// `user`, `assistant`, `system` or `tool`.
        role: String,
        /// Text content.
        text: String,
    },
    /// Reasoning of a model.
    Thought(String),
    /// Tool call.
    Call {
        /// Call id.
        id: String,
        /// Tool name.
        name: String,
        /// Call arguments.
        arguments: String,
    },
    /// Result of a tool call.
    Answer {
        /// Call id.
        id: String,
        /// Tool output.
        response: String,
    },
}

/// Parses a list of messages; other text becomes one text part without a role.
pub(crate) fn parse_messages(text: &str) -> Vec<MessageItem> {
    let messages = match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(messages)) => messages,
        Ok(message @ Value::Object(_)) => vec![message],
        _ => return vec![MessageItem::Text { role: String::new(), text: text.to_owned() }],
    };
    messages.iter().flat_map(message).collect()
}

fn message(message: &Value) -> Vec<MessageItem> {
    let role = message["role"].as_str().unwrap_or_default();
    let text_item = |text: &str| MessageItem::Text { role: role.to_owned(), text: text.to_owned() };
    let parts = message["parts"].as_array().or_else(|| message["content"].as_array());
    match (parts, message["content"].as_str()) {
        (Some(parts), _) => parts.iter().filter_map(|item| part(item, role)).collect(),
        (None, Some(text)) => vec![text_item(text)],
        (None, None) => Vec::new(),
    }
}

fn part(part: &Value, role: &str) -> Option<MessageItem> {
    let text = |name: &str| part[name].as_str().map(str::to_owned);
    let id = || text("id").unwrap_or_default();
    Some(match part["type"].as_str().unwrap_or("text") {
        "text" => MessageItem::Text { role: role.to_owned(), text: text("content").or_else(|| text("text"))? },
        "reasoning" | "thinking" => MessageItem::Thought(text("content")?),
        "tool_call" => MessageItem::Call { id: id(), name: text("name")?, arguments: display_json(&part["arguments"]) },
        "tool_call_response" => {
            let response = if part["response"].is_null() { &part["result"] } else { &part["response"] };
            MessageItem::Answer { id: id(), response: display_json(response) }
        }
        "data" => MessageItem::Text { role: role.to_owned(), text: display_json(&part["content"]) },
        other => MessageItem::Text { role: role.to_owned(), text: format!("({other})") },
    })
}

/// JSON for display: strings without quotes.
fn display_json(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Unquotes text that is a JSON string.
pub(crate) fn unquoted(json: &str) -> String {
    serde_json::from_str::<Value>(json).map_or_else(
        |_| json.to_owned(),
        |value| match value {
            Value::String(text) => text,
            _ => json.to_owned(),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_format_is_parsed() {
        let text = |role: &str, text: &str| MessageItem::Text { role: role.into(), text: text.into() };
        for (written, expect) in [
            (r#"[{"role":"user","parts":[{"type":"text","content":"Hello"}]}]"#, vec![text("user", "Hello")]),
            (r#"[{"role":"user","content":"Hello"}]"#, vec![text("user", "Hello")]),
            (r#"[{"role":"user","content":[{"type":"text","text":"Hello"}]}]"#, vec![text("user", "Hello")]),
            ("Hello", vec![text("", "Hello")]),
            (
                r#"[{"role":"assistant","parts":[{"type":"reasoning","content":"Hm"},{"type":"tool_call","id":"c1","name":"f","arguments":{"a":1}}]}]"#,
                vec![
                    MessageItem::Thought("Hm".into()),
                    MessageItem::Call { id: "c1".into(), name: "f".into(), arguments: r#"{"a":1}"#.into() },
                ],
            ),
            (
                r#"[{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":"18 degrees"},{"type":"blob"}]}]"#,
                vec![MessageItem::Answer { id: "c1".into(), response: "18 degrees".into() }, text("tool", "(blob)")],
            ),
            ("[]", vec![]),
        ] {
            assert_eq!(parse_messages(written), expect, "{written}");
        }
    }
}
