//! Conversations that exceed the context window of their model, from the command line.

use crate::binary::Home;
use serde_json::Value;

const PLAYBOOK: &str = r#"options: { window: 1024 }
rules:
  - say: "You said ${user}"
"#;

#[test]
fn long_conversation_continues_and_shows_its_compactions() {
    let home = Home::new();
    home.agent("listener", "settings: { control_tools: [] }\n", PLAYBOOK);
    let (server, _) = home.up(&["--port", "0", "listener"]);
    for turn in 1..=12 {
        let words = format!("number {turn}: {}", "what a long day it was ".repeat(8));
        let ended = home.run(&["run", "listener", &words, "--context", "day", "--quiet"]);
        assert_eq!(ended.code, Some(0), "{}", ended.shown());
        assert!(ended.stdout.contains(&format!("You said number {turn}: ")), "{}", ended.shown());
    }
    let shown = home.run(&["sessions", "show", "day"]);
    assert_eq!(shown.code, Some(0), "{}", shown.shown());
    let notices = shown.stdout.matches("The conversation was compacted for the model").count();
    assert!((1..12).contains(&notices), "{notices} in {}", shown.stdout);
    // The stored messages are complete, although the model's context was compacted.
    for turn in 1..=12 {
        assert!(shown.stdout.contains(&format!("You said number {turn}: ")), "{turn} in {}", shown.stdout);
    }
    let data = home.run(&["sessions", "show", "day", "--json"]);
    let data: Value = serde_json::from_str(&data.stdout).expect("JSON");
    assert!(data.to_string().contains("-compacted-"), "{data}");
    server.kill();
}
