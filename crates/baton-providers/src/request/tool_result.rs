//! Tool results, including errors and images.

use baton_types::Json;
use genai::chat::{Binary, ContentPart, ToolResponse};
use serde_json::Value;

/// One tool result, with the names of the request.
pub(crate) struct WireToolResult<'a> {
    pub(crate) id: String,
    pub(crate) name: &'a str,
    pub(crate) output: &'a Json,
    pub(crate) is_error: bool,
}

/// An image of a result, in Base64.
pub(crate) struct ResultImage {
    pub(crate) media_type: String,
    pub(crate) data: String,
}

impl WireToolResult<'_> {
    /// Text and images.
    pub(crate) fn text_and_images(&self) -> (String, Vec<ResultImage>) {
        read(self.output)
    }
}

/// The result as text, and its images as parts of a separate message.
pub(crate) fn text_and_images(result: WireToolResult<'_>) -> (ContentPart, Vec<ContentPart>) {
    let (text, pictures) = read(result.output);
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
