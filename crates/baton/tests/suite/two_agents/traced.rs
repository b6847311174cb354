//! One question through two agents in two processes is one trace, from the request to the last tool call.

use super::team::{QUESTION, Team, ToolOwner, json_at};
use crate::binary::{Home, examples, filtered};
use serde_json::Value;
use std::collections::BTreeMap;

/// A span in the format of Tempo's API.
#[derive(Clone, Debug)]
struct SpanSummary {
    name: String,
    kind: String,
    parent: String,
}

/// The server of an agent's URL.
fn base(agent: &str) -> &str {
    agent.split("/agents/").next().expect("an address")
}

/// Spans arrive asynchronously: repeats the query until it has a result.
fn await_trace(server: &str, query: &str) -> String {
    let query: String = form_urlencoded::byte_serialize(query.as_bytes()).collect();
    let begun = std::time::Instant::now();
    loop {
        let answer = json_at(server, &format!("/tempo/api/search?q={query}"));
        if let Some(id) = answer["traces"][0]["traceID"].as_str() {
            return id.to_owned();
        }
        assert!(begun.elapsed().as_secs() < 20, "no trace matches {query}: {answer:#}");
        std::thread::yield_now();
    }
}

fn spans(server: &str, trace: &str) -> BTreeMap<String, SpanSummary> {
    let body = json_at(server, &format!("/tempo/api/v2/traces/{trace}"));
    let text = |span: &Value, key: &str| span[key].as_str().unwrap_or_default().to_owned();
    let resources = body["trace"]["resourceSpans"].as_array().expect("resources").iter();
    let scopes = resources.flat_map(|resource| resource["scopeSpans"].as_array().expect("scopes"));
    scopes
        .flat_map(|scope| scope["spans"].as_array().expect("spans"))
        .map(|span| {
            let summary =
                SpanSummary { name: text(span, "name"), kind: text(span, "kind"), parent: text(span, "parentSpanId") };
            (text(span, "spanId"), summary)
        })
        .collect()
}

#[test]
fn two_processes_make_one_trace() {
    let team = Team::in_two_processes(ToolOwner::Agent);
    team.ask();
    let (personal, weather) = (base(&team.personal), base(&team.weather));
    let trace = await_trace(personal, "{ name = \"handoff.request\" && kind = producer }");
    // The request's own span ends after the last byte of the response, so it arrives last.
    for server in [personal, weather] {
        assert_eq!(await_trace(server, "{ name = \"SendStreamingMessage\" && kind = server }"), trace);
    }
    await_trace(personal, "{ name = \"invoke_agent personal\" }");
    assert_eq!(await_trace(weather, "{ name = \"invoke_agent weather\" }"), trace);
    let mut all = spans(personal, &trace);
    all.append(&mut spans(weather, &trace));
    let (id, _) = all.iter().find(|(_, span)| span.name == "execute_tool get_weather").expect("a tool call");
    let mut path = Vec::new();
    let mut at = Some(id);
    while let Some((id, span)) = at.and_then(|id| all.get_key_value(id)) {
        path.push(format!("{} {}", span.kind.trim_start_matches("SPAN_KIND_").to_lowercase(), span.name));
        assert!(path.len() <= all.len(), "{id} is its own ancestor");
        at = Some(&span.parent);
    }
    assert_eq!(
        path,
        [
            "internal execute_tool get_weather",
            "internal invoke_agent weather",
            "server SendStreamingMessage",
            "client SendStreamingMessage",
            "client invoke_agent weather",
            "producer handoff.request",
            "internal execute_tool handoff",
            "internal invoke_agent personal",
            "server SendStreamingMessage",
        ],
        "{all:#?}"
    );
    let chats = all.values().filter(|span| span.name == "chat playbook").count();
    assert_eq!(chats, 4, "each agent asks its model twice: {all:#?}");
    assert_eq!(all.values().filter(|span| !all.contains_key(&span.parent)).count(), 1, "one root: {all:#?}");
    let shown = team.home.run(&["trace", "show", &trace, "--server", personal, "--also", weather, "--width", "100"]);
    assert_eq!(shown.code, Some(0), "{}", shown.shown());
    filtered(|| {
        let mut settings = insta::Settings::clone_current();
        settings.add_filter(r"\b[0-9a-f]{32}\b", "[trace]");
        settings.add_filter(r"\d{4}-\d\d-\d\d (\[time\]|\d\d:\d\d:\d\d\.\d{3})", "[moment]");
        settings.add_filter(r" *\+?[\d.]+(us|ms|s)\b", " [time]");
        settings.add_filter(r"span +time  tokens", "span  time  tokens");
        settings.add_filter(r"[█▉▊▋▌▍▎▏ ]{3,}\n", "  [bar]\n");
        settings.add_filter(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "[id]");
        settings.add_filter(r"localhost:\d+", "localhost:[port]");
        settings.bind(|| insta::assert_snapshot!("one_trace", shown.shown()));
    });
    team.end();
}

/// Item 29 of Timestep's checklist: without telemetry nothing is recorded, and everything else works.
#[test]
fn timestep_29_without_telemetry_there_are_no_spans() {
    let home = Home::new();
    let both = ["personal", "weather"].map(|name| format!("{}/{name}", examples()));
    home.write("baton.yaml", "telemetry: { enabled: false }\n");
    let (server, url) = home.up(&[&both[0], &both[1], "--port", "0"]);
    let asked = home.run(&["run", "personal", QUESTION, "-q"]);
    assert_eq!(asked.code, Some(0), "{}", asked.shown());
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
    let (_server, again) = home.up(&[&both[0], &both[1], "--port", "0"]);
    assert_ne!(url, "", "the server printed its URL");
    assert_eq!(json_at(&again, "/api/v1/spans/stats")["spans"], 0);
}
