//! The numbered acceptance checklist of the two-agent demo: handoffs that succeed.

use super::{
    environment::{call_handoff, call_method, tools_of},
    flow,
    team::{QUESTION, Team, ToolOwner, json_at, localhost, parts_of},
};
use serde_json::{Value, json};

/// `enable_handoff: false` removes the tool `handoff`; otherwise it is listed with its schema.
#[test]
fn timestep_15_environment_lists_handoff_unless_disabled() {
    let team = Team::in_one_process(ToolOwner::Agent);
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

/// Without sampling there is no tool error: Baton makes the handoff itself.
#[test]
fn timestep_16_a_client_without_sampling_gets_the_answer_by_the_direct_channel() {
    for team in [Team::in_one_process(ToolOwner::Agent), Team::in_two_processes(ToolOwner::Agent)] {
        for agent_uri in ["weather".to_owned(), localhost(&team.weather)] {
            let given = call_handoff(&team.personal, &json!({}), &agent_uri, QUESTION);
            assert_ne!(given["isError"], true, "{given:#}");
            let structured = &given["structuredContent"];
            assert_eq!(structured["response"], "The weather in Oakland is 72°F, sunny, humidity 65%.", "{given:#}");
            let text: Value = serde_json::from_str(given["content"][0]["text"].as_str().expect("text")).expect("JSON");
            assert_eq!(&text, structured, "the text is the same");
            assert_eq!(structured["via"], "server", "{given:#}");
            let task = structured["task_id"].as_str().expect("a task id");
            let task = json_at(parts_of(&team.personal).0, &format!("/api/v1/tasks/{task}"));
            assert_eq!([&task["agent"], &task["task"]["status"]["state"]], ["weather", "TASK_STATE_COMPLETED"]);
        }
        team.end();
    }
}

/// The demo with each agent in its own process.
#[test]
fn timestep_17_the_demo_answers_72_degrees() {
    flow::by_baton(Team::in_two_processes(ToolOwner::Agent));
}

/// The demo with an external client that runs all tools and answers sampling.
#[test]
fn timestep_18_demo_with_client_that_runs_tools_and_answers_sampling() {
    flow::by_script(Team::in_two_processes(ToolOwner::Caller), "script_tools_of_caller");
}

/// A handoff made by the client is recorded when the client is asked, and later with the task that answered.
#[test]
fn timestep_18_handoff_made_by_the_client_is_recorded() {
    let team = Team::in_two_processes(ToolOwner::Caller);
    let samples = json!({"sampling": {}});
    let asked = call_handoff(&team.personal, &samples, &localhost(&team.weather), QUESTION);
    assert_eq!(asked["resultType"], "input_required", "{asked:#}");
    let request = &asked["inputRequests"]["handoff"];
    assert_eq!(request["method"], "sampling/createMessage", "{asked:#}");
    assert_eq!(request["params"]["messages"][0]["content"]["text"], QUESTION, "{asked:#}");
    let metadata = &request["params"]["metadata"];
    assert_eq!(metadata["agent_uri"], localhost(&team.weather), "{asked:#}");
    let record = || {
        let id = metadata["handoff_id"].as_str().expect("a handoff id");
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
    let given = call_method(&team.personal, &samples, "tools/call", again);
    let structured = &given["structuredContent"];
    assert_eq!([&structured["response"], &structured["via"]], ["It is 72°F.", "client"], "{given:#}");
    let record = record();
    assert_eq!(stands(&record), ["completed", "input_required", "personal", "weather"]);
    assert_eq!([&record["result"]["response"], &record["result"]["task_id"]], ["It is 72°F.", "task-there"]);
    team.end();
}
