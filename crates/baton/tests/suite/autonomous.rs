//! Interactive and autonomous agents, as seen through every API.

use crate::binary::{Home, request};
use baton_testkit::Webhook;
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr};

const TOOLS: &str = r#"tools:
  - name: count
    description: Counts letters.
    command: ["sh", "-c", "wc -c | tr -d ' '; echo of-the-tool"]
    effects: read_only
    parameters: { type: object, properties: { text: { type: string } } }
"#;

const PLAYBOOK: &str = r#"rules:
  - when: { after_tool: count }
    say: "Counted."
  - when: { user: count, turn: first }
    call: [{ tool: count, args: { text: "Lisbon" } }]
  - say: "You said ${user}"
options: { usage: estimate }
"#;

const CALLERS_TOOLS: &str = "https://baton.dev/extensions/tool-execution/v1";

/// The same agent twice: `talker` is interactive, `loner` is autonomous.
fn home() -> Home {
    let home = Home::new();
    home.agent("talker", TOOLS, PLAYBOOK);
    home.agent("loner", &format!("autonomous: true\n{TOOLS}"), PLAYBOOK);
    home
}

fn user_message(id: &str, text: &str) -> Value {
    json!({"messageId": id, "contextId": "talk", "role": "ROLE_USER", "parts": [{"text": text}]})
}

/// The caller selects the tool execution mode and receives the agent's calls.
const EXTENSIONS: &str = "https://baton.dev/extensions/tool-execution/v1, https://baton.dev/extensions/tool-calls/v1";

/// Sends an A2A 1.0 request and returns the raw response body.
fn a2a(url: &str, agent: &str, method: &str, params: &Value) -> String {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let headers = [("content-type", "application/json"), ("a2a-version", "1.0"), ("a2a-extensions", EXTENSIONS)];
    request(url, "POST", &format!("/agents/{agent}"), &headers, &body).body
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn teamspark_18_in_one_context_an_interactive_agent_remembers_and_an_autonomous_one_does_not() {
    let home = home();
    let (_server, url) = home.up(&["--port", "0"]);
    for (agent, remembers) in [("talker", true), ("loner", false)] {
        for id in ["m-1", "m-2"] {
            let answer = read(&a2a(&url, agent, "SendMessage", &json!({"message": user_message(id, "hello")})));
            assert_eq!(answer["result"]["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{answer:#}");
        }
        let shown = home.run(&["sessions", "show", "talk", "--agent", agent, "--json"]);
        let session = read(&shown.stdout);
        let messages = session["messages"].as_array().expect("messages");
        assert_eq!(messages.len(), 4, "both conversations are kept: {session:#}");
        let heard: Vec<u64> = messages.iter().filter_map(|message| message["usage"]["input_tokens"].as_u64()).collect();
        let [first, second] = heard[..] else { panic!("each answer says what its model was given: {session:#}") };
        assert_eq!(second > first, remembers, "{agent}: {heard:?}");
    }
}

#[test]
fn teamspark_18_an_autonomous_agent_runs_its_tools_itself_and_keeps_its_mode() {
    let home = home();
    let (_server, url) = home.up(&["--port", "0"]);
    let with = |metadata: Value| {
        let mut message = user_message("m", "count");
        message["metadata"] = metadata;
        json!({ "message": message })
    };
    let callers = with(json!({CALLERS_TOOLS: {"toolExecution": "caller"}}));
    let interactive = with(json!({"dev.baton/session": {"autonomous": false}}));
    let both = with(json!({"dev.baton/session": {"autonomous": true}, CALLERS_TOOLS: {"toolExecution": "caller"}}));
    for (agent, params) in [("loner", &callers), ("loner", &interactive), ("talker", &both)] {
        let refused = read(&a2a(&url, agent, "SendMessage", params));
        assert!(refused["error"].to_string().contains("BTN-2030"), "{agent}: {refused:#}");
    }
    let asked = read(&a2a(&url, "talker", "SendMessage", &callers));
    assert_eq!(asked["result"]["task"]["status"]["state"], "TASK_STATE_INPUT_REQUIRED", "{asked:#}");

    // An interactive task stays interactive, and a rejected request changes nothing.
    let mut switch = with(json!({"dev.baton/session": {"autonomous": true}}));
    switch["message"]["messageId"] = "m-switch".into();
    switch["message"]["taskId"] = asked["result"]["task"]["id"].clone();
    let refused = read(&a2a(&url, "talker", "SendMessage", &switch));
    assert!(refused["error"].to_string().contains("BTN-2030"), "{refused:#}");
    let task = read(&a2a(&url, "talker", "GetTask", &json!({"id": asked["result"]["task"]["id"]})));
    assert_eq!(task["result"]["status"]["state"], "TASK_STATE_INPUT_REQUIRED", "{task:#}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn autonomous_run_shows_only_its_result_on_every_surface() {
    let home = home();
    let (_server, url) = home.up(&["--port", "0", "--push-allow", "127.0.0.0/8"]);
    for (agent, shows) in [("talker", true), ("loner", false)] {
        let receiver = Webhook::open(IpAddr::V4(Ipv4Addr::LOCALHOST)).await.expect("a receiver");
        let push = json!({"taskPushNotificationConfig": {"url": receiver.url("/told")}});
        let params = json!({"message": user_message("m-1", "count"), "configuration": push});
        let sent = a2a(&url, agent, "SendMessage", &params);
        let id = read(&sent)["result"]["task"]["id"].clone();
        let streamed = a2a(&url, agent, "SendStreamingMessage", &json!({"message": user_message("m-2", "count")}));
        let task = a2a(&url, agent, "GetTask", &json!({ "id": id }));
        let listed = a2a(&url, agent, "ListTasks", &json!({"historyLength": 100}));
        let rest = request(&url, "GET", &format!("/api/v1/tasks/{}", id.as_str().expect("an id")), &[], "").body;
        let run = home.run(&["run", agent, "count", "--json"]).stdout;
        let exported = home.run(&["sessions", "export", "talk", "--agent", agent]).stdout;
        receiver
            .wait_until("the end", |arrivals| {
                arrivals.iter().any(|arrival| arrival.body.to_string().contains("COMPLETED"))
            })
            .await
            .expect("a notification");
        let told: Vec<String> = receiver.arrivals().iter().map(|arrival| arrival.body.to_string()).collect();
        for (surface, text) in [
            ("the answer", sent),
            ("the stream", streamed),
            ("the task", task),
            ("the list", listed),
            ("the task over HTTP", rest),
            ("the command line", run),
            ("the file", exported),
            ("notifications", told.concat()),
        ] {
            assert!(text.contains("Counted."), "{agent}, {surface}: {text}");
            assert_eq!(text.contains("of-the-tool"), shows, "{agent}, {surface}: {text}");
            // Notifications never include calls: they cannot request the extension.
            let calls = shows && surface != "notifications";
            assert_eq!(text.contains("tool_calls"), calls, "{agent}, {surface}: {text}");
        }
        let called = call_agent(&url, agent);
        assert!(called.contains("Counted.") && !called.contains("of-the-tool"), "{agent}: {called}");
    }
    // The journal keeps every step for operators.
    let task = read(&home.run(&["run", "loner", "count", "--json"]).stdout);
    let path = format!("/api/v1/tasks/{}/events?limit=100", task["id"].as_str().expect("an id"));
    assert!(request(&url, "GET", &path, &[], "").body.contains("of-the-tool"));
}

/// Sends an OpenAI API request and returns the raw response body.
fn openai(url: &str, path: &str, body: &Value) -> String {
    request(url, "POST", path, &[("content-type", "application/json")], &body.to_string()).body
}

#[test]
fn openai_api_shows_only_the_result_and_rejects_client_functions() {
    let home = home();
    let (_server, url) = home.up(&["--port", "0"]);
    for (agent, shows) in [("talker", true), ("loner", false)] {
        let whole = openai(&url, "/v1/responses", &json!({"model": agent, "input": "count"}));
        let id = read(&whole)["id"].as_str().expect("an id").to_owned();
        let later = request(&url, "GET", &format!("/v1/responses/{id}"), &[], "").body;
        let streamed = openai(&url, "/v1/responses", &json!({"model": agent, "input": "count", "stream": true}));
        for (surface, text) in [("the response", whole), ("the response later", later), ("the stream", streamed)] {
            assert!(text.contains("Counted."), "{agent}, {surface}: {text}");
            assert_eq!(text.contains("of-the-tool"), shows, "{agent}, {surface}: {text}");
            assert_eq!(text.contains("mcp_call"), shows, "{agent}, {surface}: {text}");
        }
        let messages = json!([{"role": "user", "content": "count"}]);
        let chat = openai(&url, "/v1/chat/completions", &json!({"model": agent, "messages": messages}));
        assert_eq!(read(&chat)["choices"][0]["message"]["content"], "Counted.", "{agent}: {chat}");

        let function = json!({"type": "function", "name": "mine", "parameters": {"type": "object", "properties": {}}});
        let own = openai(&url, "/v1/responses", &json!({"model": agent, "input": "hello", "tools": [function]}));
        assert_eq!(own.contains("BTN-2030"), !shows, "{agent}: {own}");
    }
}

/// Calls the agent as an MCP tool.
pub(crate) fn call_agent(url: &str, agent: &str) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let arguments = json!({"agentId": agent, "message": "count"});
    let params = json!({"name": "call_agent", "arguments": arguments, "_meta": meta});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "call_agent"),
    ];
    request(url, "POST", "/api/v1/mcp", &headers, &body).body
}
