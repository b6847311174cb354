//! Tools that ask questions while they run, in a direct call and during a run.

use crate::{
    binary::{Home, filtered},
    mcp::fixture,
};
use serde_json::json;

/// An agent whose MCP server asks, and which calls its tools on request.
pub(super) fn asking_agent(permission: &str) -> Home {
    let home = Home::new();
    let playbook = "rules:\n  - when: { after_tool: test_elicitation_sep1034_defaults }\n    say: \"It said ${result}\"\n  \
        - when: { after_tool: test_simple_text }\n    say: \"It said ${result}\"\n  \
        - when: { user: form }\n    call: [{ tool: test_elicitation_sep1034_defaults, args: {} }]\n  \
        - when: { user: text }\n    call: [{ tool: test_simple_text, args: {} }]\n";
    home.agent("asker", "", playbook);
    let server = json!({"command": fixture(), "prefix": "", "permissions": {"default": permission}});
    home.write("asker/mcp.json", &json!({"mcpServers": {"fixture": server}}).to_string());
    home
}

#[test]
fn call_questions_are_answered_by_flags() {
    let home = asking_agent("allow");
    let (_server, _) = home.up(&["--port", "0"]);
    let call = ["tools", "call", "asker", "test_elicitation_sep1034_defaults"];
    let asked = home.run(&call);
    let json = home.run(&[&call[..], &["--json"]].concat());
    let answered = home.run(&[&call[..], &["--answer", "name=Ada", "--answer", "age=36"]].concat());
    let wrong = home.run(&[&call[..], &["--answer", "name=Ada", "--answer", "age=old"]].concat());
    assert_eq!((asked.code, json.code, answered.code, wrong.code), (Some(3), Some(3), Some(0), Some(2)));
    let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert!(json["questions"][0]["schema"].is_object(), "{json:#}");
    filtered(|| insta::assert_snapshot!("tool_asks", [asked, answered, wrong].map(|ended| ended.shown()).join("\n")));
}

#[test]
fn run_explains_how_to_answer_and_resumes_with_the_answer() {
    let home = asking_agent("ask");
    let (_server, _) = home.up(&["--port", "0"]);
    let approval = home.run(&["run", "asker", "some text, please"]);
    let form = home.run(&["run", "asker", "the form, please"]);
    assert_eq!((approval.code, form.code), (Some(3), Some(3)), "{}\n{}", approval.shown(), form.shown());
    let task =
        |said: &str| said.split_whitespace().skip_while(|word| *word != "task").nth(1).expect("an id").to_owned();
    let allowed = home.run(&["run", "asker", "yes", "--task", &task(&approval.stderr)]);
    assert_eq!(allowed.code, Some(0), "{}", allowed.shown());
    let denied = home.run(&["run", "asker", "no", "--task", &task(&form.stderr)]);
    assert_eq!(denied.code, Some(0), "{}", denied.shown());
    let form = home.run(&["run", "asker", "the form again"]);
    let asked = home.run(&["run", "asker", "yes", "--task", &task(&form.stderr)]);
    assert_eq!(asked.code, Some(3), "{}", asked.shown());
    let filled = home.run(&["run", "asker", r#"{"name": "Ada"}"#, "--task", &task(&asked.stderr)]);
    assert_eq!(filled.code, Some(0), "{}", filled.shown());
    let all = [approval, allowed, asked, filled].map(|ended| ended.shown()).join("\n");
    filtered(|| insta::assert_snapshot!("run_asks", all));
}
