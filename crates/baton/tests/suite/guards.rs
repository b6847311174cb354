//! Guardrails as programs and as HTTP services, on inputs, outputs and tool calls.

use crate::{
    binary::{Home, get, last_text},
    provider::Provider,
    service::{ScriptedReply, Service},
};
use serde_json::{Value, json};
use std::fs;

/// Returns the given verdict for every text with `hush` in it, and records its requests.
const PROGRAM: &str = "tee -a asked.jsonl >looked.json; echo >>asked.jsonl\n\
    if grep -q hush looked.json; then printf '%s' \"$1\"; else printf '{\"action\":\"allow\"}'; fi\n";

/// Stage and action of the guardrail, and the expected results.
struct Case {
    stage: &'static str,
    action: &'static str,
    words: &'static str,
    /// The exit code and the shown text.
    ends: (i32, &'static str),
    /// Number of requests to the model.
    asked: usize,
    /// The text that the tool recorded.
    noted: &'static str,
}

const CASES: [Case; 6] = [
    Case {
        stage: "input",
        action: "block",
        words: "hush",
        ends: (1, "BTN-3018: guardrail 'quiet': not here"),
        asked: 0,
        noted: "",
    },
    Case { stage: "input", action: "modify", words: "repeat hush", ends: (0, "repeat calm"), asked: 1, noted: "" },
    Case {
        stage: "output",
        action: "block",
        words: "repeat hush",
        ends: (1, "BTN-3018: guardrail 'quiet': not here"),
        asked: 1,
        noted: "",
    },
    Case { stage: "output", action: "modify", words: "repeat hush", ends: (0, "repeat calm"), asked: 1, noted: "" },
    Case {
        stage: "tool_call",
        action: "block",
        words: "take a note: hush",
        ends: (0, "Heard you."),
        asked: 2,
        noted: "",
    },
    Case {
        stage: "tool_call",
        action: "modify",
        words: "take a note: hush",
        ends: (0, "Heard you."),
        asked: 2,
        noted: "calm\n",
    },
];

fn verdict(case: &Case) -> Value {
    match (case.action, case.stage) {
        ("block", _) => json!({ "action": "block", "reason": "not here" }),
        (_, "tool_call") => json!({ "action": "modify", "content": { "text": "calm" }, "reason": "calmed" }),
        _ => json!({ "action": "modify", "content": "repeat calm", "reason": "calmed" }),
    }
}

/// An agent with a tool and one guardrail.
fn prepared(provider: &Provider, case: &Case, guard: &str) -> Home {
    let home = Home::new();
    let tool = "tools:\n  - name: note\n    description: Writes a line down.\n    command: [sh, note.sh, \"${text}\"]\n    \
                parameters: { type: object, properties: { text: { type: string } }, required: [text] }\n";
    let guard = format!("guardrails:\n  - {{ name: quiet, on: [{}], {guard} }}\n", case.stage);
    let head = "model: mine:echo\nenable_handoff: false\nsettings: { control_tools: [] }\n";
    home.agent("clerk", &format!("{head}{tool}{guard}"), "rules: []\n");
    home.write("clerk/note.sh", "printf '%s\\n' \"$1\" >>noted.txt\n");
    home.write("clerk/guard.sh", PROGRAM);
    home.write("clerk/.env", "GUARD_TOKEN=planted-guard-77c1\n");
    home.write(
        "baton.yaml",
        &format!("agents: [clerk]\nproviders: {{ mine: {{ base_url: \"{}/v1\" }} }}\n", provider.url),
    );
    home
}

/// Checks the results of the case and the guardrail event of the task.
fn check(way: &str, case: &Case, home: &Home, provider: &Provider) {
    let what = format!("{way}: {} {}", case.action, case.stage);
    let (server, url) = home.up(&["--port", "0"]);
    let ended = home.run(&["run", "clerk", case.words, "--json"]);
    let shown = ended.shown();
    assert_eq!(ended.code, Some(case.ends.0), "{what}: {shown}");
    let task: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{what}: {shown}"));
    let message = last_text(&task);
    assert!(message.starts_with(case.ends.1), "{what}: {message}");
    let chats = provider.chats();
    assert_eq!(chats.len(), case.asked, "{what}: {shown}");
    let told = Value::from(chats.clone()).to_string();
    assert_eq!(told.contains("hush"), case.asked > 0 && case.stage != "input", "{what}: {told}");
    let noted = fs::read_to_string(home.path("clerk/noted.txt")).unwrap_or_default();
    assert_eq!(noted, case.noted, "{what}");
    if case.stage == "tool_call" && case.action == "block" {
        assert!(told.contains("BTN-3018"), "{what}: the model gets the reason: {told}");
    }
    let events = get(&url, &format!("/api/v1/tasks/{}/events", task["id"].as_str().expect("an id")));
    let (_, events) = events.split_once("\r\n\r\n").expect("a body");
    let events: Value = serde_json::from_str(events).expect("JSON");
    let all = events["events"].as_array().expect("events").iter();
    let looked: Vec<&Value> = all.filter_map(|event| event["body"].get("guardrail_checked")).collect();
    let verdict = if case.action == "block" { "blocked" } else { "rewritten" };
    let reason = if case.action == "block" { "not here" } else { "calmed" };
    let [look] = looked.as_slice() else { panic!("{what}: {looked:?}") };
    assert_eq!(
        (&look["guardrail"], &look["stage"], &look["verdict"], &look["detail"]),
        (&json!("quiet"), &json!(case.stage), &json!(verdict), &json!(reason)),
        "{what}"
    );
    if case.stage == "output" {
        assert!(look["original"].is_string(), "{what}: the original text is kept: {look}");
    }
    server.kill();
}

#[test]
fn program_guardrail_blocks_and_modifies() {
    for case in &CASES {
        let provider = Provider::start();
        let argument = Value::from(verdict(case).to_string());
        let home = prepared(&provider, case, &format!("command: [sh, guard.sh, {argument}]"));
        check("a program", case, &home, &provider);
        let asked = fs::read_to_string(home.path("clerk/asked.jsonl")).expect("a recorded request");
        let asked: Value = serde_json::from_str(asked.lines().next().unwrap_or_default()).expect("JSON");
        assert_eq!((&asked["stage"], &asked["agent"]), (&json!(case.stage), &json!("clerk")), "{asked}");
    }
}

#[test]
fn http_guardrail_blocks_and_modifies() {
    for case in &CASES {
        let provider = Provider::start();
        let says = verdict(case);
        let service = Service::start(move |heard| {
            let allowed = json!({ "action": "allow" });
            ScriptedReply::json("200 OK", if heard.body.contains("hush") { &says } else { &allowed })
        });
        let header = "headers: { Authorization: \"Bearer env://GUARD_TOKEN\" }";
        let home = prepared(&provider, case, &format!("http: {{ url: \"{}/look\", {header} }}", service.url));
        check("a service", case, &home, &provider);
        let heard = service.requests();
        let head = heard[0].head.to_lowercase();
        // The secret comes from the agent's `.env`.
        assert!(head.starts_with("post /look ") && head.contains("authorization: bearer planted-guard-77c1"), "{head}");
        assert_eq!(heard[0].json()["stage"], case.stage);
    }
}
