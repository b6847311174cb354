//! Converse requests.

use super::publisher::ModelPublisher;
use crate::exchange::ChatExchange;
use genai::chat::{Binary, BinarySource, ChatMessage, ChatRole, ContentPart, Tool};
use serde_json::{Map, Value, json};

/// Body of a request.
pub(super) fn request_body(exchange: &ChatExchange) -> Value {
    let ChatExchange { model, chat, options, .. } = exchange;
    let publisher = ModelPublisher::from_model(model);
    let mut body = Map::new();
    if let Some(system) = &chat.system {
        body.insert("system".to_owned(), json!([{"text": system}]));
    }
    if let Some(tools) = &chat.tools {
        let tools: Vec<Value> = tools.iter().map(tool_spec).collect();
        let mut config = json!({"tools": tools});
        if let Some(choice) = publisher.tool_choice(options) {
            config["toolChoice"] = choice;
        }
        body.insert("toolConfig".to_owned(), config);
    }
    let messages: Vec<Value> = chat.messages.iter().filter_map(message).collect();
    body.insert("messages".to_owned(), Value::Array(messages));
    let inference = publisher.inference_options(model, options);
    if !inference.is_empty() {
        body.insert("inferenceConfig".to_owned(), Value::Object(inference));
    }
    if let Some(more) = publisher.reasoning_options(options) {
        body.insert("additionalModelRequestFields".to_owned(), more);
    }
    Value::Object(body)
}

/// Image format of a media type.
pub(super) fn image_format(media: &str) -> Option<&'static str> {
    Some(match media {
        "image/jpeg" | "image/jpg" => "jpeg",
        "image/png" => "png",
        "image/gif" => "gif",
        "image/webp" => "webp",
        _ => return None,
    })
}

fn tool_spec(tool: &Tool) -> Value {
    let mut spec = json!({"name": tool.name.as_str(), "inputSchema": {"json": tool.schema}});
    if let Some(description) = &tool.description {
        spec["description"] = json!(description);
    }
    json!({"toolSpec": spec})
}

fn message(message: &ChatMessage) -> Option<Value> {
    let role = if message.role == ChatRole::Assistant { "assistant" } else { "user" };
    let mut blocks = BlockBuilder::default();
    let mut parts = message.content.parts().iter().peekable();
    while let Some(part) = parts.next() {
        match part {
            // A signature belongs to the text that follows it; without one, it is encrypted reasoning.
            ContentPart::ThoughtSignature(signature) => {
                let text = parts.next_if(|next| matches!(next, ContentPart::ReasoningContent(_)));
                blocks.push(match text {
                    Some(ContentPart::ReasoningContent(text)) => {
                        json!({"reasoningContent": {"reasoningText": {"text": text, "signature": signature}}})
                    }
                    _ => json!({"reasoningContent": {"redactedContent": signature}}),
                });
            }
            ContentPart::Text(text) => blocks.push(json!({"text": text})),
            ContentPart::Binary(file) => blocks.push_file(file),
            ContentPart::ToolCall(call) => blocks.push(json!({
                "toolUse": {"toolUseId": call.call_id, "name": call.fn_name, "input": call.fn_arguments}
            })),
            ContentPart::ToolResponse(result) => blocks.push(json!({
                "toolResult": {"toolUseId": result.call_id, "content": [{"text": result.content}]}
            })),
            // Unsigned reasoning and blocks of other services cannot be sent back.
            ContentPart::ReasoningContent(_) | ContentPart::Custom(_) => {}
        }
    }
    (!blocks.all.is_empty()).then(|| json!({"role": role, "content": blocks.all}))
}

/// Content blocks of one message.
#[derive(Default)]
struct BlockBuilder {
    all: Vec<Value>,
    /// Names of documents, which must be unique within a message.
    document_names: Vec<String>,
}

impl BlockBuilder {
    fn push(&mut self, block: Value) {
        self.all.push(block);
    }

    fn push_file(&mut self, file: &Binary) {
        let BinarySource::Base64(data) = &file.source else { return };
        let source = json!({"bytes": data});
        if let Some(format) = image_format(&file.content_type) {
            return self.push(json!({"image": {"format": format, "source": source}}));
        }
        if file.content_type == "application/pdf" {
            let name = self.document_name(file.name.as_deref());
            return self.push(json!({"document": {"format": "pdf", "name": name, "source": source}}));
        }
        self.push(json!({"text": format!("[a file of type {} that this model cannot look at]", file.content_type)}));
    }

    /// A name of alphanumeric characters, single spaces, hyphens and brackets.
    fn document_name(&mut self, file_name: Option<&str>) -> String {
        let stem = file_name.map_or("", |name| name.rsplit_once('.').map_or(name, |(stem, _)| stem));
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || " -()[]".contains(c);
        let plain: String = stem.chars().map(|c| if is_allowed(c) { c } else { '-' }).collect();
        let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        let base = if words.is_empty() { "document".to_owned() } else { words };
        let mut candidates = (1_u32..).map(|count| if count == 1 { base.clone() } else { format!("{base}-{count}") });
        let name = candidates.find(|name| !self.document_names.contains(name)).unwrap_or_default();
        self.document_names.push(name.clone());
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use genai::chat::{MessageContent, ToolCall};

    #[test]
    fn signed_and_encrypted_reasoning_precedes_tool_calls() {
        let call = ToolCall {
            call_id: "call_1".to_owned(),
            fn_name: "weather".to_owned(),
            fn_arguments: json!({}),
            thought_signatures: None,
        };
        let parts = vec![
            ContentPart::ThoughtSignature("sig-1".to_owned()),
            ContentPart::ReasoningContent("thinking".to_owned()),
            ContentPart::ThoughtSignature("blob".to_owned()),
            ContentPart::ReasoningContent("unsigned".to_owned()),
            ContentPart::ThoughtSignature("blob-2".to_owned()),
            ContentPart::from_text("Checking."),
            ContentPart::ToolCall(call),
        ];
        let sent = message(&ChatMessage::new(ChatRole::Assistant, MessageContent::from_parts(parts)));
        let content = json!([
            {"reasoningContent": {"reasoningText": {"text": "thinking", "signature": "sig-1"}}},
            {"reasoningContent": {"reasoningText": {"text": "unsigned", "signature": "blob"}}},
            {"reasoningContent": {"redactedContent": "blob-2"}},
            {"text": "Checking."},
            {"toolUse": {"toolUseId": "call_1", "name": "weather", "input": {}}}
        ]);
        assert_eq!(sent, Some(json!({"role": "assistant", "content": content})));
        let unsigned = vec![ContentPart::ReasoningContent("unsigned".to_owned())];
        assert_eq!(message(&ChatMessage::new(ChatRole::Assistant, MessageContent::from_parts(unsigned))), None);
    }

    #[test]
    fn documents_have_unique_valid_names() {
        let mut blocks = BlockBuilder::default();
        let names = [Some("report.v2.pdf"), Some("report.v2.pdf"), None, Some("a  b/c.pdf"), None];
        let names = names.map(|name| blocks.document_name(name));
        assert_eq!(names, ["report-v2", "report-v2-2", "document", "a b-c", "document-2"]);
    }
}
