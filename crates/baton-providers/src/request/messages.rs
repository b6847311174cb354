//! Conversion of the conversation to messages.

use super::{files, tool_result::WireToolResult};
use crate::{
    names::{WireCallIds, WireToolNames},
    protocol::{MessageLayout, ProviderProtocol},
    replay,
};
use baton_ports::{ChatMessage, ModelCall};
use baton_types::{Json, ToolCall};
use genai::chat::{self, ChatRole, ContentPart, MessageContent};
use serde_json::{Value, json};

/// All messages, in the order and layout that the protocol requires.
pub(super) fn convert_messages(
    protocol: &dyn ProviderProtocol,
    full_name: &str,
    call: &ModelCall,
    names: &WireToolNames,
    ids: &mut WireCallIds,
) -> Vec<chat::ChatMessage> {
    let mut out = MessageBuilder { protocol, messages: Vec::new(), pictures: Vec::new() };
    for message in &call.messages {
        match message {
            ChatMessage::User { text, files, .. } => {
                let text_part = (!text.is_empty() || files.is_empty()).then(|| ContentPart::from_text(text.clone()));
                let files = files.iter().map(|file| files::part(protocol, file));
                out.push_message(ChatRole::User, text_part.into_iter().chain(files).collect());
            }
            ChatMessage::Assistant { text, calls, reasoning } => {
                let thought = reasoning.as_ref().filter(|it| it.model == full_name);
                let mut parts = thought.map(|it| replay::parts(it, !calls.is_empty())).unwrap_or_default();
                if !text.is_empty() {
                    parts.push(ContentPart::from_text(text.clone()));
                }
                for (index, call) in calls.iter().enumerate() {
                    let mut sent = sent_call(call, names, ids);
                    sent.thought_signatures = thought.and_then(|it| replay::call_signatures(it, index));
                    parts.push(ContentPart::ToolCall(sent));
                }
                if !parts.is_empty() {
                    out.push_message(ChatRole::Assistant, parts);
                }
            }
            ChatMessage::Tool { call, name, output, is_error, .. } => {
                let result =
                    WireToolResult { id: ids.wire_id(call), name: names.wire_name(name), output, is_error: *is_error };
                out.result(result);
            }
        }
    }
    out.close_results();
    out.messages
}

fn sent_call(call: &ToolCall, names: &WireToolNames, ids: &mut WireCallIds) -> chat::ToolCall {
    chat::ToolCall {
        call_id: ids.wire_id(&call.id),
        fn_name: names.wire_name(&call.name).to_owned(),
        fn_arguments: object(&call.arguments),
        thought_signatures: None,
    }
}

/// Services accept only an object, even if the model wrote something else.
fn object(arguments: &Json) -> Value {
    match arguments.to_value() {
        object @ Value::Object(_) => object,
        Value::Null => json!({}),
        other => json!({"arguments": other}),
    }
}

struct MessageBuilder<'a> {
    protocol: &'a dyn ProviderProtocol,
    messages: Vec<chat::ChatMessage>,
    /// Images of the results so far, sent after the last result.
    pictures: Vec<ContentPart>,
}

impl MessageBuilder<'_> {
    fn push_message(&mut self, role: ChatRole, parts: Vec<ContentPart>) {
        self.close_results();
        self.push(role, parts);
    }

    fn result(&mut self, result: WireToolResult<'_>) {
        let (part, pictures) = self.protocol.tool_result(result);
        self.pictures.extend(pictures);
        self.push(ChatRole::Tool, vec![part]);
    }

    fn close_results(&mut self) {
        if !self.pictures.is_empty() {
            let pictures = std::mem::take(&mut self.pictures);
            self.push(ChatRole::User, pictures);
        }
    }

    fn push(&mut self, role: ChatRole, parts: Vec<ContentPart>) {
        let (role, joins) = match self.protocol.layout() {
            MessageLayout::ResultsTogether => (role.clone(), role == ChatRole::Tool),
            MessageLayout::ResultsSeparate => (role, false),
            MessageLayout::AlternatingRoles if role == ChatRole::Tool => (ChatRole::User, true),
            MessageLayout::AlternatingRoles => (role, true),
        };
        match self.messages.last_mut().filter(|last| joins && last.role == role) {
            Some(last) => parts.into_iter().for_each(|part| last.content.push(part)),
            None => self.messages.push(chat::ChatMessage::new(role, MessageContent::from_parts(parts))),
        }
    }
}
