//! Token scopes: telemetry requires its own scope, and read tokens change nothing.

use crate::binary::{CommandOutput, Home, Reply, request};
use serde_json::{Value, json};

/// Content of a request that only its caller may read.
const SECRET: &str = "the merger closes on Friday";

const HANDOFF_PLAYBOOK: &str = "rules:
  - { when: { after_tool: handoff }, say: \"${result./response}\" }
  - { when: { turn: first }, call: [{ tool: handoff, args: { agent_uri: desk, message: \"${user}\" } }] }
";

fn home(yaml: &str) -> Home {
    let home = Home::new();
    home.agent("front", "handoffs: [{ agent: desk }]\n", HANDOFF_PLAYBOOK);
    home.agent("desk", "", "rules: [{ say: \"I heard: ${user}\" }]\n");
    if !yaml.is_empty() {
        home.write("baton.yaml", yaml);
    }
    home
}

fn token(made: &CommandOutput) -> String {
    assert_eq!(made.code, Some(0), "{}", made.shown());
    made.stdout.trim_end().to_owned()
}

fn asked(url: &str, token: &str, method: &str, path: &str, body: &str) -> Reply {
    let bearer = format!("Bearer {token}");
    let mut headers = vec![("Authorization", bearer.as_str())];
    if !body.is_empty() {
        headers.push(("Content-Type", "application/json"));
    }
    request(url, method, path, &headers, body)
}

/// The trace of the handoff, once it is stored.
fn handoff_trace(url: &str, token: &str) -> String {
    for _ in 0..500 {
        let found = asked(url, token, "GET", "/tempo/api/search?q=%7Bname%3D%22handoff.request%22%7D", "");
        assert_eq!(found.status, 200, "{found:?}");
        let found: Value = serde_json::from_str(&found.body).expect("JSON");
        if let Some(id) = found["traces"][0]["traceID"].as_str() {
            return id.to_owned();
        }
        std::thread::park_timeout(std::time::Duration::from_millis(20));
    }
    panic!("the handoff has no span")
}

#[test]
fn handoff_content_is_absent_from_spans_unless_captured() {
    for (yaml, captured) in [("", false), ("telemetry: { capture_content: true }\n", true)] {
        let home = home(yaml);
        let (_server, url) = home.up(&["--auth", "--port", "0"]);
        let ann = token(&home.run(&["token", "create", "ann"]));
        let bob = token(&home.run(&["token", "create", "bob", "--scope", "read", "--scope", "call"]));
        let grafana = token(&home.run(&["token", "create", "grafana", "--scope", "telemetry:read"]));
        let body = json!({"model": "front", "input": SECRET}).to_string();
        let answered = asked(&url, &ann, "POST", "/v1/responses", &body);
        assert!(answered.body.contains("I heard: the merger"), "{answered:?}");
        let trace = handoff_trace(&url, &grafana);
        let shown = asked(&url, &grafana, "GET", &format!("/tempo/api/v2/traces/{trace}"), "");
        assert!(shown.body.contains("handoff.request"), "{shown:?}");
        assert_eq!(shown.body.contains(SECRET), captured, "{shown:?}");
        for path in [
            format!("/tempo/api/v2/traces/{trace}"),
            "/tempo/api/search".to_owned(),
            "/tempo/api/v2/search/tag/span.handoff.task/values".to_owned(),
            "/api/v1/spans/export".to_owned(),
            "/api/v1/spans/tail".to_owned(),
            "/metrics".to_owned(),
        ] {
            for stranger in [&ann, &bob] {
                let refused = asked(&url, stranger, "GET", &path, "");
                assert_eq!(refused.status, 403, "{path} {refused:?}");
                assert!(refused.body.contains("telemetry:read") && !refused.body.contains(SECRET), "{refused:?}");
            }
        }
        let elsewhere = Home::new();
        let query = |token: &str| elsewhere.run(&["trace", "query", "{ }", "--server", &url, "--token", token]);
        let refused = query(&bob);
        assert!(refused.code != Some(0) && refused.stderr.contains("telemetry:read"), "{}", refused.shown());
        assert_eq!(query(&grafana).code, Some(0));
        // The telemetry scope allows nothing else.
        assert_eq!(asked(&url, &grafana, "POST", "/v1/responses", &body).status, 403);
    }
}

#[test]
fn read_scope_cannot_change_conversations() {
    let home = home("");
    let (_server, url) = home.up(&["--auth", "--port", "0"]);
    let caller = token(&home.run(&["token", "create", "ann"]));
    let made = ["read", "read:desk", "call:front"];
    let made = made.map(|scope| token(&home.run(&["token", "create", scope, "--subject", "ann", "--scope", scope])));
    let conversation = asked(&url, &caller, "POST", "/v1/conversations", "{}");
    let conversation: Value = serde_json::from_str(&conversation.body).expect("JSON");
    let path = format!("/v1/conversations/{}", conversation["id"].as_str().expect("an id"));
    let said = json!({"model": "desk", "input": "hello", "conversation": conversation["id"]}).to_string();
    assert_eq!(asked(&url, &caller, "POST", "/v1/responses", &said).status, 200);
    let items = format!("{path}/items");
    let before = asked(&url, &caller, "GET", &items, "").body;
    let more = json!({"items": [{"role": "user", "content": "forged"}]}).to_string();
    for weak in &made {
        for (method, path, body) in
            [("DELETE", &path, ""), ("POST", &items, more.as_str()), ("POST", &path, "{\"metadata\": {\"a\": \"b\"}}")]
        {
            let refused = asked(&url, weak, method, path, body);
            assert_eq!(refused.status, 403, "{method} {path} {refused:?}");
        }
    }
    // The read scope on the agent includes its conversations.
    let statuses = made.each_ref().map(|weak| asked(&url, weak, "GET", &items, "").status);
    assert_eq!(statuses, [200, 200, 403]);
    assert_eq!(asked(&url, &caller, "GET", &items, "").body, before);
    assert_eq!(asked(&url, &caller, "DELETE", &path, "").status, 200);
    // Audit lines are written by a separate thread, after the response.
    let read = || std::fs::read_to_string(home.path(".baton/audit.jsonl")).expect("written");
    let is_whole = |audit: &str| audit.contains("\"change\":\"created token") && audit.contains("/v1/conversations/");
    for _ in 0..500 {
        if is_whole(&read()) {
            return;
        }
        std::thread::park_timeout(std::time::Duration::from_millis(20));
    }
    panic!("{}", read());
}
