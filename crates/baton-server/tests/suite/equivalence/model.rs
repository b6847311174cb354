//! A model that acts on the first word of the message and repeats any other text.

use async_stream::stream;
use baton_ports::{ChatMessage, FinishReason, Model, ModelCall, ModelError, ModelEvent, ModelResolver, ModelStream};
use baton_rules::{ASK_USER_TOOL, REPLY_MESSAGE_TOOL};
use baton_types::{AgentSpec, ToolCall, Usage};
use serde_json::{Value, json};
use std::sync::Arc;

/// Known keywords.
pub(super) const WORDS: [&str; 8] = ["hang", "ask", "look", "pair", "show", "refuse", "reply", "break"];

pub(super) struct KeywordModel;

impl ModelResolver for KeywordModel {
    fn model(&self, _: &AgentSpec) -> Result<Arc<dyn Model>, ModelError> {
        Ok(Arc::new(Self))
    }
}

impl Model for KeywordModel {
    fn name(&self) -> &str {
        "scripted"
    }

    fn call(&self, call: ModelCall) -> ModelStream {
        let said = match call.messages.last() {
            Some(ChatMessage::User { text, .. }) => text.clone(),
            Some(ChatMessage::Tool { name, output, .. }) if name == ASK_USER_TOOL => output.to_plain_text(),
            Some(ChatMessage::Tool { output, .. }) => format!("It gave {}", output.to_plain_text()),
            _ => "?".to_owned(),
        };
        let may_reply = call.tools.iter().any(|tool| tool.name == REPLY_MESSAGE_TOOL);
        let calls: Vec<ToolCall> = calls(&said, may_reply)
            .into_iter()
            .enumerate()
            .map(|(index, (name, arguments))| ToolCall {
                id: format!("{}-{index}", call.message_id).into(),
                name: name.to_owned(),
                arguments: arguments.into(),
            })
            .collect();
        Box::pin(stream! {
            let first = said.split_whitespace().next().unwrap_or_default();
            if first == "break" {
                yield Ok(ModelEvent::Text("Well".to_owned()));
                tokio::task::yield_now().await;
                yield Err(ModelError::Interrupted("the line is dead".to_owned()));
                return;
            }
            let words = match first {
                // After any output, a reply without a task is no longer possible.
                "reply" if !calls.is_empty() => "",
                _ if calls.is_empty() => said.as_str(),
                _ => "Let me see.",
            };
            for word in words.split_inclusive(' ') {
                yield Ok(ModelEvent::Text(word.to_owned()));
                tokio::task::yield_now().await;
            }
            if first == "hang" {
                std::future::pending::<()>().await;
            }
            let finish = if calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCalls };
            for call in calls {
                yield Ok(ModelEvent::ToolCall(call));
            }
            yield Ok(ModelEvent::Done { usage: Usage::new(1, 2), finish, answered_by: None });
        })
    }
}

/// Tool calls for a message.
fn calls(said: &str, may_reply: bool) -> Vec<(&'static str, Value)> {
    let look = |place: &str| ("get_weather", json!({"location": place}));
    match said.split_whitespace().next().unwrap_or_default() {
        "ask" => vec![("ask_user", json!({"question": "Where?"}))],
        "look" => vec![look("Oakland")],
        "pair" => vec![look("Oakland"), look("Zürich")],
        "show" => vec![
            ("emit_artifact", json!({"name": "words", "description": "said", "text": "w", "filename": "w.md"})),
            (
                "emit_artifact",
                json!({"artifact_id": "a/1", "data": {"n": [1, null, 0.5]}, "media_type": "application/json"}),
            ),
            ("emit_artifact", json!({"url": "https://example.com/é", "filename": "é.txt", "media_type": "text/plain"})),
            ("emit_artifact", json!({"name": "bytes", "raw": "aGk=", "filename": "hi.bin"})),
            ("emit_artifact", json!({"artifact_id": "a/1", "data": [true]})),
            ("emit_artifact", json!({"name": "nothing"})),
        ],
        "refuse" => vec![("reject_task", json!({"reason": "No."}))],
        "reply" if may_reply => vec![("reply_message", json!({"text": "Just so."}))],
        _ => Vec::new(),
    }
}
