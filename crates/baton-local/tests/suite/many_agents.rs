//! A large number of agents in one folder.

use baton_local::DirectoryAgents;
use baton_ports::{AgentSource, UnusableEntry};
use std::{fs, time::Instant};
use tempfile::TempDir;

const AGENT_COUNT: usize = 1000;

#[test]
fn invalid_agent_among_a_thousand_is_reported() {
    let home = TempDir::new().unwrap();
    for number in 0..AGENT_COUNT {
        let path = home.path().join(format!("agent-{number:05}"));
        fs::create_dir_all(path.join("rules")).unwrap();
        let yaml = format!("name: agent-{number:05}\ndescription: One of many.\n");
        fs::write(path.join("agent.yaml"), if number == 500 { "name: [".to_owned() } else { yaml }).unwrap();
        fs::write(path.join("prompt.md"), "You are one of many.").unwrap();
        fs::write(path.join("rules/brief.md"), "Be brief.").unwrap();
    }
    let paths = [home.path().to_owned()];
    let begun = Instant::now();
    let agents = DirectoryAgents::open(&paths, None);
    println!("{AGENT_COUNT} agents after {:?}", begun.elapsed());
    assert_eq!(agents.listings().len(), AGENT_COUNT - 1);
    // Only a limited number of definitions is in memory.
    assert!(agents.loaded() <= 256, "{}", agents.loaded());
    let entries = |unusable: Vec<UnusableEntry>| -> Vec<String> { unusable.into_iter().map(|it| it.entry).collect() };
    let broken = home.path().join("agent-00500").display().to_string();
    assert_eq!(entries(agents.unusable()), [broken]);
    assert_eq!(agents.agent(&"agent-00999".into()).unwrap().knowledge.rules[0].text, "Be brief.");
    fs::write(home.path().join("agent-00500/agent.yaml"), "name: agent-00500").unwrap();
    fs::write(home.path().join("agent-00001/rules/brief.md"), "Be long.").unwrap();
    let begun = Instant::now();
    let reload = agents.reload();
    println!("looked again after {:?}", begun.elapsed());
    assert_eq!(reload.changed, ["agent-00001".into(), "agent-00500".into()]);
    assert_eq!((agents.agents().len(), entries(agents.unusable()).len()), (AGENT_COUNT, 0));
    // Iterating over all agents keeps the limit, and a reloaded definition is unchanged.
    for listing in agents.listings() {
        let agent = agents.agent(&listing.name).unwrap();
        assert_eq!((&agent.name, &agent.title), (&listing.name, &listing.title));
    }
    assert!(agents.loaded() <= 256, "{}", agents.loaded());
    // An agent that was evicted from memory is served in its last version when its file becomes invalid.
    fs::write(home.path().join("agent-00002/agent.yaml"), "name: [").unwrap();
    assert_eq!((agents.reload().changed.len(), agents.unusable().len()), (0, 1));
    assert_eq!(agents.agent(&"agent-00002".into()).unwrap().description, "One of many.");
}
