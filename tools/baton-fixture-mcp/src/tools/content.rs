//! Tool results of every content type.

use super::call::text_result;
use crate::media::{PNG, WAV};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, ResourceContents};
use serde_json::json;

pub(super) fn image() -> CallToolResult {
    CallToolResult::success(vec![picture()])
}

pub(super) fn audio() -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::audio(WAV, "audio/wav")])
}

pub(super) fn resource() -> CallToolResult {
    let text = "This is an embedded resource content.";
    let resource = ResourceContents::text(text, "test://embedded-resource").with_mime_type("text/plain");
    CallToolResult::success(vec![ContentBlock::resource(resource)])
}

pub(super) fn several() -> CallToolResult {
    let data = json!({ "test": "data", "value": 123 }).to_string();
    let data = ResourceContents::text(data, "test://mixed-content-resource").with_mime_type("application/json");
    let text = ContentBlock::text("Multiple content types test:");
    CallToolResult::success(vec![text, picture(), ContentBlock::resource(data)])
}

/// The sum of two numbers, as text and as structured content.
pub(super) fn structured(arguments: &JsonObject) -> CallToolResult {
    let number = |name: &str| arguments.get(name).and_then(serde_json::Value::as_f64).unwrap_or_default();
    let sum = number("a") + number("b");
    let text = format!("The sum is {sum}.");
    let mut result = text_result(&text);
    result.structured_content = Some(json!({ "sum": sum, "words": text }));
    result
}

fn picture() -> ContentBlock {
    ContentBlock::image(PNG, "image/png")
}
