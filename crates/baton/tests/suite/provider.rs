//! A scripted model provider that records its requests.

use crate::service::{RecordedRequest, ScriptedReply, Service};
use serde_json::{Value, json};

/// An OpenAI-compatible provider. Keywords in the last user message select the response: `refuse` rejects the key and
/// echoes the request, `take a note` calls the tool `note` once with the text after the colon, `note on` calls it on
/// every turn, `repeat` echoes the message; `be busy`, `leave me alone`, `break off` and `hang` are failures.
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
    pub(crate) fn request_heads(&self) -> String {
        self.service.requests().into_iter().map(|request| request.head).collect()
    }

    /// Bodies of the chat completion requests so far.
    pub(crate) fn chats(&self) -> Vec<Value> {
        let chats = self.service.requests().into_iter().filter(|request| request.path().contains("/chat/completions"));
        chats.map(|request| request.json()).collect()
    }
}

fn answer(request: &RecordedRequest) -> ScriptedReply {
    let path = request.path();
    if path == "/api/tags" {
        let model = |name: &str| json!({ "name": name, "model": name });
        return ScriptedReply::json("200 OK", &json!({ "models": [model("phi3:mini"), model("qwen3:8b")] }));
    }
    if path.contains("/models") && !path.contains("enerateContent") {
        return ScriptedReply::json(
            "200 OK",
            &json!({ "object": "list", "data": [{ "id": "echo", "object": "model" }] }),
        );
    }
    if !path.contains("/chat/completions") || request.body.contains("refuse") {
        let message = format!("wrong key in {}", request.head);
        let error = json!({ "error": { "type": "authentication_error", "message": message } });
        return ScriptedReply::json("401 Unauthorized", &error);
    }
    chat(&request.json())
}

fn chat(body: &Value) -> ScriptedReply {
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    let said = messages.iter().rfind(|message| message["role"] == "user");
    let words = said.and_then(|message| message["content"].as_str()).unwrap_or_default();
    let is_noted = messages.last().is_some_and(|message| message["role"] == "tool");
    let busy = |more| ScriptedReply::Complete("503 Service Unavailable", "application/json", more, "{}".to_owned());
    match words {
        words if words.contains("be busy") => busy(""),
        words if words.contains("leave me alone") => busy("Retry-After: 120\r\n"),
        words if words.contains("break off") => {
            ScriptedReply::Truncated(chunk(&json!({ "content": "Half" }), &Value::Null))
        }
        words if words.contains("hang") => ScriptedReply::Hanging(chunk(&json!({ "content": "Half" }), &Value::Null)),
        words if words.contains("note on") || (words.contains("take a note") && !is_noted) => {
            let text = words.split_once(": ").map_or(words, |(_, text)| text);
            let function = json!({ "name": "note", "arguments": json!({ "text": text }).to_string() });
            let calls = json!([{ "index": 0, "id": "call-1", "type": "function", "function": function }]);
            complete_stream(&json!({ "role": "assistant", "tool_calls": calls }), "tool_calls")
        }
        words if words.contains("repeat") => complete_stream(&json!({ "role": "assistant", "content": words }), "stop"),
        _ => complete_stream(&json!({ "role": "assistant", "content": "Heard you." }), "stop"),
    }
}

/// A complete streamed answer with a usage of 1,000 input and 100 output tokens.
fn complete_stream(delta: &Value, finish: &str) -> ScriptedReply {
    let usage = json!({ "prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100 });
    let last = json!({ "id": "1", "object": "chat.completion.chunk", "created": 1, "model": "echo", "choices": [], "usage": usage });
    let chunks = [chunk(delta, &Value::Null), chunk(&json!({}), &finish.into()), format!("data: {last}\n\n")].concat();
    ScriptedReply::Complete("200 OK", "text/event-stream", "", format!("{chunks}data: [DONE]\n\n"))
}

fn chunk(delta: &Value, finish: &Value) -> String {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
    let chunk =
        json!({ "id": "1", "object": "chat.completion.chunk", "created": 1, "model": "echo", "choices": [choice] });
    format!("data: {chunk}\n\n")
}
