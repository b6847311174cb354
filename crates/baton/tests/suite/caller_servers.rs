//! Caller servers: MCP servers in requests of `/v1/responses`, such as the Environment of an agent.

use crate::binary::{Home, Reply, open, request};
use serde_json::{Value, json};
use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
    path::Path,
    thread,
};

const TOOLS: &str = r#"tools:
  - name: count
    description: Counts letters.
    command: ["sh", "-c", "printf '%s' \"$0\" | wc -c | tr -d ' '", "${text}"]
    effects: read_only
    parameters: { type: object, properties: { text: { type: string } }, required: [text] }
  - name: wipe
    description: Wipes the disk.
    command: ["sh", "-c", "echo wiped"]
    parameters: { type: object, properties: {} }
"#;

const PLAYBOOK: &str = r#"rules:
  - when: { after_tool: lent__count }
    say: "Counted ${result}"
  - when: { after_tool: lent__wipe }
    say: "Then: ${result}"
  - when: { user: "^count", tool: lent__count }
    call: [{ tool: lent__count, args: { text: "Lisbon" } }]
  - when: { user: "^wipe", tool: lent__wipe }
    call: [{ tool: lent__wipe }]
  - say: "I have ${tools}"
"#;

const JSON: (&str, &str) = ("content-type", "application/json");

/// The tools without built-in ones.
fn tools_only() -> String {
    format!("enable_handoff: false\n{TOOLS}")
}

/// A Baton with the tools, and a token for it.
fn tool_home() -> (Home, String) {
    let home = Home::new();
    home.agent("store", &tools_only(), "rules: [{ say: hello }]\n");
    let made = home.run(&["token", "create", "guest", "--scope", "call"]);
    (home, made.stdout.trim().to_owned())
}

/// A Baton with agents that have no tools of their own.
fn agent_home(settings: &str) -> Home {
    let home = Home::new();
    home.write("baton.yaml", settings);
    home.agent("clerk", "enable_handoff: false\n", PLAYBOOK);
    home.agent(
        "strict",
        "enable_handoff: false\npermissions: [{ server: lent, tool: wipe, permission: deny }]\n",
        PLAYBOOK,
    );
    home.agent("loner", "autonomous: true\n", PLAYBOOK);
    home
}

const ALLOW_LOOPBACK: &str = "port: 0\nresponses: { mcp_allow: [127.0.0.0/8] }\n";
const AGENTS: [&str; 3] = ["clerk", "strict", "loner"];

fn post(url: &str, body: &Value) -> Reply {
    request(url, "POST", "/v1/responses", &[JSON], &body.to_string())
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn ask(url: &str, body: &Value) -> Value {
    read(&post(url, body).body)
}

fn kinds(response: &Value) -> Vec<&str> {
    let items = response["output"].as_array().unwrap_or_else(|| panic!("no output: {response:#}"));
    items.iter().filter_map(|item| item["type"].as_str()).collect()
}

fn text(response: &Value) -> &str {
    let last = response["output"].as_array().and_then(|items| items.last()).unwrap_or(&Value::Null);
    last["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no words: {response:#}"))
}

/// A secret in the URL, as some services issue it.
const URL_SECRET: &str = "hidden-in-the-address";

/// A server entry of a request, with additional members.
fn server(url: &str, more: Value) -> Value {
    let address = format!("{url}/agents/store/mcp?key={URL_SECRET}");
    let mut server = json!({"type": "mcp", "server_label": "lent", "server_url": address});
    let (Value::Object(server_members), Value::Object(more)) = (&mut server, more) else { panic!("objects") };
    server_members.extend(more);
    server
}

/// Whether any file below a folder contains a text.
fn folder_contains(folder: &Path, text: &str) -> bool {
    fs::read_dir(folder).expect("a folder").any(|entry| {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            return folder_contains(&path, text);
        }
        fs::read(&path).is_ok_and(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
    })
}

#[test]
fn caller_server_is_listed_and_called_without_leaking_secrets() {
    let (lender, token) = tool_home();
    let (_lender, lent) = lender.up(&["--auth", "--port", "0"]);
    let home = agent_home(ALLOW_LOOPBACK);
    let (running, url) = home.up(&AGENTS);
    let free = server(&lent, json!({"authorization": token, "require_approval": "never"}));

    let counted = ask(&url, &json!({"model": "clerk", "input": "count", "tools": [free]}));
    assert_eq!(kinds(&counted), ["mcp_list_tools", "mcp_call", "message"], "{counted:#}");
    let names: Vec<&str> = counted["output"][0]["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(names, ["count", "wipe"]);
    let call = &counted["output"][1];
    assert_eq!((&call["server_label"], &call["name"], &call["output"]), (&json!("lent"), &json!("count"), &json!("6")));
    assert_eq!(text(&counted), "Counted 6");

    // The stream, the response object and GET have the same content.
    let mut stream = String::new();
    let body = json!({"model": "clerk", "input": "count", "tools": [free], "stream": true});
    open(&url, "POST", "/v1/responses", &body.to_string()).read_to_string(&mut stream).expect("UTF-8");
    let events: Vec<Value> = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .filter(|data| *data != "[DONE]")
        .map(read)
        .collect();
    let last = &events.last().expect("events")["response"];
    let shown = request(&url, "GET", &format!("/v1/responses/{}", last["id"].as_str().expect("an id")), &[], "").body;
    assert_eq!((*last).clone(), read(&shown), "{stream}");
    assert!(stream.contains("response.mcp_list_tools.completed"), "{stream}");

    // The model is offered the allowed tools, and has to use the tool of `tool_choice`.
    let some = server(&lent, json!({"authorization": token, "require_approval": "never", "allowed_tools": ["wipe"]}));
    let offered = ask(&url, &json!({"model": "clerk", "input": "what?", "tools": [some]}));
    assert_eq!(text(&offered), "I have lent__wipe");
    let choice = json!({"type": "mcp", "server_label": "lent", "name": "count"});
    let chosen = ask(&url, &json!({"model": "clerk", "input": "count", "tools": [free], "tool_choice": choice}));
    assert_eq!(text(&chosen), "Counted 6");
    // Tools that the definition denies stay denied.
    let denied = ask(&url, &json!({"model": "strict", "input": "what?", "tools": [free]}));
    assert_eq!(text(&denied), "I have lent__count");

    assert_eq!(counted["tools"][0]["headers"], Value::Null);
    running.signal("TERM");
    let ended = running.end();
    for secret in [token.as_str(), URL_SECRET] {
        for said in [&counted.to_string(), &stream, &shown, &ended.stderr] {
            assert!(!said.contains(secret), "{said}");
        }
        assert!(!folder_contains(&home.path(".baton"), secret), "{secret} is on disk");
    }
}

#[test]
fn approval_after_a_crash_requires_the_server_in_the_request() {
    let lender = Home::new();
    lender.agent("store", &tools_only(), "rules: [{ say: hello }]\n");
    let (_lender, lent) = lender.up(&["--port", "0"]);
    let home = agent_home(ALLOW_LOOPBACK);
    let (running, url) = home.up(&AGENTS);
    let (tools, none) = (json!([server(&lent, json!({"headers": {"x-key": "open sesame"}}))]), json!([]));
    let asked = |url: &str| {
        let asked = ask(url, &json!({"model": "clerk", "input": "wipe", "tools": tools}));
        assert_eq!(kinds(&asked), ["mcp_list_tools", "mcp_approval_request"], "{asked:#}");
        let request = &asked["output"][1];
        assert_eq!((&request["server_label"], &request["name"]), (&json!("lent"), &json!("wipe")), "{asked:#}");
        asked
    };
    let answer = |url: &str, asked: &Value, approve: bool, tools: &Value| {
        let id = &asked["output"][1]["id"];
        let answer = json!({"type": "mcp_approval_response", "approve": approve, "approval_request_id": id});
        ask(url, &json!({"model": "clerk", "previous_response_id": asked["id"], "input": [answer], "tools": tools}))
    };
    // In the same process, an answer does not need to repeat the server.
    let wiped = answer(&url, &asked(&url), true, &none);
    assert_eq!(text(&wiped), "Then: wiped", "{wiped:#}");
    let denied = answer(&url, &asked(&url), false, &none);
    assert!(text(&denied).contains("not allowed"), "{denied:#}");

    let (brought, alone) = (asked(&url), asked(&url));
    running.kill();
    let (_running, url) = home.up(&AGENTS);
    let wiped = answer(&url, &brought, true, &tools);
    assert_eq!(text(&wiped), "Then: wiped", "{wiped:#}");
    let call =
        wiped["output"].as_array().expect("items").iter().find(|item| item["type"] == "mcp_call").expect("a call");
    assert_eq!((&call["name"], &call["server_label"]), (&json!("wipe"), &json!("lent")));
    // After a crash without the server in the request, the model gets an error.
    let lost = answer(&url, &alone, true, &none);
    assert!(text(&lost).contains("send the request again"), "{lost:#}");
}

#[test]
fn unusable_servers_reject_the_request() {
    let home = agent_home("port: 0\n");
    let (_running, url) = home.up(&AGENTS);
    let tool = |url: &str| json!({"type": "mcp", "server_label": "lent", "server_url": url});
    let refused = |url: &str, model: &str, tools: Value| {
        let reply = post(url, &json!({"model": model, "input": "hi", "tools": tools}));
        let error = read(&reply.body)["error"].clone();
        (reply.status, error["code"].as_str().unwrap_or_default().to_owned(), error["message"].to_string())
    };
    let near = tool("http://127.0.0.1:9/mcp");
    let (status, code, message) = refused(&url, "clerk", json!([near]));
    assert_eq!((status, code.as_str()), (424, "mcp_server_unavailable"), "{message}");
    assert!(message.contains("lent") && message.contains("loopback"), "{message}");
    for (tools, code) in [
        (json!([{"type": "mcp", "server_label": "lent"}]), "missing_required_parameter"),
        (json!([tool("ftp://x"), tool("ftp://x")]), "invalid_value"),
        (json!([{"type": "mcp", "server_label": "a b", "server_url": "http://x"}]), "invalid_value"),
        (json!([{"type": "mcp", "server_label": "c", "connector_id": "connector_gmail"}]), "unsupported_tool"),
    ] {
        let (status, found, message) = refused(&url, "clerk", tools);
        assert_eq!((status, found.as_str()), (400, code), "{message}");
    }
    let tasks = request(&url, "GET", "/api/v1/tasks", &[], "").body;
    assert!(!tasks.contains("clerk"), "no task was created: {tasks}");

    let off = agent_home("port: 0\nresponses: { mcp_servers: false }\n");
    let (_off, url) = off.up(&AGENTS);
    assert_eq!(refused(&url, "clerk", json!([near])).1, "unsupported_tool");

    // Autonomous agents accept no caller servers.
    let (lender, _) = tool_home();
    let (_lender, lent) = lender.up(&["--port", "0"]);
    let home = agent_home(ALLOW_LOOPBACK);
    let (_running, url) = home.up(&AGENTS);
    assert_eq!(refused(&url, "loner", json!([server(&lent, json!({}))])).1, "BTN-2030");
}

/// A caller must not read environment variables of this machine through headers or URLs.
#[test]
fn secret_references_in_a_request_are_not_resolved() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let heard = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut bytes = [0; 4096];
        let count = stream.read(&mut bytes).expect("a request");
        let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        String::from_utf8_lossy(&bytes[..count]).into_owned()
    });
    let home = agent_home(ALLOW_LOOPBACK);
    let (_running, url) = home.up_with(&[("HOUSE_KEY", "under-the-mat")], &AGENTS);
    let server = json!({"type": "mcp", "server_label": "lent", "server_url": format!("http://{address}/${{HOUSE_KEY}}"),
        "headers": {"x-one": "env://HOUSE_KEY", "x-two": "${HOUSE_KEY}"}});
    let reply = post(&url, &json!({"model": "clerk", "input": "hi", "tools": [server]}));
    assert_eq!(reply.status, 424, "{}", reply.body);
    let heard = heard.join().expect("a request");
    assert!(heard.contains("env://HOUSE_KEY") && !heard.contains("under-the-mat"), "{heard}");
}
