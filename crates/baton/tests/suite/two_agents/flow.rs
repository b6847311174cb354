//! The question gets its answer by the ten steps, however the agents are served and whoever orchestrates.

use super::team::{QUESTION, Team, Tools, story_of, tasks_of};
use crate::binary::{filtered, last_text};

const ANSWER: &str = "I asked the Weather Assistant. The weather in Oakland is 72°F, sunny, humidity 65%.";
const WEATHER: &str = "The weather in Oakland is 72°F, sunny, humidity 65%.";

/// Baton asks by the address: each agent has one task, with the whole flow in its history.
pub(super) fn by_baton(team: Team) {
    let task = team.ask();
    assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{task:#}");
    assert_eq!(last_text(&task), ANSWER, "{task:#}");
    both_have_the_flow(&team, 1);
    team.end();
}

/// The script asks, once as a client of each era of MCP; what it tells is the flow.
pub(super) fn by_script(team: Team, snapshot: &str) {
    let told = team.ask_by_script("auto");
    told_as(snapshot, &told);
    assert_eq!(team.ask_by_script("legacy"), told, "whatever the protocol version");
    both_have_the_flow(&team, 2);
    team.end();
}

fn told_as(snapshot: &str, told: &str) {
    filtered(|| {
        let mut settings = insta::Settings::clone_current();
        settings.add_filter(r"localhost:\d+", "localhost:[port]");
        settings.bind(|| insta::assert_snapshot!(snapshot, told));
    });
}

fn both_have_the_flow(team: &Team, times: usize) {
    for (agent, tool, answer) in [(&team.personal, "handoff", ANSWER), (&team.weather, "get_weather", WEATHER)] {
        let tasks = tasks_of(agent);
        assert_eq!(tasks.len(), times, "nobody is asked twice: {tasks:#?}");
        for task in tasks {
            assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{task:#}");
            let flow = [
                format!("USER: {QUESTION}"),
                format!("AGENT: calls {tool}"),
                format!("USER: results of {tool}"),
                format!("AGENT: {answer}"),
            ];
            assert_eq!(story_of(&task), flow, "{task:#}");
        }
    }
}

#[test]
fn in_one_process_with_tools_of_the_agents() {
    by_baton(Team::together(Tools::Agent));
}

#[test]
fn in_one_process_with_tools_of_the_caller() {
    by_baton(Team::together(Tools::Caller));
}

#[test]
fn in_two_processes_with_tools_of_the_caller() {
    by_baton(Team::apart(Tools::Caller));
}

#[test]
fn in_one_process_with_tools_of_the_agents_by_a_script() {
    by_script(Team::together(Tools::Agent), "script_tools_of_agents");
}

#[test]
fn in_one_process_with_tools_of_the_caller_by_a_script() {
    by_script(Team::together(Tools::Caller), "script_tools_of_caller");
}

#[test]
fn in_two_processes_with_tools_of_the_agents_by_a_script() {
    by_script(Team::apart(Tools::Agent), "script_tools_of_agents");
}
