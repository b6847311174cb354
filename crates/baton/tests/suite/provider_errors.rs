//! Provider errors keep their meaning for OpenAI's own client; the checks are in the script.

use crate::{
    binary::Home,
    foreign::Interpreter,
    service::{RecordedRequest, ScriptedReply, Service},
};
use serde_json::{Value, json};

const PYTHON: Interpreter = Interpreter {
    variable: "BATON_TEST_OPENAI_PYTHON",
    set_up: &["scripts/python-env.sh", "tests/python/requirements-openai.txt"],
};

/// OpenAI-compatible responses; the user message selects the status, and `/calls` counts the requests with a given
/// message.
fn answer(asked: &[String], request: &RecordedRequest) -> ScriptedReply {
    let words = words_of(request);
    if request.path() == "/calls" {
        let wanted = request.json()["words"].as_str().unwrap_or_default().to_owned();
        return ScriptedReply::json("200 OK", &json!(asked.iter().filter(|words| **words == wanted).count()));
    }
    let failed = |status, kind: &str, code: &str, more| {
        let error = json!({"error": {"message": format!("no: {words}"), "type": kind, "param": null, "code": code}});
        ScriptedReply::Complete(status, "application/json", more, error.to_string())
    };
    let (fails, text) = words.split_once(' ').unwrap_or((words.as_str(), ""));
    match (fails, text) {
        ("fail", "400") => failed("400 Bad Request", "invalid_request_error", "invalid_value", ""),
        ("fail", "401") => failed("401 Unauthorized", "authentication_error", "invalid_api_key", ""),
        ("fail", "403") => failed("403 Forbidden", "permission_error", "model_not_allowed", ""),
        ("fail", "404") => failed("404 Not Found", "not_found_error", "model_not_found", ""),
        ("fail", "408") => failed("408 Request Timeout", "timeout", "timeout", "Retry-After: 90\r\n"),
        ("fail", "429") => failed("429 Too Many Requests", "requests", "rate_limit_exceeded", "Retry-After: 90\r\n"),
        ("fail", "quota") => failed("429 Too Many Requests", "insufficient_quota", "insufficient_quota", ""),
        ("fail", "500") => failed("500 Internal Server Error", "server_error", "server_error", "Retry-After: 90\r\n"),
        ("fail", "late") => ScriptedReply::Truncated(chunk(&json!({ "content": "Half" }), &Value::Null)),
        ("think", _) => {
            complete_stream(&[json!({ "reasoning_content": "Let me see." }), json!({ "content": "Thought." })])
        }
        // Like a service that ignores the setting `stop`.
        ("count", _) => complete_stream(&["one ", "two ", "th", "ree ", "four"].map(|text| json!({ "content": text }))),
        _ => complete_stream(&[json!({ "content": format!("Heard: {words}") })]),
    }
}

fn words_of(request: &RecordedRequest) -> String {
    let body = request.json();
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    let last = messages.iter().rfind(|message| message["role"] == "user");
    last.and_then(|message| message["content"].as_str()).unwrap_or_default().to_owned()
}

fn complete_stream(deltas: &[Value]) -> ScriptedReply {
    let chunks: String = deltas.iter().map(|delta| chunk(delta, &Value::Null)).collect();
    let end = chunk(&json!({}), &"stop".into());
    ScriptedReply::Complete("200 OK", "text/event-stream", "", format!("{chunks}{end}data: [DONE]\n\n"))
}

fn chunk(delta: &Value, finish: &Value) -> String {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
    let chunk =
        json!({ "id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice] });
    format!("data: {chunk}\n\n")
}

#[test]
fn openai_of_python_raises_its_right_exception() {
    let asked = std::sync::Mutex::<Vec<String>>::default();
    let service = Service::start(move |request| {
        let mut asked = asked.lock().expect("no panic");
        let reply = answer(&asked, request);
        asked.push(words_of(request));
        reply
    });
    let home = Home::new();
    home.agent("helper", "model: mine:m\nsettings: { stop_sequences: [four] }\n", "rules: []\n");
    let own = format!("agents: [helper]\nproviders: {{ mine: {{ base_url: \"{}/v1\" }} }}\n", service.url);
    home.write("baton.yaml", &own);
    let (server, url) = home.up(&["--port", "0"]);
    PYTHON.run_script(&["tests/python/provider_errors.py", &url, &service.url]);
    server.signal("TERM");
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
}
