//! Two processes that change one agent concurrently.

use baton_local::DirectoryAgents;
use baton_manage::Manager;
use baton_ports::AgentSource as _;
use baton_types::{AgentChange, ItemDraft, ItemKind};
use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
};

const FOLDER: &str = "BATON_TEST_EDITING_FOLDER";
const WRITER: &str = "BATON_TEST_EDITING_WHO";
const EDITS: usize = 20;

fn rules_of(writer: &str) -> impl Iterator<Item = String> {
    (0..EDITS).map(move |number| format!("{writer}-{number}"))
}

/// One of the processes: this test, restarted, writes its rules on a signal.
#[tokio::test]
async fn child() {
    let (Ok(folder), Ok(writer)) = (std::env::var(FOLDER), std::env::var(WRITER)) else { return };
    let manager = Manager::new(Arc::new(DirectoryAgents::load(&[folder.into()]).unwrap()));
    println!("ready");
    std::io::stdin().lock().read_line(&mut String::new()).unwrap();
    for name in rules_of(&writer) {
        let item = ItemDraft { name: name.clone(), text: Some(format!("Rule {name}.")), ..ItemDraft::default() };
        manager.amend(&"a".into(), &AgentChange::Create { kind: ItemKind::Rule, item }).await.unwrap();
    }
}

#[expect(clippy::disallowed_methods, reason = "the other one has to be a process")]
fn spawn(folder: &Path, writer: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["two_processes::child", "--exact", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .env(WRITER, writer)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn teamspark_30_changes_of_two_processes_are_all_kept() {
    let home = tempfile::tempdir().unwrap();
    // All rules are in this single file.
    let yaml = "# Kept.\nmetadata:\n  name: A # too\nrules:\n  - name: first\n    text: The first.\n";
    fs::write(home.path().join("a.yaml"), yaml).unwrap();
    let mut children = ["one", "two"].map(|writer| spawn(home.path(), writer));
    let mut outputs = Vec::new();
    for child in &mut children {
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.by_ref().map_while(Result::ok).any(|line| line.ends_with("ready")));
        outputs.push(lines);
    }
    for child in &mut children {
        child.stdin.take().unwrap().write_all(b"go\n").unwrap();
    }
    for (mut child, lines) in children.into_iter().zip(outputs) {
        let said: Vec<String> = lines.map_while(Result::ok).collect();
        assert!(child.wait().unwrap().success(), "{said:?}");
    }
    let agents = DirectoryAgents::load(&[home.path().to_owned()]).unwrap();
    let agent = agents.agent(&"a".into()).unwrap();
    let found: BTreeSet<&str> = agent.knowledge.rules.iter().map(|rule| rule.name.as_str()).collect();
    let expect: BTreeSet<String> = rules_of("one").chain(rules_of("two")).chain(["first".to_owned()]).collect();
    assert_eq!(found, expect.iter().map(String::as_str).collect());
    assert!(fs::read_to_string(home.path().join("a.yaml")).unwrap().starts_with(yaml));
}
