//! `baton convert`: writes agents in another format.

use crate::binary::{Home, filtered};
use serde_json::Value;

const OLD: &str = r#"{
  "metadata": { "name": "Bob Agent", "description": "Knows Bob.", "version": "1.0.2" },
  "settings": { "maxChatTurns": "12", "theme": "dark" },
  "mcpServers": { "memory": { "type": "internal", "tool": "references" } }
}"#;

#[test]
fn agent_converts_between_formats_without_loss() {
    let home = Home::new();
    home.write("old/tspark.json", OLD);
    home.write("old/prompt.md", "You know Bob.\n");
    home.write("old/playbook.yaml", "rules: [{ say: Bob likes tea. }]\n");
    home.write("old/refs/bob.mdt", "---\n{\"name\":\"bob\",\"priorityLevel\":0}---\nBob likes tea.\n");
    let ours = home.run(&["convert", "old", "bob"]);
    let again = home.run(&["convert", "old", "bob"]);
    let shared = home.run(&["convert", "bob", "bob.yaml", "--json"]);
    let back = home.run(&["convert", "bob.yaml", "older", "--to", "tspark"]);
    let same = home.run(&["convert", "bob", "other", "--to", "native"]);
    let wrong = home.run(&["convert", "old", "x.yaml", "--to", "tspark"]);
    home.write("broken/tspark.json", "{ \"metadata\": {} }");
    let broken = home.run(&["convert", "broken", "mended"]);
    let missing = home.run(&["convert", "nobody", "mended"]);
    let all = [ours, again, shared, back, same, wrong, broken, missing].map(|ended| ended.shown()).join("\n");
    filtered(|| insta::assert_snapshot!("convert", all));
    assert!(!home.path("mended").exists() && !home.path("other").exists() && !home.path("x.yaml").exists());
    let said = home.run(&["run", "bob-agent", "What does Bob like?", "--agents", "bob", "-q"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "Bob likes tea.\n"), "{}", said.stderr);
    let newer = home.run(&["convert", "bob", "newer", "--to", "tsagent-json"]);
    assert_eq!((newer.code, home.path("newer/tsagent.json").exists()), (Some(0), true), "{}", newer.stderr);
    let item = std::fs::read_to_string(home.path("older/refs/bob.mdt")).expect("the reference");
    assert!(item.contains("priorityLevel: 0\n") && item.ends_with("\nBob likes tea.\n"), "{item}");
}

#[test]
fn printed_schema_equals_the_published_schema() {
    let home = Home::new();
    let printed: Value = serde_json::from_str(&home.run(&["agents", "schema"]).stdout).expect("JSON");
    let published = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/agent.schema.json")).expect("docs");
    assert_eq!(printed, serde_json::from_slice::<Value>(&published).expect("JSON"));
}
