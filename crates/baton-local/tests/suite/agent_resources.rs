//! Resources of agent directories and the detection of changes.

use baton_local::DirectoryAgents;
use baton_ports::AgentSource;
use baton_types::{AgentResources, AgentSpec};
use futures_util::{FutureExt, StreamExt};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tempfile::TempDir;

fn agent(home: &TempDir, name: &str) -> PathBuf {
    let path = home.path().join(name);
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("agent.yaml"), format!("name: {name}\n")).unwrap();
    fs::write(path.join("prompt.md"), "You are a test.").unwrap();
    path
}

fn write(directory: &Path, file: &str, text: impl AsRef<[u8]>) {
    let path = directory.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Makes the files old enough for their stamps to be trusted.
fn settle(directory: &Path) {
    for entry in fs::read_dir(directory).unwrap().flatten() {
        if entry.path().is_dir() {
            settle(&entry.path());
        } else {
            let file = fs::File::options().write(true).open(entry.path()).unwrap();
            file.set_modified(std::time::UNIX_EPOCH + Duration::from_secs(1_000_000_000)).unwrap();
        }
    }
}

fn servers(kit: &AgentResources) -> Vec<&str> {
    kit.servers.iter().map(|server| server.name.as_str()).collect()
}

fn references(agent: &AgentSpec) -> Vec<&str> {
    agent.knowledge.references.iter().map(|reference| reference.name.as_str()).collect()
}

#[test]
fn servers_and_references_come_from_files() {
    let home = TempDir::new().unwrap();
    let path = agent(&home, "a");
    write(&path, "mcp.json", r#"{"mcpServers": {"files": {"command": "files"}}}"#);
    write(&path, ".mcp.json", r#"{"servers": {"web": {"url": "https://example.com/mcp"}, "files": {"command": "x"}}}"#);
    write(&path, "tspark.json", r#"{"mcpServers": {"old": {"url": "http://localhost/sse"}}}"#);
    write(&path, "references/guide.md", "# The guide\n");
    write(&path, "references/deeper/no.md", "no");
    write(&path, "references/picture.png", "no");
    write(&path, "refs/limits.mdt", "---\nname: limits\n---\ntext");
    write(&path, "references/huge.txt", vec![b'x'; (1 << 20) + 1]);
    #[cfg(unix)]
    {
        write(home.path(), "secret.md", "secret");
        std::os::unix::fs::symlink("../../secret.md", path.join("references/link.md")).unwrap();
        std::os::unix::fs::symlink("guide.md", path.join("references/inside.md")).unwrap();
    }
    let agents = DirectoryAgents::load(std::slice::from_ref(&path)).unwrap();
    let kit = agents.agent_resources(&"a".into());
    assert_eq!(servers(&kit), ["files", "web", "old"]);
    #[cfg(unix)]
    assert_eq!(references(&agents.agent(&"a".into()).unwrap()), ["guide", "inside", "limits"]);
    let remarks: Vec<String> = agents.warnings().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(remarks.join("\n").replace(&home.path().display().to_string(), "HOME"));
    assert_eq!(*agents.agent_resources(&"nobody".into()), AgentResources::default());
}

#[tokio::test(start_paused = true)]
async fn refresh_reads_changed_files_and_notifies_subscribers() {
    let home = TempDir::new().unwrap();
    let path = agent(&home, "a");
    agent(&home, "b");
    let read = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&read);
    let check = Arc::new(move |_: &baton_types::AgentSpec| {
        counted.fetch_add(1, Ordering::SeqCst);
        Vec::new()
    });
    settle(home.path());
    let agents = DirectoryAgents::load_checked(&[home.path().to_owned()], check).unwrap();
    let mut changes = agents.changes();
    let reads = || read.swap(0, Ordering::SeqCst);
    let second = || tokio::time::advance(Duration::from_secs(1));
    assert_eq!(reads(), 2);

    assert_eq!(agents.refresh().await, []);
    assert_eq!((reads(), changes.next().now_or_never()), (0, None));

    // The minimum interval between two scans has not passed.
    write(&path, "mcp.json", r#"{"mcpServers": {"files": {"command": "files"}}}"#);
    agents.refresh().await;
    assert_eq!(servers(&agents.agent_resources(&"a".into())), [""; 0]);

    second().await;
    assert_eq!(agents.refresh().await, []);
    assert_eq!((reads(), changes.next().now_or_never()), (1, Some(Some(()))));
    assert_eq!(servers(&agents.agent_resources(&"a".into())), ["files"]);

    // Only the modification time changed: no notification.
    settle(home.path());
    second().await;
    agents.refresh().await;
    assert_eq!((reads(), changes.next().now_or_never()), (0, None));

    // Same length, and a second change shortly after.
    write(&path, "prompt.md", "You are a TEST.");
    second().await;
    agents.refresh().await;
    assert_eq!((reads(), changes.next().now_or_never()), (1, Some(Some(()))));
    write(&path, "prompt.md", "You are a text.");
    second().await;
    agents.refresh().await;
    assert_eq!(agents.agent(&"a".into()).unwrap().prompt, "You are a text.");
    assert_eq!((reads(), changes.next().now_or_never()), (1, Some(Some(()))));

    // A broken edit is reported, the last valid version stays, and there is no second change notification.
    write(&path, "agent.yaml", "name: [");
    second().await;
    let unusable = agents.refresh().await;
    assert_eq!(unusable.len(), 1);
    assert_eq!(unusable[0].entry, path.display().to_string());
    assert!(unusable[0].reason.contains("agent.yaml:1:"), "{unusable:?}");
    assert_eq!(agents.refresh().await, unusable);
    assert_eq!((changes.next().now_or_never(), servers(&agents.agent_resources(&"a".into()))), (None, vec!["files"]));

    // A broken file of servers does not remove the agent: its servers disappear until the file is valid again.
    write(&path, "agent.yaml", "name: a");
    write(&path, "mcp.json", "{");
    second().await;
    assert_eq!(agents.refresh().await, []);
    assert_eq!(servers(&agents.agent_resources(&"a".into())), [""; 0]);
    assert_eq!(changes.next().now_or_never(), Some(Some(())));

    fs::remove_dir_all(&path).unwrap();
    second().await;
    agents.refresh().await;
    assert_eq!(changes.next().now_or_never(), Some(Some(())));
    assert!(agents.agent(&"a".into()).is_none());
    drop(agents);
    assert_eq!(changes.next().now_or_never(), Some(None));
}
