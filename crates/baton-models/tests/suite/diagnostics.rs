//! Diagnostics of invalid playbooks.

use baton_models::{Playbook, check_playbook};
use insta::assert_snapshot;

const BAD: &str = r#"model: gpt
rules:
  - when: { user: "(unclosed" }
    say: a
  - when: { user: "(?P<city>.+)", usr: typo, turn: last, format: xml, failed: maybe, attempt: 0 }
    say: "${citty} ${result"
  - when: { tool: 7, metadata: [a] }
    say: a
    say_json: auto
  - when: {}
  - call: [{ args: {} }, { tool: t, args: [1] }, { tool: t, args: { a: "${nope}" } }]
  - { wait: 5, long: 0, repeat: 2 }
  - { fail: { status: 200, retry_after: soon }, refuse: "no" }
  - { refuse: "no", say: "but" }
  - { say: a, chunk: 0, ms_per_chunk: -1 }
  - { when: { user: "\\p{L}{900}{900}" }, say: a }
  - just text
options: { seed: x, usage: [], speed: 1 }
"#;

fn shown(text: &str) -> String {
    check_playbook(text).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn mistakes_are_located() {
    assert_snapshot!(shown(BAD));
}

#[test]
fn small_files() {
    let mut all = String::new();
    for text in
        ["", "rules:", "- a", "rules: {}", "rules: [{}]", "rules: [{ say: 'a', }", "rules: [{ say: a }]\nrules: []"]
    {
        all.push_str(&format!("# {text:?}\n{}\n\n", shown(text)));
    }
    assert_snapshot!(all);
}

#[test]
fn rule_that_calls_forever_is_a_warning() {
    let text = "rules:\n  - when: { user: a }\n    call: t\n";
    assert_snapshot!(shown(text));
    for good in [
        "rules: [{ when: { turn: first }, call: t }]",
        "rules: [{ when: { turn: any }, call: t }]",
        "rules: [{ when: { after_tool: t }, say: x }, { call: t }]",
        "rules: [{ when: { after_tool: u }, call: t }]",
    ] {
        assert_eq!(shown(good), "", "{good}");
    }
    assert!(Playbook::new(Some(text)).is_ok());
}

#[test]
fn invalid_playbook_is_an_error() {
    let error = Playbook::new(Some("rules: [{ sai: a }]")).unwrap_err().to_string();
    assert_snapshot!(error);
}
