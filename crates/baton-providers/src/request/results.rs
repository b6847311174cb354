//! Tool results, including errors and images.

use crate::ProviderKind;
use baton_types::Json;
use genai::chat::{Binary, ContentPart, ToolResponse};
use serde_json::{Value, json};

/// One tool result, with the names of the request.
pub(super) struct WireToolResult<'a> {
    pub(super) id: String,
    pub(super) name: &'a str,
    pub(super) output: &'a Json,
    pub(super) is_error: bool,
}

struct ResultImage {
    media_type: String,
    data: String,
}

/// The result for the model, and the images that must follow it in a separate message.
pub(super) fn parts(kind: ProviderKind, result: WireToolResult<'_>) -> (ContentPart, Vec<ContentPart>) {
    let (text, pictures) = read(result.output);
    if kind == ProviderKind::Anthropic {
        return (claude(&result, &text, &pictures), Vec::new());
    }
    let text = if result.is_error { format!("Error: {text}") } else { text };
    let mut response = ToolResponse::new(result.id, text);
    response.fn_name = Some(result.name.to_owned());
    let mut after = Vec::new();
    if !pictures.is_empty() {
        after.push(ContentPart::from_text(format!("What {} gave to look at:", result.name)));
    }
    for picture in pictures {
        after.push(ContentPart::Binary(Binary::from_base64(picture.media_type, picture.data, None)));
    }
    (ContentPart::ToolResponse(response), after)
}

/// Claude has an error flag and accepts images inside the result.
fn claude(result: &WireToolResult<'_>, text: &str, pictures: &[ResultImage]) -> ContentPart {
    let mut content = Vec::new();
    if !text.is_empty() || pictures.is_empty() {
        // An empty text block is rejected.
        content.push(json!({"type": "text", "text": if text.is_empty() { "(empty)" } else { text }}));
    }
    for picture in pictures {
        let source = json!({"type": "base64", "media_type": picture.media_type, "data": picture.data});
        content.push(json!({"type": "image", "source": source}));
    }
    let mut block = json!({"type": "tool_result", "tool_use_id": result.id, "content": content});
    if result.is_error {
        block["is_error"] = json!(true);
    }
    ContentPart::from_custom(block, None)
}

/// Text and images of a result; only content blocks of MCP servers contain images.
fn read(output: &Json) -> (String, Vec<ResultImage>) {
    if !output.as_str().contains("\"image\"") {
        return (output.to_plain_text(), Vec::new());
    }
    let mut value = output.to_value();
    let Some(blocks) = value.get_mut("content").and_then(Value::as_array_mut) else {
        return (output.to_plain_text(), Vec::new());
    };
    let mut pictures = Vec::new();
    blocks.retain(|block| match picture(block) {
        None => true,
        Some(picture) => {
            pictures.push(picture);
            false
        }
    });
    let texts: Option<Vec<&str>> = blocks.iter().map(|block| block.get("text").and_then(Value::as_str)).collect();
    let texts = texts.map(|texts| texts.join("\n"));
    let text =
        texts.filter(|_| value.as_object().is_some_and(|all| all.len() == 1)).unwrap_or_else(|| value.to_string());
    (text, pictures)
}

fn picture(block: &Value) -> Option<ResultImage> {
    let text = |name: &str| block.get(name).and_then(Value::as_str).map(str::to_owned);
    (text("type")? == "image").then_some(())?;
    Some(ResultImage { media_type: text("mimeType")?, data: text("data").filter(|data| !data.is_empty())? })
}
