//! A service of models that does what it is asked to, and tells everybody what it was sent.

use crate::service::{Answer, Heard, Service};
use serde_json::{Value, json};

/// It answers as OpenAI does. Words decide: `refuse` has it refuse the key and repeat all that it was sent, `take a note`
/// has it call the tool `note` with what follows a colon once, `note on` again and again, `repeat` has it say the words,
/// and `be busy`, `leave me alone`, `break off` and `hang` are what they say.
pub(crate) struct Provider {
    pub(crate) url: String,
    pub(crate) service: Service,
}

impl Provider {
    pub(crate) fn start() -> Self {
        let service = Service::start(answer);
        Self { url: service.url.clone(), service }
    }

    /// The heads of all requests so far.
    pub(crate) fn seen(&self) -> String {
        self.service.heard().into_iter().map(|heard| heard.head).collect()
    }

    /// The conversations that it was asked to go on with.
    pub(crate) fn chats(&self) -> Vec<Value> {
        let chats = self.service.heard().into_iter().filter(|heard| heard.path().contains("/chat/completions"));
        chats.map(|heard| heard.json()).collect()
    }
}

fn answer(heard: &Heard) -> Answer {
    let path = heard.path();
    if path == "/api/tags" {
        let model = |name: &str| json!({ "name": name, "model": name });
        return Answer::json("200 OK", &json!({ "models": [model("phi3:mini"), model("qwen3:8b")] }));
    }
    if path.contains("/models") && !path.contains("enerateContent") {
        return Answer::json("200 OK", &json!({ "object": "list", "data": [{ "id": "echo", "object": "model" }] }));
    }
    if !path.contains("/chat/completions") || heard.body.contains("refuse") {
        let message = format!("wrong key in {}", heard.head);
        let error = json!({ "error": { "type": "authentication_error", "message": message } });
        return Answer::json("401 Unauthorized", &error);
    }
    chat(&heard.json())
}

fn chat(body: &Value) -> Answer {
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    let said = messages.iter().rfind(|message| message["role"] == "user");
    let words = said.and_then(|message| message["content"].as_str()).unwrap_or_default();
    let is_noted = messages.last().is_some_and(|message| message["role"] == "tool");
    let busy = |more| Answer::Whole("503 Service Unavailable", "application/json", more, "{}".to_owned());
    match words {
        words if words.contains("be busy") => busy(""),
        words if words.contains("leave me alone") => busy("Retry-After: 120\r\n"),
        words if words.contains("break off") => Answer::Cut(piece(&json!({ "content": "Half" }), &Value::Null)),
        words if words.contains("hang") => Answer::Hanging(piece(&json!({ "content": "Half" }), &Value::Null)),
        words if words.contains("note on") || (words.contains("take a note") && !is_noted) => {
            let text = words.split_once(": ").map_or(words, |(_, text)| text);
            let function = json!({ "name": "note", "arguments": json!({ "text": text }).to_string() });
            let calls = json!([{ "index": 0, "id": "call-1", "type": "function", "function": function }]);
            streamed(&json!({ "role": "assistant", "tool_calls": calls }), "tool_calls")
        }
        words if words.contains("repeat") => streamed(&json!({ "role": "assistant", "content": words }), "stop"),
        _ => streamed(&json!({ "role": "assistant", "content": "Heard you." }), "stop"),
    }
}

/// A whole answer, which is said to have used 1,000 tokens and 100 more.
fn streamed(delta: &Value, finish: &str) -> Answer {
    let usage = json!({ "prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100 });
    let last = json!({ "id": "1", "object": "chat.completion.chunk", "created": 1, "model": "echo", "choices": [], "usage": usage });
    let pieces = [piece(delta, &Value::Null), piece(&json!({}), &finish.into()), format!("data: {last}\n\n")].concat();
    Answer::Whole("200 OK", "text/event-stream", "", format!("{pieces}data: [DONE]\n\n"))
}

fn piece(delta: &Value, finish: &Value) -> String {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
    let piece =
        json!({ "id": "1", "object": "chat.completion.chunk", "created": 1, "model": "echo", "choices": [choice] });
    format!("data: {piece}\n\n")
}
