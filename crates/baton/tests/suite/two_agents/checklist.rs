//! What an implementation of the two-agent demo must show, by the numbers under which that was written down: handoffs that
//! work.

use super::{
    environment::{asks, hands_over, tools_of},
    flow,
    team::{QUESTION, Team, Tools, json_at, localhost, parts_of},
};
use serde_json::{Value, json};

/// An agent with `enable_handoff: false` has no `handoff`; others have it, and it says what it needs.
#[test]
fn timestep_15_the_environment_lists_handoff_unless_it_is_switched_off() {
    let team = Team::together(Tools::Agent);
    let names = |tools: &[Value]| tools.iter().map(|tool| tool["name"].clone()).collect::<Vec<_>>();
    assert_eq!(names(&tools_of(&team.weather)), ["get_weather"]);
    let tools = tools_of(&team.personal);
    assert_eq!(names(&tools), ["handoff"]);
    let schema = &tools[0]["inputSchema"];
    assert_eq!(schema["required"], json!(["agent_uri", "message"]), "{schema:#}");
    let properties: Vec<&String> = schema["properties"].as_object().expect("properties").keys().collect();
    for needed in ["agent_uri", "context_id", "message"] {
        assert!(properties.iter().any(|name| *name == needed), "{schema:#}");
    }
    team.end();
}

/// A client that cannot be asked needs no tool error: Baton hands the work over itself.
#[test]
fn timestep_16_a_client_without_sampling_gets_the_answer_by_the_direct_channel() {
    for team in [Team::together(Tools::Agent), Team::apart(Tools::Agent)] {
        for agent_uri in ["weather".to_owned(), localhost(&team.weather)] {
            let given = hands_over(&team.personal, &json!({}), &agent_uri, QUESTION);
            assert_ne!(given["isError"], true, "{given:#}");
            let structured = &given["structuredContent"];
            assert_eq!(structured["response"], "The weather in Oakland is 72°F, sunny, humidity 65%.", "{given:#}");
            let text: Value = serde_json::from_str(given["content"][0]["text"].as_str().expect("text")).expect("JSON");
            assert_eq!(&text, structured, "the text is the same");
            assert_eq!(structured["via"], "server", "{given:#}");
            let task = structured["task_id"].as_str().expect("its task");
            let task = json_at(parts_of(&team.personal).0, &format!("/api/v1/tasks/{task}"));
            assert_eq!([&task["agent"], &task["task"]["status"]["state"]], ["weather", "TASK_STATE_COMPLETED"]);
        }
        team.end();
    }
}

/// The demo, each agent in a process of its own.
#[test]
fn timestep_17_the_demo_answers_72_degrees() {
    flow::by_baton(Team::apart(Tools::Agent));
}

/// The demo with an external client that runs all tools and answers sampling.
#[test]
fn timestep_18_the_demo_by_a_client_that_runs_tools_and_answers_sampling() {
    flow::by_script(Team::apart(Tools::Caller), "script_tools_of_caller");
}

/// A handoff that the client makes is on record from the moment it is asked to, and so is where it was answered.
#[test]
fn timestep_18_the_record_of_a_handoff_that_the_client_makes() {
    let team = Team::apart(Tools::Caller);
    let samples = json!({"sampling": {}});
    let asked = hands_over(&team.personal, &samples, &localhost(&team.weather), QUESTION);
    assert_eq!(asked["resultType"], "input_required", "{asked:#}");
    let request = &asked["inputRequests"]["handoff"];
    assert_eq!(request["method"], "sampling/createMessage", "{asked:#}");
    assert_eq!(request["params"]["messages"][0]["content"]["text"], QUESTION, "{asked:#}");
    let metadata = &request["params"]["metadata"];
    assert_eq!(metadata["agent_uri"], localhost(&team.weather), "{asked:#}");
    let record = || {
        let id = metadata["handoff_id"].as_str().expect("its record");
        json_at(&team.personal, &format!("/api/v1/handoffs/{id}"))
    };
    let stands = |record: &Value| ["status", "channel", "fromAgent", "toAgent"].map(|field| record[field].clone());
    assert_eq!(stands(&record()), ["in_progress", "input_required", "personal", "weather"]);

    let answered = json!({
        "role": "assistant", "model": "a2a-agent", "content": {"type": "text", "text": "It is 72°F."},
        "_meta": {"dev.baton/taskId": "task-there", "dev.baton/contextId": "context-there"},
    });
    let again = json!({
        "name": "handoff", "arguments": {"agent_uri": localhost(&team.weather), "message": QUESTION},
        "inputResponses": {"handoff": answered}, "requestState": asked["requestState"],
    });
    let given = asks(&team.personal, &samples, "tools/call", again);
    let structured = &given["structuredContent"];
    assert_eq!([&structured["response"], &structured["via"]], ["It is 72°F.", "client"], "{given:#}");
    let record = record();
    assert_eq!(stands(&record), ["completed", "input_required", "personal", "weather"]);
    assert_eq!([&record["result"]["response"], &record["result"]["task_id"]], ["It is 72°F.", "task-there"]);
    team.end();
}
