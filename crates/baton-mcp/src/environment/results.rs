//! Conversion of tool output to protocol results.

use baton_ports::ToolOutput;
use baton_types::Json;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

/// Result of a tool of the definition, with the same output as text and as structured content.
pub(super) fn result(output: &ToolOutput) -> CallToolResult {
    let ToolOutput { output, is_error } = output;
    if *is_error {
        return failure(output.to_plain_text());
    }
    let mut result = CallToolResult::success(vec![ContentBlock::text(output.to_plain_text())]);
    result.structured_content = structured(output);
    result
}

/// Error result with a text for the model.
pub(super) fn failure(message: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(message)])
}

fn structured(output: &Json) -> Option<Value> {
    output.is_object().then(|| output.to_value())
}

/// The result, or an error result if it exceeds the size limit.
pub(super) fn limit_size(result: CallToolResult, limit: usize) -> CallToolResult {
    let size: usize = result.content.iter().map(block_size).sum::<usize>()
        + result.structured_content.as_ref().map_or(0, |value| value_size(value, 0));
    if size <= limit {
        return result;
    }
    failure(format!("The result has about {size} bytes; the limit is {limit}. Request less data."))
}

fn block_size(block: &ContentBlock) -> usize {
    match block {
        ContentBlock::Text(text) => text.text.len(),
        ContentBlock::Image(image) => image.data.len(),
        ContentBlock::Audio(audio) => audio.data.len(),
        ContentBlock::Resource(resource) => contents_size(&resource.resource),
        _ => 1024,
    }
}

fn contents_size(contents: &ResourceContents) -> usize {
    match contents {
        ResourceContents::TextResourceContents { text, .. } => text.len(),
        ResourceContents::BlobResourceContents { blob, .. } => blob.len(),
        _ => 0,
    }
}

fn value_size(value: &Value, depth: usize) -> usize {
    if depth > 128 {
        return 0;
    }
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(entries) => entries.iter().map(|entry| value_size(entry, depth + 1) + 1).sum(),
        Value::Object(members) => {
            members.iter().map(|(name, member)| name.len() + 4 + value_size(member, depth + 1)).sum()
        }
    }
}
