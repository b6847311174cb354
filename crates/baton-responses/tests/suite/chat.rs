//! The chat completions dialect as another view of the same run.

use crate::streams::Scene;
use baton_responses::{
    RequestRecord,
    chat::{ChunkEncoder, Completion, CreateChatCompletion, TextChunkEncoder, TextCompletion},
};
use baton_types::{FailureReason, Message, Part, ReasoningBlock, Role, TaskEvent, TaskState};
use serde_json::json;

/// The complete response, and the same response as a stream.
fn both(scene: &Scene) -> String {
    let response = scene.projector.response();
    let whole = match Completion::from_response(response) {
        Ok(completion) => serde_json::to_string_pretty(&completion).unwrap(),
        Err(refusal) => format!("{} {}", refusal.status, refusal.to_json()),
    };
    let mut chunks = ChunkEncoder::new(response, true);
    let lines: String = scene.stream.iter().flat_map(|event| chunks.event(event)).map(|chunk| chunk.to_sse()).collect();
    format!("{whole}\n{}", lines.replace("\n\n", "\n"))
}

#[test]
fn answers_tool_calls_and_failures_are_written() {
    let note = RequestRecord { hides_tools: true, ..RequestRecord::default() };
    let mut text = Scene::new(&note);
    text.attempt("m1", 1);
    let thought = "Who knows?".to_owned();
    let reasoning = ReasoningBlock { model: "a:b".to_owned(), text: thought, replay: None, after_text: false };
    text.event(TaskEvent::ReasoningProduced { message: "m1".into(), reasoning });
    text.live("m1", 0, "Let me");
    text.calls("m1", "Let me look.", &[("c1", "lookup", json!({}))]);
    text.tool_finished("c1", "72", false);
    text.attempt("m2", 1);
    text.live("m2", 0, "72");
    text.answered("m2", "72°F");
    insta::assert_snapshot!("chat_text", both(&text));
    let response = text.projector.response();
    let whole = serde_json::to_string_pretty(&TextCompletion::from_response(response).unwrap()).unwrap();
    let mut chunks = TextChunkEncoder::new(response, true);
    let lines: String = text.stream.iter().flat_map(|event| chunks.event(event)).collect();
    insta::assert_snapshot!("legacy_text", format!("{whole}\n{}", lines.replace("\n\n", "\n")));
    let mut calls = Scene::new(&note);
    calls.attempt("m1", 1);
    calls.calls("m1", "", &[("c1", "mine", json!({"a": 1})), ("c2", "mine", json!({}))]);
    let asked = json!({"tool_calls": [
        {"call_id": "c1", "name": "mine", "arguments": {"a": 1}},
        {"call_id": "c2", "name": "mine", "arguments": {}},
    ]});
    let asked = Message::new("m1".into(), Role::Agent, vec![Part::text(""), Part::data(asked.into())]);
    calls.status(TaskState::InputRequired, Some(asked), None);
    insta::assert_snapshot!("chat_calls", both(&calls));
    let mut fails = Scene::new(&note);
    let reason = FailureReason::new("BTN-3003", "The model's service is down.");
    fails.status(TaskState::Failed, None, Some(reason));
    insta::assert_snapshot!("chat_failure", both(&fails));
}

#[test]
fn chat_requests_become_responses_requests() {
    let body = json!({
        "model": "helper", "stream": true, "stream_options": {"include_usage": true}, "max_tokens": 5, "stop": ["END"],
        "reasoning_effort": "low", "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}},
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
        "tool_choice": {"type": "function", "function": {"name": "f"}},
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "https://x/i.png"}}]},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{\"x\":1}"}}]},
            {"role": "tool", "tool_call_id": "a", "content": "A"},
        ],
    });
    let mut count = 0;
    let mut fresh = || {
        count += 1;
        format!("f{count}")
    };
    let chat = CreateChatCompletion::parse(body.to_string().as_bytes(), &mut fresh).unwrap();
    assert!(chat.include_usage && chat.create.stream && !chat.create.store);
    let messages: Vec<&Message> = chat.create.input.messages().collect();
    insta::assert_snapshot!(
        serde_json::to_string_pretty(&json!({"wishes": chat.create.run_options(), "messages": messages})).unwrap()
    );
}
