//! The channel of a handoff that the official MCP client calls for, by the client's capabilities and the owner of the
//! tools.

use super::team::{PYTHON, QUESTION, Team, ToolOwner, json_at, localhost, parts_of, tasks_of};
use serde_json::{Value, json};

const AGENT: &str = "The weather in Oakland is 72°F, sunny, humidity 65%.";
const CLIENT: &str = "It is 99°F, said the client.";

/// One handoff to the weather agent; returns the client's output and the number of tasks of the weather agent.
fn request_handoff(team: &Team, mode: &str, declares: &str, model: &str) -> (Value, usize) {
    let before = tasks_of(&team.weather).len();
    let (environment, weather) = (format!("{}/mcp", team.personal), localhost(&team.weather));
    let output = PYTHON.run_script(&[
        "tests/python/two_agents/sampling.py",
        &environment,
        mode,
        declares,
        model,
        &weather,
        QUESTION,
    ]);
    let output: Value = serde_json::from_str(&output).unwrap_or_else(|error| panic!("{error}: {output}"));
    assert_ne!(output["is_error"], true, "{output:#}");
    (output, tasks_of(&team.weather).len() - before)
}

/// The record of the handoff that the client was asked to make.
fn record_of(team: &Team, output: &Value) -> Value {
    let id = output["handoffs"][0].as_str().unwrap_or_else(|| panic!("asked: {output:#}"));
    json_at(parts_of(&team.personal).0, &format!("/api/v1/handoffs/{id}"))
}

fn check_cases(team: Team, cases: &[(&str, &str, Expected)]) {
    for mode in ["auto", "legacy"] {
        let asks = if mode == "auto" { "input_required" } else { "sampling" };
        for (declares, model, expected) in cases {
            let case = format!("{mode} {declares} {model}");
            let (output, tasks) = request_handoff(&team, mode, declares, model);
            let (response, via, asked) = match expected {
                Expected::Direct => (AGENT, "server", 0),
                Expected::Sampled(_) => (CLIENT, "client", 1),
                Expected::FallsBack => (AGENT, "server", 1),
            };
            assert_eq!(
                [&output["result"]["response"], &output["result"]["via"]],
                [response, via],
                "{case}: {output:#}"
            );
            assert_eq!(output["asked"], asked, "{case}");
            assert_eq!(tasks, usize::from(via == "server"), "{case}: Baton asks the agent once, or the client does");
            let shown =
                |record: &Value| ["status", "channel", "channelReason", "answeredModel"].map(|at| record[at].clone());
            match expected {
                Expected::Direct => {}
                Expected::Sampled(why) => {
                    assert_eq!(
                        json!(shown(&record_of(&team, &output))),
                        json!(["completed", asks, why, null]),
                        "{case}"
                    );
                }
                Expected::FallsBack => {
                    let record = record_of(&team, &output);
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
    /// The client's answer is used, for this reason.
    Sampled(&'static str),
    /// The client is asked, and Baton then asks the agent.
    FallsBack,
}

#[test]
fn only_clients_that_declare_handoff_are_asked() {
    use Expected::{Direct, FallsBack, Sampled};
    let cases = [
        ("nothing", "a2a-agent", Direct),
        ("sampling", "gpt-5", Direct),
        ("sampling", "a2a-agent", Direct),
        ("handoff", "a2a-agent", Sampled("handoff_declared")),
        ("handoff", "gpt-5", FallsBack),
    ];
    check_cases(Team::in_one_process(ToolOwner::Agent), &cases);
}

#[test]
fn tool_running_callers_with_sampling_are_asked() {
    use Expected::{Direct, FallsBack, Sampled};
    let cases = [
        ("nothing", "a2a-agent", Direct),
        ("sampling", "a2a-agent", Sampled("caller_runs_tools")),
        ("sampling", "claude-sonnet-4-5", FallsBack),
        ("handoff", "a2a-agent/weather", Sampled("handoff_declared")),
    ];
    check_cases(Team::in_two_processes(ToolOwner::Caller), &cases);
}
