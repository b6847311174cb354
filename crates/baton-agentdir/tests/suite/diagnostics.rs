//! Every error is reported at its position, with a remedy.

use super::{parse_files, parse_yaml, shown};
use insta::assert_snapshot;

#[test]
fn one_file_with_every_kind_of_error() {
    let yaml = r#"name: Weather Bot
titel: typo
version: 1.0
model: gpt-9
input_modes: [text/plain, plain, "text/html; charset=utf-8", TEXT/plain, "*/plain", 7]
settings:
  max_turns: 0
  parallel_tools: many
  deadline: 30
  tools: nobody
  control_tools: [ask_user, ask_usr]
  colour: blue
skills:
  - name: no id
  - { id: a }
  - { id: a, tags: sunny }
tools:
  - name: handoff
    command: ["true"]
  - name: get weather
    command: sh run.sh
  - name: twice
    description: d
    command: ["sh", "${city}", "$${literal}", "${open"]
    timeout: 3 weeks
    max_output: 1XB
    effects: none
    directory: ../elsewhere
  - name: twice
    description: d
    command: ["${program}"]
    directory: /etc
    parameters: { type: string }
  - name: undeclared
    command: ["echo", "${city}", "${zip}"]
    parameters: { properties: { zip: { type: string } } }
  - description: nameless
    shell: "rm -rf /"
handoffs:
  - weather
  - agent: weather
  - agent: "../etc"
  - 7
"#;
    assert_snapshot!(shown(&parse_yaml(yaml)));
}

#[test]
fn broken_files() {
    let mut all = String::new();
    for (what, files) in [
        ("nothing", vec![]),
        ("a file of another name", vec![("agent.yml", &b"name: a"[..])]),
        ("no prompt", vec![("agent.yaml", &b"name: a"[..])]),
        ("empty files", vec![("agent.yaml", &b"# later\n"[..]), ("prompt.md", b" \n"), ("playbook.yaml", b"")]),
        ("not a map", vec![("agent.yaml", &b"- a\n- b\n"[..]), ("prompt.md", b"p")]),
        ("not YAML", vec![("agent.yaml", &b"name: a\n  title: [1, 2\n"[..]), ("prompt.md", b"p")]),
        ("a key twice", vec![("agent.yaml", &b"name: a\ntitle: b\nname: c\n"[..]), ("prompt.md", b"p")]),
        ("not UTF-8", vec![("agent.yaml", &b"name: a\ntitle: \xff\n"[..]), ("prompt.md", b"p\xff")]),
        ("no mode at all", vec![("agent.yaml", &b"name: a\ninput_modes: []\n"[..]), ("prompt.md", b"p")]),
        ("a mode that is no list", vec![("agent.yaml", &b"name: a\ninput_modes: '*/*'\n"[..]), ("prompt.md", b"p")]),
        ("itself", vec![("agent.yaml", &b"name: a\nhandoffs: [a]\n"[..]), ("prompt.md", b"p")]),
    ] {
        all.push_str(&format!("# {what}\n{}\n\n", shown(&parse_files(&files))));
    }
    let deep = format!("name: a\ntitle: {}{}", "[".repeat(2000), "]".repeat(2000));
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n";
    for yaml in [deep.as_str(), bomb] {
        all.push_str(&format!("# too much\n{}\n\n", shown(&parse_yaml(yaml))));
    }
    assert_snapshot!(all);
}
