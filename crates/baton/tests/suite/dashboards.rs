//! Every panel of every dashboard has data after a run of the example team.

use crate::{
    binary::{Home, examples, request},
    foreign::Interpreter,
};
use serde_json::{Value, json};
use std::{fs, time::Instant};

const NODE: Interpreter =
    Interpreter { variable: "BATON_TEST_GRAFANA_NODE", set_up: &["scripts/node-env.sh", "tests/grafana"] };

/// Hands its work off to an agent that fails.
const BOSS: &str = "rules:\n  \
    - { when: { after_tool: handoff }, say: \"It did not work.\" }\n  \
    - { when: { turn: first }, call: [{ tool: handoff, args: { agent_uri: weak, message: \"${user}\" } }] }\n";
const WEAK: &str = "rules: [{ fail: { status: 400, message: \"I cannot\" } }]\n";

/// A configured price adds a cost panel.
const SETTINGS: &str = "telemetry: { project: team }\nprices: { playbook: { input: 3.0, output: 15.0 } }\n";

/// The exported dashboards.
fn exported(home: &Home) -> Vec<Value> {
    let ended = home.run(&["dashboards", "export", "--out", "grafana/dashboards", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
    let told: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let files = told["files"].as_array().expect("files").iter().map(|file| file.as_str().expect("a path"));
    files.map(|file| serde_json::from_slice(&fs::read(home.path(file)).expect("written")).expect("JSON")).collect()
}

fn json_at(url: &str, path: &str) -> Value {
    let reply = request(url, "GET", path, &[], "");
    assert_eq!(reply.status, 200, "{path}: {reply:?}");
    serde_json::from_str(&reply.body).unwrap_or_else(|error| panic!("{error}: {reply:?}"))
}

/// A span of a remote agent without a project, at the time of the newest trace.
fn remote_run(agent: &str, url: &str) -> String {
    let newest = json_at(url, "/tempo/api/search?q=%7B%7D&limit=1")["traces"][0]["startTimeUnixNano"].clone();
    let pairs = [("gen_ai.operation.name", "invoke_agent"), ("gen_ai.agent.name", agent)];
    let attributes: Vec<Value> =
        pairs.iter().map(|(key, value)| json!({ "key": key, "value": { "stringValue": value } })).collect();
    let span = json!({
        "traceId": "4bf92f3577b34da6a3ce929d0e0e4736", "spanId": "00f067aa0ba902b7", "name": "invoke_agent", "kind": 1,
        "startTimeUnixNano": newest, "endTimeUnixNano": newest, "attributes": attributes,
    });
    json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": [span] }] }] }).to_string()
}

/// Whether the query of a panel returns values other than zero for an agent and a project.
fn has_data(url: &str, target: &Value, (agent, project): (&str, &str)) -> bool {
    let query = target["query"].as_str().expect("a query").replace("$agent", agent).replace("$project", project);
    let query: String = form_urlencoded::byte_serialize(query.as_bytes()).collect();
    let is_something = |value: &Value| value.as_f64().is_some_and(|value| value > 0.0);
    let series = |path: &str| {
        let answer = json_at(url, &format!("/tempo/api/metrics/{path}?q={query}&since=1h&strict=1"));
        answer["series"].as_array().cloned().unwrap_or_default()
    };
    match target["metricsQueryType"].as_str() {
        Some("range") => series("query_range").iter().any(|series| {
            let samples = series["samples"].as_array().expect("samples");
            samples.iter().any(|sample| is_something(&sample["value"]))
        }),
        Some("instant") => series("query").iter().any(|series| is_something(&series["value"])),
        _ => !json_at(url, &format!("/tempo/api/search?q={query}&strict=1"))["traces"][0].is_null(),
    }
}

#[test]
fn every_panel_has_data_after_a_run_of_the_example_team() {
    let home = Home::new();
    home.write("baton.yaml", SETTINGS);
    home.agent("boss", "handoffs: [weak]\n", BOSS);
    home.agent("weak", "", WEAK);
    let both = ["personal", "weather"].map(|name| format!("{}/{name}", examples()));
    let (_server, url) = home.up(&[&both[0], &both[1], "boss", "weak", "--port", "0"]);
    for (agent, question) in [("personal", "What's the weather in Oakland?"), ("boss", "Do it!")] {
        let asked = home.run(&["run", agent, question, "-q"]);
        assert_eq!(asked.code, Some(0), "{}", asked.shown());
    }
    let dashboards = exported(&home);
    assert_eq!(dashboards.len(), 5);
    let titles = dashboards[4]["panels"].as_array().expect("panels").iter().map(|panel| &panel["title"]);
    assert!(titles.into_iter().any(|title| title == "Cost by model"), "{}", dashboards[4]);
    let mut asked = 0;
    for dashboard in &dashboards {
        for panel in dashboard["panels"].as_array().expect("panels") {
            for target in panel["targets"].as_array().expect("targets") {
                asked += 1;
                // Spans are stored shortly after their operation ends.
                let begun = Instant::now();
                // All projects, and the configured one.
                while !has_data(&url, target, (".*", ".*")) || !has_data(&url, target, (".*", "team|another")) {
                    let (dashboard, panel) = (&dashboard["title"], &panel["title"]);
                    assert!(begun.elapsed().as_secs() < 20, "{dashboard} {panel} is empty: {}", target["query"]);
                    std::thread::yield_now();
                }
            }
        }
    }
    assert!(asked > 40, "{asked}");
    let runs = &dashboards[0]["panels"][0]["targets"][0];
    assert!(!has_data(&url, runs, (".*", "another")), "another project has no runs: {runs}");
    // A span without a project matches all projects, but no particular one.
    let run = remote_run("loner", &url);
    let sent = request(&url, "POST", "/v1/traces", &[("Content-Type", "application/json")], &run);
    assert_eq!(sent.status, 200, "{sent:?}");
    let seen = [".*", "team"].map(|project| has_data(&url, runs, ("loner", project)));
    assert_eq!(seen, [true, false], "{runs}");
}

#[test]
fn dashboards_are_valid_for_the_grafana_types() {
    let home = Home::new();
    // Two prices make a panel with two queries.
    let two = "prices: { one: { input: 3.0, output: 15.0 }, other: { input: 0.1, output: 0.2, cached: 0.01 } }\n";
    home.write("baton.yaml", two);
    let most = |dashboard: &Value| {
        let panels = dashboard["panels"].as_array().expect("panels").iter();
        panels.map(|panel| panel["targets"].as_array().map_or(0, Vec::len)).max()
    };
    assert_eq!(exported(&home).iter().filter_map(most).max(), Some(2));
    let directory = home.path("grafana/dashboards");
    NODE.run_script(&["tests/grafana/check.mjs", directory.to_str().expect("UTF-8")]);
}
