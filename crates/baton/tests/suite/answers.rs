//! The forms in which A2A shows an answer, over 1.0 and 0.3, as golden files.

use crate::binary::{Home, RunningProcess, request};
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    V1,
    V03,
}

const DIALECTS: [Dialect; 2] = [Dialect::V1, Dialect::V03];
const QUESTION: &str = "What's the weather in Oakland?";
const ANSWER: &str = "The weather in Oakland is sunny, 72°F";

impl Dialect {
    fn method(self, old: &'static str, new: &'static str) -> &'static str {
        match self {
            Self::V1 => new,
            Self::V03 => old,
        }
    }

    fn message(self, parts: &Value, task: Option<&str>) -> Value {
        let mut message = match self {
            Self::V1 => json!({"messageId": "question", "role": "ROLE_USER", "parts": parts}),
            Self::V03 => json!({"kind": "message", "messageId": "question", "role": "user", "parts": parts}),
        };
        if let Some(task) = task {
            message["messageId"] = "results".into();
            message["taskId"] = task.into();
        }
        message
    }

    fn text(self, text: &str) -> Value {
        match self {
            Self::V1 => json!([{"text": text}]),
            Self::V03 => json!([{"kind": "text", "text": text}]),
        }
    }

    fn data(self, data: &Value) -> Value {
        match self {
            Self::V1 => json!([{"data": data}]),
            Self::V03 => json!([{"kind": "data", "data": data}]),
        }
    }
}

/// A served agent and the protocol version of the requests.
struct Conversation<'a> {
    url: &'a str,
    dialect: Dialect,
    extensions: &'a str,
}

impl Conversation<'_> {
    fn post(&self, method: &str, params: &Value) -> String {
        let version = if self.dialect == Dialect::V1 { "1.0" } else { "0.3" };
        let headers =
            [("content-type", "application/json"), ("a2a-version", version), ("a2a-extensions", self.extensions)];
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let reply = request(self.url, "POST", "/agents/weather", &headers, &body.to_string());
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.body
    }

    /// All events of a stream.
    fn stream(&self, message: &Value) -> Vec<Value> {
        let method = self.dialect.method("message/stream", "SendStreamingMessage");
        let body = self.post(method, &json!({"message": message}));
        let lines = body.lines().filter_map(|line| line.strip_prefix("data: "));
        lines.map(|line| serde_json::from_str::<Value>(line).expect("JSON")["result"].take()).collect()
    }

    fn task(&self, id: &str) -> Value {
        let body = self.post(self.dialect.method("tasks/get", "GetTask"), &json!({"id": id}));
        serde_json::from_str::<Value>(&body).expect("JSON")["result"].take()
    }

    /// The id of the task in the first event.
    fn begun(&self, events: &[Value]) -> String {
        let first = if self.dialect == Dialect::V1 { &events[0]["task"] } else { &events[0] };
        first["id"].as_str().expect("a task").to_owned()
    }
}

/// The texts of `working` statuses, in order.
fn working_texts(events: &[Value]) -> Vec<&str> {
    let statuses = events.iter().map(|event| event.get("statusUpdate").unwrap_or(event));
    let working = statuses.filter(|event| {
        let state = event["status"]["state"].as_str().unwrap_or_default();
        state.eq_ignore_ascii_case("working") || state == "TASK_STATE_WORKING"
    });
    let texts = working.filter_map(|event| event["status"]["message"]["parts"][0]["text"].as_str());
    texts.filter(|text| !text.is_empty()).collect()
}

/// Number of occurrences of a text in the outputs and status messages of a stream, without the history.
fn appearances(events: &[Value], text: &str) -> usize {
    let mut count = 0;
    for event in events {
        let mut event = event.clone();
        for task in [event.pointer_mut("/task"), None].into_iter().flatten() {
            task["history"].take();
        }
        event["history"].take();
        count += event.to_string().matches(text).count();
    }
    count
}

/// The events with variable values replaced. The number of live text updates depends on timing, so only the first of
/// a growing series is kept.
fn golden(events: &[Value]) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut ids: Vec<String> = Vec::new();
    for event in events {
        let mut line = serde_json::to_string_pretty(event).expect("JSON");
        for word in line.clone().split('"') {
            // Call ids contain the id of their message.
            let word = word.strip_prefix("call-").and_then(|rest| rest.get(..36)).unwrap_or(word);
            let is_id = word.len() == 36 && word.matches('-').count() == 4;
            if is_id && !ids.iter().any(|id| id == word) {
                ids.push(word.to_owned());
            }
        }
        for (number, id) in ids.iter().enumerate() {
            line = line.replace(id.as_str(), &format!("[id {number}]"));
        }
        let starts = working_texts(std::slice::from_ref(event)).first().copied().unwrap_or_default();
        if !starts.is_empty() && ANSWER.starts_with(starts) && !line.contains("timestamp") {
            line = line.replace(starts, "[growing]");
        }
        if !line.contains("[growing]") || lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    lines.join("\n")
}

fn check_golden(name: &str, events: &[Value]) {
    assert!(events.iter().all(|event| !event.to_string().contains(r#""text":"""#)), "an empty text part: {events:#?}");
    insta::with_settings!({filters => vec![(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "[moment]")]}, {
        insta::assert_snapshot!(name, golden(events));
    });
}

fn served(home: &Home, settings: &str, arguments: &[&str]) -> (RunningProcess, String) {
    home.write("baton.yaml", settings);
    home.agent(
        "weather",
        "tools: [{ name: get_weather, command: [echo, \"sunny, 72°F\"], \
         parameters: { type: object, properties: { location: { type: string } } }, effects: read_only }]\n",
        "rules:\n\
         - { when: { after_tool: get_weather }, say: \"The weather in Oakland is sunny, 72°F\" }\n\
         - { when: { turn: first }, call: [{ tool: get_weather, args: { location: Oakland } }] }\n\
         options: { chunk: 6, ms_per_chunk: 15 }\n",
    );
    let mut all = vec!["weather", "--config", "baton.yaml", "--port", "0", "--data", "data"];
    all.extend(arguments);
    home.up(&all)
}

/// Steps 3, 7 and 8 of the seed: the call is `input-required`, text grows in `working` statuses, and the completed
/// status has all of it; the history has four messages and no partial copies.
#[test]
fn timestep_03_text_grows_and_the_completed_status_has_it() {
    let home = Home::new();
    let (server, url) = served(&home, "{}\n", &["--tools", "caller"]);
    for dialect in DIALECTS {
        let talk = Conversation { url: &url, dialect, extensions: "" };
        let asked = talk.stream(&dialect.message(&dialect.text(QUESTION), None));
        let task = talk.begun(&asked);
        let results =
            json!({"tool_results": [{"call_id": call_id(&asked), "name": "get_weather", "output": "sunny, 72°F"}]});
        let answered = talk.stream(&dialect.message(&dialect.data(&results), Some(&task)));
        let growing = working_texts(&answered);
        assert!(growing.len() >= 2, "{growing:?}");
        assert!(growing.windows(2).all(|pair| pair[1].starts_with(pair[0])), "{growing:?}");
        let shown = talk.task(&task);
        assert_eq!(shown["history"].as_array().map(Vec::len), Some(4), "{shown:#}");
        assert_eq!(shown["artifacts"], json!([]), "{shown:#}");
        check_golden(&format!("caller_mode_calls_{dialect:?}"), &asked);
        check_golden(&format!("caller_mode_answer_{dialect:?}"), &answered);
        check_golden(&format!("caller_mode_task_{dialect:?}"), &[shown]);
    }
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}

fn call_id(events: &[Value]) -> String {
    let text = events.last().expect("an event").to_string();
    let (_, rest) = text.split_once("\"call_id\":\"").expect("a call");
    rest.split('"').next().unwrap_or_default().to_owned()
}

/// Step 10 of the seed, for agents that run their own tools: `a2a.answer: status`.
#[test]
fn with_answer_status_the_completed_status_has_the_text() {
    let home = Home::new();
    let (server, url) = served(&home, "a2a: { answer: status }\n", &[]);
    for dialect in DIALECTS {
        let talk = Conversation { url: &url, dialect, extensions: "" };
        let events = talk.stream(&dialect.message(&dialect.text(QUESTION), None));
        assert!(working_texts(&events).len() >= 2, "{events:#?}");
        check_golden(&format!("answer_status_{dialect:?}"), &events);
        check_golden(&format!("answer_status_task_{dialect:?}"), &[talk.task(&talk.begun(&events))]);
    }
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}

/// By default one complete artifact, no text in the completed status and no calls that the agent runs itself; chunks
/// and calls on request.
#[test]
fn answer_appears_once_unless_extensions_request_more() {
    let home = Home::new();
    let (server, url) = served(&home, "{}\n", &[]);
    for dialect in DIALECTS {
        let talk = Conversation { url: &url, dialect, extensions: "" };
        let events = talk.stream(&dialect.message(&dialect.text(QUESTION), None));
        assert_eq!(appearances(&events, ANSWER), 1, "{events:#?}");
        assert_eq!(appearances(&events, "tool_calls"), 0, "{events:#?}");
        check_golden(&format!("default_{dialect:?}"), &events);
        let task = talk.task(&talk.begun(&events));
        assert_eq!(appearances(std::slice::from_ref(&task), ANSWER), 1, "{task:#}");
        check_golden(&format!("default_task_{dialect:?}"), &[task]);
        let extensions = "https://baton.dev/extensions/stream-text/v1, https://baton.dev/extensions/tool-calls/v1";
        let talk = Conversation { extensions, ..talk };
        let events = talk.stream(&dialect.message(&dialect.text(QUESTION), None));
        let updates = events.iter().filter(|event| event.to_string().contains("\"artifactId\"")).count();
        assert!(updates >= 3, "chunks and the complete text: {events:#?}");
        assert_eq!(appearances(&events, "tool_calls"), 1, "{events:#?}");
        let last = events.last().expect("an event").to_string();
        assert!(!last.contains(ANSWER), "{last}");
    }
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}

#[test]
fn agent_answer_settings_override_server_settings() {
    let home = Home::new();
    home.write("baton.yaml", "a2a: { answer: status, stream_text: whole }\n");
    let playbook =
        "rules: [{ say: \"The weather in Oakland is sunny, 72°F\" }]\noptions: { chunk: 6, ms_per_chunk: 15 }\n";
    home.agent("weather", "a2a: { answer: both, stream_text: chunks }\n", playbook);
    let (server, url) = home.up(&["weather", "--config", "baton.yaml", "--port", "0", "--data", "data"]);
    let talk = Conversation { url: &url, dialect: Dialect::V1, extensions: "" };
    let events = talk.stream(&Dialect::V1.message(&Dialect::V1.text(QUESTION), None));
    assert_eq!(appearances(&events, ANSWER), 2, "{events:#?}");
    let updates = events.iter().filter(|event| event.get("artifactUpdate").is_some()).count();
    assert!(updates >= 3, "{events:#?}");
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}
