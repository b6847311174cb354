//! `baton run` in a single process.

use crate::binary::{Home, examples, filtered, last_text};

#[test]
fn answer_goes_to_stdout_and_steps_to_stderr() {
    let home = Home::new();
    let examples = examples();
    let weather = home.run(&["run", "weather", "Weather in Oakland?", "--agents", &examples]);
    let personal = home.run(&["run", "personal", "What's the weather in Oakland?", "--agents", &examples]);
    let unknown_agent = home.run(&["run", "nobody", "hi", "--agents", &examples]);
    let json_error = home.run(&["run", "nobody", "hi", "--agents", &examples, "--json"]);
    let no_server = home.run(&["run", "weather", "hi", "--server", "ftp://elsewhere"]);
    let no_task = home.run(&["run", "weather", "hi", "--agents", &examples, "--task", "none"]);
    let all = [weather, personal, unknown_agent, json_error, no_server, no_task].map(|ended| ended.shown()).join("\n");
    filtered(|| insta::assert_snapshot!("run", all));
    // The order in which two calls finish is open; the order of the answer is not.
    let both = home.run(&["run", "weather", "Weather in Oakland and in Lisbon?", "--agents", &examples, "-q"]);
    let expect = ["Oakland", "Lisbon"].map(|city| format!("The weather in {city} is 72°F, sunny, humidity 65%.\n"));
    assert_eq!(both.stdout, expect.concat(), "{}", both.stderr);
}

#[test]
fn a_question_is_exit_code_3_and_is_answered_with_its_task() {
    let home = Home::new();
    let playbook = "rules:\n  - when: { after_tool: ask_user }\n    say: \"Booked for ${result}.\"\n  \
        - when: { user: table, turn: first }\n    call: [{ tool: ask_user, args: { question: \"Which day?\" } }]\n";
    home.agent("booking", "settings: { control_tools: [ask_user] }\n", playbook);
    let asked = home.run(&["run", "booking", "a table, please"]);
    filtered(|| insta::assert_snapshot!("question", asked.shown()));
    let task = asked.stderr.split_whitespace().skip_while(|word| *word != "task").nth(1).expect("its id");
    let answered = home.run(&["run", "booking", "Tuesday", "--task", task, "--json"]);
    assert_eq!(answered.code, Some(0), "{}", answered.stderr);
    let data: serde_json::Value = serde_json::from_str(&answered.stdout).expect("JSON");
    assert_eq!((&data["id"], &data["status"]["state"]), (&task.into(), &"TASK_STATE_COMPLETED".into()));
    assert!(last_text(&data).contains("Tuesday"), "{data:#}");
}

#[test]
fn caller_tools_are_left_to_the_caller() {
    let home = Home::new();
    home.write("baton.yaml", &format!("agents: [\"{}/weather\"]\ntools: caller\n", examples()));
    let asked = home.run(&["run", "weather", "Weather in Oakland?"]);
    filtered(|| insta::assert_snapshot!("caller", asked.shown()));
}

#[test]
fn a_failed_task_is_exit_code_1_with_its_reason() {
    let home = Home::new();
    let playbook = "rules:\n  - when: { user: fail }\n    fail: \"not today\"\n  \
        - when: { turn: first }\n    call: [{ tool: reject_task, args: { reason: \"I would rather not.\" } }]\n";
    home.agent("moody", "settings: { control_tools: [reject_task] }\n", playbook);
    let failed = home.run(&["run", "moody", "please fail"]);
    let refused = home.run(&["run", "moody", "anything", "--json"]);
    assert_eq!((failed.code, refused.code), (Some(1), Some(1)), "{}\n{}", failed.shown(), refused.shown());
    filtered(|| insta::assert_snapshot!("failed", [failed.shown(), refused.stderr].join("\n")));
}
