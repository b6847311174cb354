//! The echo of input items.

use baton_types::Json;
use serde_json::{Map, Value, json};

/// An item in full form, with an id. Inline content is omitted unless it was requested.
pub(super) fn with_id(item: &Value, shows_images: bool, fresh: &mut dyn FnMut() -> String) -> Json {
    let Value::Object(members) = item else { return item.clone().into() };
    let kind = members.get("type").and_then(Value::as_str).unwrap_or("message");
    let id = match members.get("id").and_then(Value::as_str).filter(|id| !id.is_empty()) {
        Some(id) => id.to_owned(),
        None => format!("{}_{}", prefix(kind), fresh()),
    };
    let mut object = Map::new();
    object.insert("type".to_owned(), kind.into());
    object.insert("id".to_owned(), id.into());
    for (name, value) in members.iter().filter(|(name, _)| *name != "type" && *name != "id") {
        let value = match (name.as_str(), value) {
            ("content", Value::String(text)) if kind == "message" => {
                let is_answer = members.get("role").is_some_and(|role| role == "assistant");
                let part = if is_answer { "output_text" } else { "input_text" };
                json!([{"type": part, "text": text}])
            }
            ("content" | "output", Value::Array(parts)) if !shows_images => parts.iter().map(without_inline).collect(),
            _ => value.clone(),
        };
        object.insert(name.clone(), value);
    }
    Value::Object(object).into()
}

fn without_inline(part: &Value) -> Value {
    let mut part = part.clone();
    for name in ["image_url", "file_data", "video_url"] {
        if let Some(content) = part.get_mut(name)
            && content.as_str().is_some_and(|text| text.starts_with("data:") || name == "file_data")
        {
            *content = Value::Null;
        }
    }
    part
}

fn prefix(kind: &str) -> &'static str {
    match kind {
        "message" => "msg",
        "function_call" => "fc",
        "function_call_output" => "fco",
        "custom_tool_call" => "ctc",
        "custom_tool_call_output" => "ctco",
        "reasoning" => "rs",
        "mcp_approval_response" => "mcpa",
        "compaction" => "cmp",
        _ => "item",
    }
}
