//! `baton trace` against a real server: queries, views and tailing.

use crate::binary::{CommandOutput, Home, LONG_RETENTION, RunningProcess, await_line, filtered, request};
use serde_json::{Value, json};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// One span of a shop, as an exporter sends it.
fn span(id: u64, parent: u64, name: &str, millis: (u64, u64), attributes: &Value) -> Value {
    let moment = |millis: u64| (1_794_816_000_000_000_000 + millis * 1_000_000).to_string();
    let pairs = attributes.as_object().expect("an object").iter();
    let attributes: Vec<Value> = pairs.map(|(key, value)| json!({ "key": key, "value": value })).collect();
    json!({
        "traceId": TRACE,
        "spanId": format!("{id:016x}"),
        "parentSpanId": if parent > 0 { format!("{parent:016x}") } else { String::new() },
        "name": name,
        "kind": 1,
        "startTimeUnixNano": moment(millis.0),
        "endTimeUnixNano": moment(millis.1),
        "attributes": attributes,
        "status": if name.contains("refund") { json!({ "code": 2, "message": "the card was refused" }) } else { json!({}) },
    })
}

fn send(url: &str, spans: &[Value]) {
    let body = json!({ "resourceSpans": [{
        "resource": { "attributes": [{ "key": "service.name", "value": { "stringValue": "shop" } }] },
        "scopeSpans": [{ "scope": { "name": "test" }, "spans": spans }],
    }] });
    let reply = request(url, "POST", "/v1/traces", &[("Content-Type", "application/json")], &body.to_string());
    assert_eq!(reply.status, 200, "{reply:?}");
}

fn text(value: &str) -> Value {
    json!({ "stringValue": value })
}

/// A server with one trace.
fn shop() -> (Home, RunningProcess, String) {
    let home = Home::new();
    home.write("baton.yaml", LONG_RETENTION);
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    let (server, url) = home.up(&["helper", "--port", "0"]);
    let decided = json!({
        "insight.type": text("decision"),
        "insight.summary": text("Refund, then apologise"),
        "insight.confidence": { "doubleValue": 0.9 },
        "insight.audience": text("both"),
        "agent.id": text("o11y-specialist"),
        "project.id": text("checkout"),
        "gen_ai.system": text("anthropic"),
        "task.id": text("task-7"),
    });
    let failed = json!({ "gen_ai.tool.name": text("refund"), "gen_ai.agent.name": text("clerk") });
    let none = json!({});
    send(
        &url,
        &[
            span(1, 0, "invoke_agent clerk", (0, 250), &none),
            span(2, 1, "insight.decision", (10, 11), &decided),
            span(3, 1, "execute_tool refund", (20, 220), &failed),
        ],
    );
    (home, server, url)
}

#[test]
fn traces_are_found_and_shown() {
    let (home, _server, _) = shop();
    let all: Vec<String> = [
        &["trace", "query", "{ status = error }"][..],
        &["trace", "query", "{ insight.type == 'decision' } | select(insight.summary)"],
        &["trace", "query", "{ } | by(resource.service.name) | count() > 2", "--spans", "1"],
        &["trace", "query", "{ name = \"nothing\" }", "--since", "1h"],
        &["trace", "show", TRACE],
        &["trace", "show", "task-7", "--width", "60"],
        &["trace", "show", "ffff"],
    ]
    .iter()
    .map(|command| format!("$ baton {}\n{}", command.join(" "), home.run(command).shown()))
    .collect();
    filtered(|| insta::assert_snapshot!("trace_found", all.join("\n")));
    let json = home.run(&["trace", "query", "{ status = error }", "--json"]);
    let found: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!((found["traces"][0]["traceID"].as_str(), json.stderr.as_str()), (Some(TRACE), ""));
    let json = home.run(&["trace", "show", TRACE, "--json"]);
    let shown: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert!(shown["trace"]["resourceSpans"].is_array(), "{shown}");
}

#[test]
fn series_are_measured_and_shown() {
    let (home, _server, _) = shop();
    let own = "- name: refunds\n  query: '{ span.gen_ai.tool.name = \"refund\" } | count_over_time() by (status)'\n  \
               description: Refunds, and how they ended\n  since: 2026-11-16T08:00:00Z\n";
    home.write("queries.yaml", own);
    let time = ["--since", "2026-11-16T08:00:00Z", "--until", "2026-11-16T08:01:00Z", "--step", "10s"];
    let queries = [
        "{ } | count_over_time() by (resource.service.name)",
        "{ status = error } | rate()",
        "{ } | quantile_over_time(duration, 0.5, 1) by (name)",
        "({ status = error } | count_over_time()) / ({ } | count_over_time()) * 100",
        "{ name = \"nothing\" } | rate() by (name)",
        "@tools",
    ];
    let measured = queries.iter().map(|query| ([&["trace", "query", *query][..], &time].concat(), *query));
    let refunds = ["trace", "query", "@refunds", "--until", "2026-11-16T08:01:00Z"].to_vec();
    let listed = ["trace", "queries"].to_vec();
    let all: Vec<String> = measured
        .chain([(refunds, "@refunds"), (listed, "all of them")])
        .map(|(command, query)| format!("$ {query}\n{}", home.run(&command).shown()))
        .collect();
    filtered(|| insta::assert_snapshot!("trace_series", all.join("\n")));
    let json = home.run(&[&["trace", "query", queries[0], "--json"][..], &time].concat());
    let measured: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(
        measured["series"][0]["samples"][0],
        json!({ "timestampMs": "1794816010000", "value": 3.0 }),
        "{measured}"
    );
    let listed: Value = serde_json::from_str(&home.run(&["trace", "queries", "--json"]).stdout).expect("JSON");
    let refunds = listed.as_array().expect("a list").iter().find(|one| one["name"] == "refunds").expect("refunds");
    assert_eq!(refunds["file"], "queries.yaml");
}

/// Query files are found in both locations and at the path of the flag; a user query overrides a built-in one.
#[test]
fn user_saved_queries_run() {
    let (home, _server, _) = shop();
    let file = |name: &str, tool: &str| {
        format!("- {{ name: {name}, query: '{{ name = \"execute_tool {tool}\" }}', since: 2026-11-16T08:00:00Z }}\n")
    };
    home.write("queries.yaml", &file("mine", "nothing"));
    home.write(".baton/queries.yaml", &format!("{}{}", file("errors", "nothing"), file("mine", "refund")));
    home.write("elsewhere.yaml", &file("mine", "nothing"));
    for (query, expect) in [
        (&["@mine"][..], 1),
        (&["@mine", "--queries", "elsewhere.yaml"], 0),
        (&["@errors"], 0),
        (&["@errors", "--queries", "elsewhere.yaml", "--since", "2026-11-16T08:00:00Z"], 1),
    ] {
        let ended = home.run(&[&["trace", "query", "--json"], query].concat());
        let found: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
        assert_eq!(found["traces"].as_array().map(Vec::len), Some(expect), "{query:?}\n{}", ended.shown());
    }
}

#[test]
fn two_traces_are_compared() {
    let (home, _server, url) = shop();
    let other = "5bf92f3577b34da6a3ce929d0e0e4736";
    let (none, tokens) = (json!({}), json!({ "gen_ai.usage.input_tokens": { "intValue": "40" } }));
    let mut spans = [
        span(1, 0, "invoke_agent clerk", (1000, 1500), &none),
        span(2, 1, "chat playbook", (1000, 1200), &tokens),
        span(3, 1, "execute_tool refund", (1200, 1300), &none),
        span(4, 1, "execute_tool refund", (1300, 1450), &none),
    ];
    for span in &mut spans {
        span["traceId"] = json!(other);
    }
    send(&url, &spans);
    let all: Vec<String> = [
        &["trace", "diff", TRACE, other, "--width", "100"][..],
        &["trace", "diff", TRACE, "task-7", "--width", "60"],
        &["trace", "diff", TRACE, "ffff"],
    ]
    .iter()
    .map(|command| format!("$ baton {}\n{}", command.join(" "), home.run(command).shown()))
    .collect();
    filtered(|| insta::assert_snapshot!("trace_diff", all.join("\n")));
    let json = home.run(&["trace", "diff", TRACE, other, "--json"]);
    let diff: Value = serde_json::from_str(&json.stdout).expect("JSON");
    let only = |side: &str| {
        let spans = diff["spans"].as_array().expect("a list").iter().filter(|span| span[side].is_null());
        spans.map(|span| span["name"].as_str().expect("a name")).collect::<Vec<_>>()
    };
    assert_eq!((only("a"), only("b")), (vec!["chat playbook"], vec!["insight.decision"]), "{diff}");
    assert_eq!((&diff["b"]["input_tokens"], &diff["b"]["errors"]), (&json!(40), &json!(2)), "{diff}");
}

/// The queries of ContextCore's documents, verbatim.
#[test]
fn contextcore_queries_run_verbatim() {
    let (home, _server, _) = shop();
    for (query, finds) in [
        (
            r#"{ insight.type = "decision" && project.id = "checkout" } | select(insight.summary, insight.confidence)"#,
            true,
        ),
        (r#"{ insight.type = "recommendation" && insight.confidence > 0.85 }"#, false),
        (r#"{ insight.type = "blocker" && insight.audience =~ "agent|both" }"#, false),
        (r#"{ insight.type = "decision" && insight.audience =~ "agent|both" }"#, true),
        (r#"{ agent.id = "o11y-specialist" && project.id = "checkout" }"#, true),
        (r#"{ insight.type =~ "decision|recommendation" } | select(insight.summary) | rate() > 0"#, true),
        (r#"{ span.gen_ai.agent.id = "o11y-specialist" && span.project.id = "checkout" }"#, true),
        (r#"{ span.gen_ai.conversation.id = "session-abc123" && span.insight.type = "decision" }"#, false),
        (r#"{ span.gen_ai.system = "anthropic" && span.insight.type = "decision" }"#, true),
        (
            "{ span.gen_ai.code.truncated = true }\n| select(resource.project.id, span.gen_ai.code.estimated_lines)",
            false,
        ),
    ] {
        let ended = home.run(&["trace", "query", query, "--json"]);
        assert_eq!(ended.code, Some(0), "{query}\n{}", ended.shown());
        let found: Value = serde_json::from_str(&ended.stdout).expect("JSON");
        let has_any = found["traces"].as_array().is_some_and(|traces| !traces.is_empty());
        assert_eq!(has_any, finds, "{query}\n{}", ended.shown());
    }
}

#[test]
fn invalid_queries_show_the_error_position() {
    let home = Home::new();
    home.agent("helper", "", "rules: [{ say: hello }]\n");
    let (_server, _) = home.up(&["helper", "--port", "0"]);
    let commands = [
        &["trace", "query", "{ insight.type = \"decision\" }", "--strict"][..],
        &["trace", "query", "{ span.a = 1 } | nothing()"],
        &["trace", "query", "{ } | rate() by"],
        &["trace", "query", "{ } | rate() by (1)"],
        &["trace", "query", "{ } | rate()", "--since", "2d", "--step", "1s"],
        &["trace", "query", "{ } | rate()", "--step", "often"],
        &["trace", "query", "{ }", "--step", "1m"],
        &["trace", "query", "@nothing"],
        &["trace", "query", "@errors", "--queries", "missing.yaml"],
        &["trace", "query", "{ a and b == 'c' }", "--canonical"],
        &["trace", "query", "{ span.a + }", "--canonical"],
        &["trace", "query", "{ }", "--since", "yesterday"],
        &["trace", "tail", "{ } >> { }"],
        &["trace", "query", "{ span.a + }", "--json"],
    ];
    let shown = |command: &&[&str]| format!("$ baton {}\n{}", command.join(" "), home.run(command).shown());
    filtered(|| insta::assert_snapshot!("trace_wrong", commands.iter().map(shown).collect::<Vec<_>>().join("\n")));
    let no_server = Home::new().run(&["trace", "tail"]);
    assert_eq!(no_server.code, Some(4), "{}", no_server.shown());
    assert!(no_server.stderr.contains("BTN-5002"), "{}", no_server.shown());
}

#[test]
fn spans_are_followed_as_they_arrive() {
    let (home, _server, url) = shop();
    let mut people = home.start(&["trace", "tail", "{ status = error }"]);
    let mut programs = home.start(&["trace", "tail", "--json"]);
    await_line(&mut people.stderr, "listening");
    await_line(&mut programs.stderr, "listening");
    let none = json!({});
    send(
        &url,
        &[span(4, 1, "execute_tool greet", (30, 40), &none), span(5, 1, "execute_tool refund", (40, 90), &none)],
    );
    let line = await_line(&mut people.stdout, "refund");
    assert!(line.contains(TRACE) && line.contains("50ms") && line.contains("the card was refused"), "{line}");
    let object: Value = serde_json::from_str(&await_line(&mut programs.stdout, "greet")).expect("JSON");
    assert_eq!((object["trace_id"].as_str(), object["service"].as_str()), (Some(TRACE), Some("shop")));
    people.signal("INT");
    programs.signal("INT");
    let ended: Vec<CommandOutput> = [people, programs].into_iter().map(RunningProcess::end).collect();
    assert!(ended.iter().all(|ended| ended.code == Some(0)), "{ended:?}");
    assert!(!ended[0].stdout.contains("greet"), "{ended:?}");
}

/// Without a server, commands read the data directory.
#[test]
fn traces_are_shown_without_a_server() {
    let (home, server, _) = shop();
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
    let shown = home.run(&["trace", "show", TRACE]);
    assert_eq!(shown.code, Some(0), "{}", shown.shown());
    assert!(shown.stdout.contains("execute_tool refund"), "{}", shown.shown());
}
