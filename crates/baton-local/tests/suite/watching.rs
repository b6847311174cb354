//! Automatic detection of changes.

use baton_local::DirectoryAgents;
use baton_ports::AgentSource;
use futures_util::{FutureExt as _, StreamExt as _};
use std::{fs, sync::Arc};
use tempfile::TempDir;

#[tokio::test(start_paused = true)]
async fn changes_are_detected_and_a_broken_file_keeps_the_last_version() {
    let home = TempDir::new().unwrap();
    let path = home.path().join("a");
    fs::create_dir(&path).unwrap();
    fs::write(path.join("agent.yaml"), "name: a").unwrap();
    fs::write(path.join("prompt.md"), "first").unwrap();
    let agents = Arc::new(DirectoryAgents::load(&[home.path().to_owned()]).unwrap());
    let prompt = || agents.agent(&"a".into()).unwrap().prompt.clone();
    let watched = Arc::clone(&agents);
    let watching = tokio::spawn(async move { watched.watch().await });
    let mut changes = agents.changes();

    fs::write(path.join("prompt.md"), "second").unwrap();
    changes.next().await.unwrap();
    assert_eq!(prompt(), "second");

    fs::write(path.join("agent.yaml"), "name: [").unwrap();
    fs::create_dir(home.path().join("b")).unwrap();
    fs::write(home.path().join("b/prompt.md"), "another").unwrap();
    fs::write(home.path().join("b/agent.yaml"), "name: b").unwrap();
    changes.next().await.unwrap();
    assert!(agents.agent(&"b".into()).is_some());
    // The broken agent may have been scanned earlier or later, and is served in its last version in any case.
    agents.reload();
    assert_eq!((prompt(), agents.unusable().len()), ("second".to_owned(), 1));

    fs::write(path.join("agent.yaml"), "name: a").unwrap();
    fs::write(path.join("prompt.md"), "third").unwrap();
    while prompt() != "third" {
        changes.next().await.unwrap();
    }
    agents.reload();
    assert_eq!(agents.unusable(), []);
    assert_eq!(changes.next().now_or_never(), None);
    watching.abort();
}
