//! The question gets its answer by the same flow, for every way to serve the agents and for every orchestrator.

use super::team::{QUESTION, Team, ToolOwner, history_of, tasks_of};
use crate::binary::{filtered, last_text};

const ANSWER: &str = "I asked the Weather Assistant. The weather in Oakland is 72°F, sunny, humidity 65%.";
const WEATHER: &str = "The weather in Oakland is 72°F, sunny, humidity 65%.";

/// Baton asks by URL: each agent has one task, with the whole flow in its history.
pub(super) fn by_baton(team: Team) {
    let task = team.ask();
    assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{task:#}");
    assert_eq!(last_text(&task), ANSWER, "{task:#}");
    assert_flow_in_histories(&team, 1);
    team.end();
}

/// The script asks once for each era of MCP; its output is the flow.
pub(super) fn by_script(team: Team, snapshot: &str) {
    let output = team.ask_by_script("auto");
    assert_output_snapshot(snapshot, &output);
    assert_eq!(team.ask_by_script("legacy"), output, "the output does not depend on the protocol version");
    assert_flow_in_histories(&team, 2);
    team.end();
}

fn assert_output_snapshot(snapshot: &str, output: &str) {
    filtered(|| {
        let mut settings = insta::Settings::clone_current();
        settings.add_filter(r"localhost:\d+", "localhost:[port]");
        settings.bind(|| insta::assert_snapshot!(snapshot, output));
    });
}

fn assert_flow_in_histories(team: &Team, times: usize) {
    for (agent, tool, answer) in [(&team.personal, "handoff", ANSWER), (&team.weather, "get_weather", WEATHER)] {
        let tasks = tasks_of(agent);
        assert_eq!(tasks.len(), times, "each question makes one task for each agent: {tasks:#?}");
        for task in tasks {
            assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{task:#}");
            let flow = [
                format!("USER: {QUESTION}"),
                format!("AGENT: calls {tool}"),
                format!("USER: results of {tool}"),
                format!("AGENT: {answer}"),
            ];
            assert_eq!(history_of(&task), flow, "{task:#}");
        }
    }
}

#[test]
fn in_one_process_with_tools_of_the_agents() {
    by_baton(Team::in_one_process(ToolOwner::Agent));
}

#[test]
fn in_one_process_with_tools_of_the_caller() {
    by_baton(Team::in_one_process(ToolOwner::Caller));
}

#[test]
fn in_two_processes_with_tools_of_the_caller() {
    by_baton(Team::in_two_processes(ToolOwner::Caller));
}

#[test]
fn in_one_process_with_tools_of_the_agents_by_a_script() {
    by_script(Team::in_one_process(ToolOwner::Agent), "script_tools_of_agents");
}

#[test]
fn in_one_process_with_tools_of_the_caller_by_a_script() {
    by_script(Team::in_one_process(ToolOwner::Caller), "script_tools_of_caller");
}

#[test]
fn in_two_processes_with_tools_of_the_agents_by_a_script() {
    by_script(Team::in_two_processes(ToolOwner::Agent), "script_tools_of_agents");
}
