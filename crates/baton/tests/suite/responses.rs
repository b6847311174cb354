//! `/v1/responses` of the real binary, over plain HTTP without an SDK.

use crate::binary::{Home, Reply, last_text, open, request};
use serde_json::{Value, json};
use std::{collections::BTreeSet, io::Read as _};

const TOOLS: &str = r#"tools:
  - name: count
    description: Counts letters.
    command: ["sh", "-c", "wc -c | tr -d ' '; echo of-the-tool"]
    effects: read_only
    parameters: { type: object, properties: { text: { type: string } } }
  - name: wipe
    description: Wipes the disk.
    command: ["sh", "-c", "echo wiped"]
    permission: ask
    parameters: { type: object, properties: {} }
"#;

const PLAYBOOK: &str = r#"rules:
  - when: { after_tool: book }
    say: "Booked: ${result}"
  - when: { after_tool: count }
    say: "Counted ${result}"
  - when: { after_tool: wipe }
    say: "Then: ${result}"
  - when: { user: "^count" }
    call: [{ tool: count, args: { text: "Lisbon" } }]
  - when: { user: "^wipe" }
    call: [{ tool: wipe }]
  - when: { user: "^book", tool: book }
    call: [{ tool: book, args: { city: "Rome" } }]
  - when: { user: "^both", tool: book }
    call: [{ tool: count, args: { text: "Lisbon" } }, { tool: book, args: { city: "Rome" } }]
  - when: { user: "^fail" }
    fail: { status: 500 }
  - when: { user: "^long" }
    say: "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
  - say: "You said ${user}"
options: { chunk: 4, ms_per_chunk: 60, usage: estimate }
"#;

fn book() -> Value {
    json!({"type": "function", "name": "book", "description": "Books a flight.", "strict": null,
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}})
}

fn home() -> Home {
    let home = Home::new();
    let fast = PLAYBOOK.replace("ms_per_chunk: 60", "ms_per_chunk: 0");
    home.agent("clerk", TOOLS, &fast);
    home.agent("slow", TOOLS, PLAYBOOK);
    home.agent("loner", &format!("autonomous: true\n{TOOLS}"), &fast);
    home
}

const JSON: (&str, &str) = ("content-type", "application/json");

fn ask(url: &str, body: &Value) -> Value {
    let reply = request(url, "POST", "/v1/responses", &[JSON], &body.to_string());
    read(&reply.body)
}

fn get(url: &str, path: &str) -> Reply {
    request(url, "GET", path, &[], "")
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn text(response: &Value) -> String {
    let items = response["output"].as_array().unwrap_or_else(|| panic!("no output: {response:#}"));
    let parts = items.iter().filter(|item| item["type"] == "message").flat_map(|item| item["content"].as_array());
    parts.flatten().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("|")
}

fn kinds(response: &Value) -> Vec<&str> {
    response["output"].as_array().expect("output").iter().filter_map(|item| item["type"].as_str()).collect()
}

fn id(response: &Value) -> &str {
    response["id"].as_str().unwrap_or_else(|| panic!("no id: {response:#}"))
}

/// A whole stream as received.
fn stream(url: &str, method: &str, path: &str, body: &str) -> String {
    let mut text = String::new();
    open(url, method, path, body).read_to_string(&mut text).expect("UTF-8");
    text
}

/// The events of a stream, without its end marker.
fn events(stream: &str) -> Vec<Value> {
    let data = stream.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter(|data| *data != "[DONE]").map(read).collect()
}

#[test]
fn timestep_24_only_caller_functions_are_returned_as_calls() {
    let home = home();
    let (_server, url) = home.up(&["--port", "0"]);
    let own = ask(&url, &json!({"model": "clerk", "input": "count"}));
    assert_eq!((kinds(&own), own["status"].as_str()), (vec!["mcp_call", "message"], Some("completed")), "{own:#}");
    let both = ask(&url, &json!({"model": "clerk", "input": "both", "tools": [book()]}));
    assert_eq!(kinds(&both), ["mcp_call", "function_call"], "{both:#}");
    let call = &both["output"][1];
    assert_eq!((&call["name"], &call["arguments"]), (&json!("book"), &json!("{\"city\":\"Rome\"}")), "{both:#}");
    let output = |said: &str| json!([{"type": "function_call_output", "call_id": call["call_id"], "output": said}]);

    // Two continuations of the same response are independent branches; each has only its own tool result.
    let go_on = |said: &str| {
        let body =
            json!({"model": "clerk", "previous_response_id": id(&both), "tools": [book()], "input": output(said)});
        ask(&url, &body)
    };
    let (first, second) = (go_on("seat 1"), go_on("seat 2"));
    assert_eq!((text(&first), text(&second)), ("Booked: seat 1".to_owned(), "Booked: seat 2".to_owned()));
    assert_eq!(first["previous_response_id"], both["id"]);

    // The whole conversation in one request, not stored.
    let mut input = vec![json!({"role": "user", "content": "book"})];
    input.push(json!({"type": "function_call", "call_id": "c1", "name": "book", "arguments": "{}"}));
    input.push(json!({"type": "function_call_output", "call_id": "c1", "output": "seat 3"}));
    let all = ask(&url, &json!({"model": "clerk", "tools": [book()], "store": false, "input": input}));
    assert_eq!(text(&all), "Booked: seat 3", "{all:#}");
    assert_eq!(get(&url, &format!("/v1/responses/{}", id(&all))).status, 404);

    for (input, code) in [
        (json!("hm"), "missing_tool_output"),
        (json!([{"type": "function_call_output", "call_id": "nobody", "output": "x"}]), "missing_tool_output"),
    ] {
        let body = json!({"model": "clerk", "previous_response_id": id(&both), "input": input});
        let refused = request(&url, "POST", "/v1/responses", &[JSON], &body.to_string());
        assert_eq!((refused.status, &read(&refused.body)["error"]["code"]), (400, &json!(code)), "{}", refused.body);
    }
}

#[test]
fn timestep_25_callers_are_isolated_and_continuations_keep_history() {
    let home = home();
    let made = |name: &str| home.run(&["token", "create", name, "--subject", name, "--scope", "call"]).stdout;
    let (ann, bob) = (made("ann"), made("bob"));
    let (_server, url) = home.up(&["--auth", "--port", "0"]);
    let with = |token: &str, method: &str, path: &str, body: &str| {
        let shown = format!("Bearer {}", token.trim());
        request(&url, method, path, &[JSON, ("authorization", &shown)], body)
    };
    let say = |token: &str, body: Value| read(&with(token, "POST", "/v1/responses", &body.to_string()).body);
    let first = say(&ann, json!({"model": "clerk", "input": "my name is Ann"}));
    let again = say(&ann, json!({"model": "clerk", "input": "who am I", "previous_response_id": id(&first)}));
    let alone = say(&bob, json!({"model": "clerk", "input": "who am I"}));
    let read_tokens = |response: &Value| response["usage"]["input_tokens"].as_u64().expect("usage");
    assert!(read_tokens(&again) > read_tokens(&alone), "the history counts as input: {again:#}");

    let place = format!("/v1/responses/{}", id(&first));
    let conversation = read(&with(&ann, "POST", "/v1/conversations", "{}").body);
    let talk = format!("/v1/conversations/{}", id(&conversation));
    for (method, path) in [
        ("GET", place.clone()),
        ("GET", format!("{place}?stream=true")),
        ("GET", format!("{place}/input_items")),
        ("POST", format!("{place}/cancel")),
        ("DELETE", place.clone()),
        ("GET", talk.clone()),
        ("GET", format!("{talk}/items")),
        ("DELETE", talk.clone()),
    ] {
        let (foreign, missing) = (with(&bob, method, &path, "{}"), with(&bob, method, &path.replace("01", "02"), "{}"));
        assert_eq!((foreign.status, missing.status), (404, 404), "{method} {path}: {}", foreign.body);
    }
    for body in [
        json!({"model": "clerk", "input": "hi", "previous_response_id": id(&first)}),
        json!({"model": "clerk", "input": "hi", "conversation": id(&conversation)}),
    ] {
        let refused = with(&bob, "POST", "/v1/responses", &body.to_string());
        assert!(matches!(refused.status, 400 | 404), "{}", refused.body);
    }
    assert_eq!(with(&ann, "GET", &place, "").status, 200);
    let anonymous = request(&url, "GET", "/v1/models", &[], "");
    let envelope = &read(&anonymous.body)["error"];
    assert_eq!((anonymous.status, &envelope["code"]), (401, &json!("invalid_api_key")), "{}", anonymous.body);
}

#[test]
fn timestep_26_run_at_turn_limit_is_incomplete_and_failed_over_a2a() {
    let home = Home::new();
    let endless = "rules: [{ call: [{ tool: count, args: { text: Lisbon } }] }]\n";
    home.agent("endless", &format!("settings: {{ max_turns: 2 }}\n{TOOLS}"), endless);
    let (_server, url) = home.up(&["--port", "0"]);
    let ended = ask(&url, &json!({"model": "endless", "input": "count for ever"}));
    let why = &ended["incomplete_details"]["reason"];
    assert_eq!((ended["status"].as_str(), why.as_str()), (Some("incomplete"), Some("max_turns")), "{ended:#}");
    assert_eq!(kinds(&ended), ["mcp_call", "mcp_call"], "{ended:#}");
    let task = id(&ended).trim_start_matches("resp_");
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": task}}).to_string();
    let task = read(&request(&url, "POST", "/agents/endless", &[JSON, ("a2a-version", "1.0")], &body).body);
    assert_eq!(task["result"]["status"]["state"], "TASK_STATE_FAILED", "{task:#}");
    assert!(task["result"]["status"].to_string().contains("BTN-3001"), "{task:#}");
}

#[test]
fn timestep_27_background_response_resumes_after_a_kill_without_gaps() {
    let home = home();
    let (server, url) = home.up(&["--port", "0"]);
    let begun = ask(&url, &json!({"model": "slow", "input": "long", "background": true}));
    assert_eq!(begun["status"], "queued", "{begun:#}");
    let path = format!("/v1/responses/{}?stream=true", id(&begun));

    // Reads a part of the text, then kills the server.
    let mut half = String::new();
    let mut reply = open(&url, "GET", &path, "");
    let mut buffer = [0; 256];
    while half.matches("response.output_text.delta").count() < 4 {
        let count = reply.read(&mut buffer).expect("more of the stream");
        assert!(count > 0, "the stream ended early: {half}");
        half.push_str(&String::from_utf8_lossy(&buffer[..count]));
    }
    server.kill();
    let whole = half.rfind("\n\n").map(|end| &half[..end]).expect("whole events");
    let before = events(whole);
    let last = before.last().and_then(|event| event["sequence_number"].as_u64()).expect("numbers");

    let (_server, url) = home.up(&["--port", "0"]);
    let rest = stream(&url, "GET", &format!("{path}&starting_after={last}"), "");
    assert!(rest.trim_end().ends_with("data: [DONE]"), "{rest}");
    let after = events(&rest);
    let numbers: Vec<u64> = before.iter().chain(&after).filter_map(|event| event["sequence_number"].as_u64()).collect();
    assert_eq!(numbers, (0..numbers.len() as u64).collect::<Vec<_>>());
    let again = events(&stream(&url, "GET", &path, ""));
    assert_eq!(again, [before, after].concat(), "a second reader gets the same events");
    let shown = read(&get(&url, &path.replace("?stream=true", "")).body);
    assert_eq!(again.last().expect("an end")["response"], shown, "the last event has what GET shows");
    assert!(text(&shown).contains("sixteen"), "{shown:#}");

    // The same work over A2A.
    let task = id(&begun).trim_start_matches("resp_");
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": task}}).to_string();
    let task = read(&request(&url, "POST", "/agents/slow", &[JSON, ("a2a-version", "1.0")], &body).body);
    let answer = last_text(&task["result"]);
    assert!(!answer.is_empty() && text(&shown).ends_with(answer), "{task:#}");
}

#[test]
fn timestep_27_approvals_are_items_and_survive_a_restart() {
    let home = home();
    let (server, url) = home.up(&["--port", "0"]);
    let asked = |url: &str| {
        let asked = ask(url, &json!({"model": "clerk", "input": "wipe"}));
        assert_eq!(kinds(&asked), ["mcp_approval_request"], "{asked:#}");
        asked
    };
    let (yes, no) = (asked(&url), asked(&url));
    server.kill();
    let (_server, url) = home.up(&["--port", "0"]);
    let answer = |request: &Value, approve: bool| json!({"type": "mcp_approval_response", "approval_request_id": request["output"][0]["id"], "approve": approve});
    let body = json!({"model": "clerk", "previous_response_id": id(&yes), "input": [answer(&yes, true)]});
    let wiped = ask(&url, &body);
    assert_eq!((kinds(&wiped), text(&wiped)), (vec!["mcp_call", "message"], "Then: wiped".to_owned()), "{wiped:#}");
    // Clients without stored ids send the approval with the whole conversation.
    let body =
        json!({"model": "clerk", "input": [{"role": "user", "content": "wipe"}, no["output"][0], answer(&no, false)]});
    let denied = ask(&url, &body);
    assert!(!text(&denied).contains("wiped"), "{denied:#}");
    let late = request(&url, "POST", "/v1/responses", &[JSON], &body.to_string());
    assert_eq!((late.status, &read(&late.body)["error"]["code"]), (400, &json!("approval_request_not_found")));
}

#[test]
fn timestep_28_error_codes_match_openai() {
    let home = home();
    home.write("baton.yaml", "port: 0\nresponses: { default_agent: clerk }\n");
    let (_server, url) = home.up(&["clerk", "slow", "loner"]);
    let ask = |path: &str, headers: &[(&str, &str)], body: &Value| {
        request(&url, "POST", path, &[&[JSON], headers].concat(), &body.to_string())
    };
    for (path, body, status, code) in [
        ("/v1/responses", json!({"model": "clerk"}), 400, "missing_required_parameter"),
        ("/v1/responses", json!({"model": "nobody", "input": "x"}), 404, "model_not_found"),
        ("/agents/nobody/v1/responses", json!({"input": "x"}), 404, "model_not_found"),
        (
            "/v1/responses",
            json!({"model": "clerk", "input": "x", "previous_response_id": "resp_x"}),
            400,
            "previous_response_not_found",
        ),
        (
            "/v1/responses",
            json!({"model": "clerk", "input": "x", "tools": [{"type": "web_search"}]}),
            400,
            "unsupported_tool",
        ),
        (
            "/v1/responses",
            json!({"model": "clerk", "input": "x", "conversation": "conv_x"}),
            404,
            "conversation_not_found",
        ),
        ("/v1/responses", json!({"model": "clerk", "input": "fail"}), 500, "provider_error"),
        ("/v1/responses", json!({"model": "loner", "input": "x", "tools": [book()]}), 400, "BTN-2030"),
        ("/v1/responses/resp_x/cancel", json!({}), 404, "response_not_found"),
        ("/v1/chat/completions", json!({"model": "clerk"}), 400, "missing_required_parameter"),
    ] {
        let reply = ask(path, &[], &body);
        let error = read(&reply.body)["error"].clone();
        assert_eq!((reply.status, error["code"].as_str()), (status, Some(code)), "{path} {body}: {}", reply.body);
        assert!(reply.header("x-request-id").is_some_and(|id| id.starts_with("req_")), "{path}");
        assert!(error["message"].as_str().is_some_and(|message| message.len() > 10), "{error}");
    }
    // Without a model the default agent answers; tool items of an autonomous agent are hidden.
    let bare = read(&ask("/v1/responses", &[], &json!({"input": "hello"})).body);
    assert_eq!((text(&bare).as_str(), &bare["model"]), ("You said hello", &json!("clerk")));
    let hidden = read(&ask("/v1/responses", &[("baton-tool-items", "hidden")], &json!({"input": "count"})).body);
    let alone = read(&ask("/agents/loner/v1/responses", &[], &json!({"input": "count"})).body);
    assert_eq!((kinds(&hidden), kinds(&alone)), (vec!["message"], vec!["message"]), "{alone:#}");

    // An idempotency key replays the same request and rejects a different one.
    let key = [("idempotency-key", "once")];
    let once = read(&ask("/v1/responses", &key, &json!({"input": "count"})).body);
    let twice = read(&ask("/v1/responses", &key, &json!({"input": "count"})).body);
    assert_eq!(once, twice);
    assert_eq!(ask("/v1/responses", &key, &json!({"input": "else"})).status, 409);
}

#[test]
fn stream_matches_its_event_types_and_stored_response() {
    let home = home();
    let (_server, url) = home.up(&["--port", "0"]);
    for input in ["count", "long", "book", "wipe"] {
        let body = json!({"model": "clerk", "input": input, "tools": [book()], "stream": true, "metadata": {"a": "b"}});
        let reply = stream(&url, "POST", "/v1/responses", &body.to_string());
        assert!(reply.contains("content-type: text/event-stream") && reply.ends_with("data: [DONE]\n\n"), "{reply}");
        let events = events(&reply);
        let named: BTreeSet<&str> = reply.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
        let typed: BTreeSet<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
        assert_eq!(named, typed);
        let last = &events.last().expect("events")["response"];
        assert_eq!(*last, read(&get(&url, &format!("/v1/responses/{}", id(last))).body), "{input}");
    }
    // A failure before the first event has an HTTP status.
    let body = json!({"model": "clerk", "input": "fail", "stream": true});
    let reply = stream(&url, "POST", "/v1/responses", &body.to_string());
    assert!(reply.starts_with("HTTP/1.0 500") && reply.contains("\"code\":\"provider_error\""), "{reply}");
    let failed =
        reply.lines().find_map(|line| line.strip_prefix("baton-response-id: ")).expect("the header of the response id");
    assert_eq!(read(&get(&url, &format!("/v1/responses/{failed}")).body)["status"], "failed");
}
