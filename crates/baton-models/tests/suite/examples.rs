//! The playbooks of the shipped examples.

use crate::calls::{after, check as answers, tool, user, with_tools};
use baton_models::check_playbook;
use baton_ports::ModelCall;
use std::path::Path;

/// The rules of an example without delays, so that text is not split.
fn rules(path: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    let text = std::fs::read_to_string(file).unwrap();
    assert_eq!(check_playbook(&text), vec![], "{path}");
    text.lines().filter(|line| !line.starts_with("options:")).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn weather_example_answers() {
    let rules = rules("examples/weather/playbook.yaml");
    let ask = |text: &str| with_tools(user(text), &[tool("get_weather", "{}")]);
    let call = |index: usize, place: &str| format!("call call-m1-{index} get_weather {{\"location\":\"{place}\"}}\n");
    for (text, places) in [
        ("What's the weather in Oakland?", vec!["Oakland"]),
        ("weather for San José today", vec!["San José"]),
        ("Is it sunny in New York, please?", vec!["New York"]),
        ("What's the weather in Oakland and Lisbon?", vec!["Oakland", "Lisbon"]),
        ("the weather in Rome and in Paris", vec!["Rome", "Paris"]),
    ] {
        let calls: String = places.iter().enumerate().map(|(index, place)| call(index, place)).collect();
        answers(&rules, ask(text), &format!("{calls}done ToolCalls")).await;
    }
    let result = r#""The weather in Oakland is 72°F, sunny, humidity 65%.""#;
    let done = after(ask("What's the weather in Oakland?"), &[("get_weather", r#"{"location":"Oakland"}"#, result)]);
    answers(&rules, done, "say The weather in Oakland is 72°F, sunny, humidity 65%.\ndone").await;
    let failed = after(ask("weather in X"), &[("get_weather", r#"{"location":"X"}"#, r#""failed""#)]);
    answers(&rules, failed, "say I could not look up the weather of X: failed\ndone").await;
}

#[tokio::test]
async fn personal_example_answers() {
    let rules = rules("examples/personal/playbook.yaml");
    let ask = |text: &str| -> ModelCall { with_tools(user(text), &[tool("handoff", "{}")]) };
    let question = "What's the weather in Oakland?";
    let handoff = format!(r#"call call-m1-0 handoff {{"agent_uri":"http://localhost:10000","message":"{question}"}}"#);
    answers(&rules, ask(question), &format!("{handoff}\ndone ToolCalls")).await;
    // Callers that run the tools return the whole result, or the answer of the other agent.
    for given in [r#"{"response":"It is 72°F."}"#, r#""It is 72°F.""#] {
        let done = after(ask(question), &[("handoff", "{}", given)]);
        answers(&rules, done, "say I asked the Weather Assistant. It is 72°F.\ndone").await;
    }
    answers(&rules, ask("hello"), "say Hello! I am your Personal Assistant. What can I do for you?\ndone").await;
}

#[tokio::test]
async fn scaffold_answers() {
    let files = baton_agentdir::scaffold("mine");
    let rules = files["playbook.yaml"].replace("chunk: 12, ms_per_chunk: 10", "");
    assert_eq!(check_playbook(&rules), vec![]);
    answers(&rules, user("What time is it?"), "call call-m1-0 current_time {}\ndone ToolCalls").await;
    answers(&rules, after(user("time"), &[("current_time", "{}", r#""noon""#)]), "say It is noon.\ndone").await;
}
