//! Converts the result of an MCP tool for models and the journal.

use baton_ports::ToolOutput;
use baton_types::Json;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::{Map, Value};

/// Maximum output bytes; more is truncated with a notice.
pub(super) const MAX_OUTPUT: usize = 1 << 20;
/// Bytes reserved for the notice about an omitted block.
const NOTICE_BYTES: usize = 128;
/// Maximum length of a content kind in such a notice.
const MAX_KIND: usize = 200;

/// Plain text stays plain, structured content stays structured, everything else keeps the form of the protocol.
pub(super) fn output(result: CallToolResult, limit: usize) -> ToolOutput {
    let is_error = result.is_error.unwrap_or_default();
    let CallToolResult { content, structured_content: structured, .. } = result;
    let text = plain_text(&content);
    let output = match (text, structured) {
        (Some(text), None) => Json::string(&cut(text, limit)),
        (Some(text), Some(value)) if content.is_empty() || is_same_json(&text, &value) => bounded(value, limit),
        (_, structured) => blocks(content, structured, limit),
    };
    ToolOutput { output, is_error }
}

/// The text of content that consists of text only.
fn plain_text(content: &[ContentBlock]) -> Option<String> {
    let texts: Option<Vec<_>> = content.iter().map(|block| block.as_text().map(|text| text.text.as_str())).collect();
    Some(texts?.join("\n"))
}

fn is_same_json(text: &str, structured: &Value) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|value| value == *structured)
}

fn bounded(value: Value, limit: usize) -> Json {
    let json = Json::from(value);
    if json.as_str().len() <= limit { json } else { Json::string(&cut(json.as_str().to_owned(), limit)) }
}

fn blocks(content: Vec<ContentBlock>, structured: Option<Value>, limit: usize) -> Json {
    let mut left = limit;
    let mut blocks: Vec<Value> = Vec::new();
    let count = content.len();
    for block in content {
        // The notice about an omitted block also uses space.
        if left == 0 {
            blocks.push(note(&format!("[{} more blocks of content left out: too large]", count - blocks.len())));
            break;
        }
        blocks.push(fit_block(block, &mut left));
    }
    let mut members = Map::new();
    if let Some(structured) = structured {
        let size = size_of(&structured);
        if size <= left {
            members.insert("structuredContent".to_owned(), structured);
        } else {
            blocks.push(note(&format!("[structured content of {size} bytes left out: too large]")));
        }
    }
    members.insert("content".to_owned(), Value::Array(blocks));
    Json::from(Value::Object(members))
}

/// The block if it fits; otherwise text is truncated and other content is replaced by a notice.
fn fit_block(block: ContentBlock, left: &mut usize) -> Value {
    let description = describe_block(&block);
    let block = match block {
        ContentBlock::Text(mut text) => {
            text.text = cut(text.text, *left);
            // The metadata of a text may be larger than the text.
            let is_heavy = serde_json::to_value(&text).map_or(true, |value| size_of(&value) > *left + 6 * NOTICE_BYTES);
            if is_heavy {
                *left = left.saturating_sub(text.text.len() + NOTICE_BYTES);
                return note(&text.text);
            }
            ContentBlock::Text(text)
        }
        other => other,
    };
    let Ok(value) = serde_json::to_value(&block) else { return note("[content that is not JSON left out]") };
    let size = size_of(&value);
    // Text is already truncated; its JSON overhead is no reason to omit it.
    if size > *left && !matches!(block, ContentBlock::Text(_)) {
        *left = left.saturating_sub(description.len() + NOTICE_BYTES);
        return note(&format!("[{description} of {size} bytes left out: too large]"));
    }
    *left = left.saturating_sub(size);
    value
}

fn describe_block(block: &ContentBlock) -> String {
    let description = match block {
        ContentBlock::Image(image) => image.mime_type.clone(),
        ContentBlock::Audio(audio) => audio.mime_type.clone(),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { uri, .. } | ResourceContents::BlobResourceContents { uri, .. } => {
                format!("resource {uri}")
            }
            _ => "resource".to_owned(),
        },
        _ => "content".to_owned(),
    };
    description.chars().take(MAX_KIND).collect()
}

fn note(text: &str) -> Value {
    serde_json::json!({"type": "text", "text": text})
}

fn size_of(value: &Value) -> usize {
    serde_json::to_vec(value).map_or(usize::MAX, |text| text.len())
}

/// Truncates a text at a character boundary.
fn cut(mut text: String, limit: usize) -> String {
    let total = text.len();
    if total > limit {
        text.truncate(text.floor_char_boundary(limit));
        text.push_str(&format!("\n[output cut: the first {limit} of {total} bytes are shown]"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(result: Value, limit: usize, expect: &Value) {
        let result: CallToolResult = serde_json::from_value(result).unwrap();
        let is_error = result.is_error.unwrap_or_default();
        let output = output(result, limit);
        assert_eq!(output.output.to_value(), *expect);
        assert_eq!(output.is_error, is_error);
    }

    fn image_of(size: usize) -> Value {
        json!({"type": "image", "data": "A".repeat(size), "mimeType": "image/png"})
    }

    #[test]
    fn results_of_every_kind() {
        let text = |text: &str| json!({"type": "text", "text": text});
        let image = json!({"type": "image", "data": "AAAA", "mimeType": "image/png"});
        check(json!({"content": [text("a"), text("b")]}), 100, &json!("a\nb"));
        check(json!({"content": []}), 100, &json!(""));
        check(json!({"content": [text("no")], "isError": true}), 100, &json!("no"));
        check(json!({"content": [text("{\"a\": 1}")], "structuredContent": {"a": 1}}), 100, &json!({"a": 1}));
        check(json!({"content": [text("42")], "structuredContent": 42}), 100, &json!(42));
        check(json!({"content": [], "structuredContent": [1, 2]}), 100, &json!([1, 2]));
        check(json!({"structuredContent": null}), 100, &json!(null));
        check(
            json!({"content": [text("one file")], "structuredContent": {"files": ["x"]}}),
            100,
            &json!({"content": [text("one file")], "structuredContent": {"files": ["x"]}}),
        );
        check(
            json!({"content": [text("see"), image], "isError": true}),
            1000,
            &json!({"content": [text("see"), image]}),
        );
    }

    #[test]
    fn oversized_result_is_truncated_with_a_note() {
        let text = |text: &str| json!({"type": "text", "text": text});
        check(json!({"content": [text("äöü")]}), 3, &json!("ä\n[output cut: the first 3 of 6 bytes are shown]"));
        let image = json!({"type": "image", "data": "A".repeat(200), "mimeType": "image/png"});
        check(
            json!({"content": [text("x"), image], "structuredContent": {"a": "b".repeat(200)}}),
            100,
            &json!({"content": [
                text("x"),
                text("[image/png of 249 bytes left out: too large]"),
                text("[structured content of 208 bytes left out: too large]"),
            ]}),
        );
        let many = vec![text("a"); 1000];
        let many = [vec![image_of(1)], many].concat();
        let result = serde_json::from_value(json!({ "content": many })).unwrap();
        let shown = output(result, 300).output;
        assert!(shown.as_str().len() < 1000, "{}", shown.as_str());
        assert!(shown.as_str().contains("more blocks of content left out"), "{}", shown.as_str());
        let heavy = json!({"type": "text", "text": "a", "_meta": {"x": "y".repeat(5000)}});
        check(json!({"content": [image_of(1), heavy]}), 300, &json!({"content": [image_of(1), text("a")]}));
        check(
            json!({"content": [], "structuredContent": "abcdef"}),
            4,
            &json!("\"abc\n[output cut: the first 4 of 8 bytes are shown]"),
        );
    }
}
