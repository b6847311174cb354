//! Who makes a handoff that the official MCP client calls for, by what that client declares and who runs the agent's tools.

use super::team::{PYTHON, QUESTION, Team, Tools, json_at, localhost, parts_of, tasks_of};
use serde_json::{Value, json};

const AGENT: &str = "The weather in Oakland is 72°F, sunny, humidity 65%.";
const CLIENT: &str = "It is 99°F, said the client.";

/// One handoff to the weather agent; gives what the client tells, and how often the weather agent was asked for it.
fn hands_over(team: &Team, mode: &str, declares: &str, model: &str) -> (Value, usize) {
    let before = tasks_of(&team.weather).len();
    let (environment, weather) = (format!("{}/mcp", team.personal), localhost(&team.weather));
    let told =
        PYTHON.runs(&["tests/python/two_agents/sampling.py", &environment, mode, declares, model, &weather, QUESTION]);
    let told: Value = serde_json::from_str(&told).unwrap_or_else(|error| panic!("{error}: {told}"));
    assert_ne!(told["is_error"], true, "{told:#}");
    (told, tasks_of(&team.weather).len() - before)
}

/// The record of the handoff that the client was asked to make.
fn record_of(team: &Team, told: &Value) -> Value {
    let id = told["handoffs"][0].as_str().unwrap_or_else(|| panic!("asked: {told:#}"));
    json_at(parts_of(&team.personal).0, &format!("/api/v1/handoffs/{id}"))
}

fn checked(team: Team, cases: &[(&str, &str, Expected)]) {
    for mode in ["auto", "legacy"] {
        let asks = if mode == "auto" { "input_required" } else { "sampling" };
        for (declares, model, expected) in cases {
            let case = format!("{mode} {declares} {model}");
            let (told, tasks) = hands_over(&team, mode, declares, model);
            let (response, via, asked) = match expected {
                Expected::Direct => (AGENT, "server", 0),
                Expected::Sampled(_) => (CLIENT, "client", 1),
                Expected::FallsBack => (AGENT, "server", 1),
            };
            assert_eq!([&told["result"]["response"], &told["result"]["via"]], [response, via], "{case}: {told:#}");
            assert_eq!(told["asked"], asked, "{case}");
            assert_eq!(tasks, usize::from(via == "server"), "{case}: Baton asks the agent once, or the client does");
            let shown =
                |record: &Value| ["status", "channel", "channelReason", "answeredModel"].map(|at| record[at].clone());
            match expected {
                Expected::Direct => {}
                Expected::Sampled(why) => {
                    assert_eq!(json!(shown(&record_of(&team, &told))), json!(["completed", asks, why, null]), "{case}");
                }
                Expected::FallsBack => {
                    let record = record_of(&team, &told);
                    assert_eq!(json!(shown(&record)), json!(["completed", "direct", "other_model", model]), "{case}");
                    assert_eq!(record["result"]["response"], AGENT, "{case}");
                }
            }
        }
    }
    team.end();
}

enum Expected {
    /// The client is not asked.
    Direct,
    /// The client's answer counts, for this reason.
    Sampled(&'static str),
    /// The client is asked, and Baton asks the agent.
    FallsBack,
}

#[test]
fn clients_that_only_sample_are_not_asked_and_those_that_hand_over_are() {
    use Expected::{Direct, FallsBack, Sampled};
    let cases = [
        ("nothing", "a2a-agent", Direct),
        ("sampling", "gpt-5", Direct),
        ("sampling", "a2a-agent", Direct),
        ("handoff", "a2a-agent", Sampled("handoff_declared")),
        ("handoff", "gpt-5", FallsBack),
    ];
    checked(Team::together(Tools::Agent), &cases);
}

#[test]
fn callers_that_run_the_tools_are_asked_when_they_sample() {
    use Expected::{Direct, FallsBack, Sampled};
    let cases = [
        ("nothing", "a2a-agent", Direct),
        ("sampling", "a2a-agent", Sampled("caller_runs_tools")),
        ("sampling", "claude-sonnet-4-5", FallsBack),
        ("handoff", "a2a-agent/weather", Sampled("handoff_declared")),
    ];
    checked(Team::apart(Tools::Caller), &cases);
}
