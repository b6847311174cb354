//! Changes of single values by concurrent writers, on disk and in memory.

use baton_agentdir::error_codes;
use baton_local::{DirectoryAgents, MemoryStorage};
use baton_manage::Manager;
use baton_ports::{AgentFiles, AgentPersistence, AgentRepository as _, AgentSource as _};
use baton_types::{AgentChange, InclusionMode, ItemDraft, ItemKind};
use futures_util::future::join_all;
use std::{fs, sync::Arc};
use tempfile::TempDir;

fn native(name: &str) -> AgentFiles {
    let file = |path: &str, text: String| (path.to_owned(), text.into_bytes());
    AgentFiles::from([file("agent.yaml", format!("name: {name} # ours\n")), file("prompt.md", "Hi.".to_owned())])
}

fn rule(name: &str) -> AgentChange {
    let item = ItemDraft {
        name: name.to_owned(),
        text: Some(format!("The text of {name}.")),
        include: Some(InclusionMode::Always),
        ..ItemDraft::default()
    };
    AgentChange::Create { kind: ItemKind::Rule, item }
}

fn rules(agents: &DirectoryAgents, agent: &str) -> Vec<String> {
    let agent = agents.agent(&agent.into()).unwrap();
    agent.knowledge.rules.iter().map(|rule| rule.name.clone()).collect()
}

#[tokio::test]
async fn change_is_written_to_the_storage_of_the_agent() {
    let home = TempDir::new().unwrap();
    let folder = home.path().join("agents");
    let storage = Arc::new(MemoryStorage::new());
    let agents = Arc::new(DirectoryAgents::open_with(std::slice::from_ref(&folder), vec![storage], None));
    let manager = Manager::new(agents.clone());
    for (name, persistence, file) in [
        ("disk", AgentPersistence::Durable, folder.join("disk/rules/brief.md").display().to_string()),
        ("memory", AgentPersistence::Temporary, "memory/rules/brief.md".to_owned()),
    ] {
        agents.create_agent(native(name), persistence).await.unwrap();
        let changed = manager.amend(&name.into(), &rule("brief")).await.unwrap();
        assert_eq!((changed.is_written, &*changed.file), (true, &*file));
        assert_eq!(rules(&agents, name), ["brief"]);
        let again = manager.amend(&name.into(), &rule("brief")).await.unwrap_err();
        assert_eq!(again.code, error_codes::AGENT_NOT_CHANGED);
        assert!(again.detail.contains("already"), "{again:?}");
    }
    assert_eq!(fs::read_to_string(folder.join("disk/agent.yaml")).unwrap(), "name: disk # ours\n");
}

/// An edit that another program made is served, even if the same change has nothing left to write.
#[tokio::test]
async fn change_that_is_already_on_disk_is_served() {
    let home = TempDir::new().unwrap();
    for (path, bytes) in native("disk") {
        fs::write(home.path().join(path), bytes).unwrap();
    }
    let agents = Arc::new(DirectoryAgents::load(&[home.path().to_owned()]).unwrap());
    fs::write(home.path().join("prompt.md"), "Hello.").unwrap();
    let same = AgentChange::Prompt("Hello.".to_owned());
    let changed = Manager::new(agents.clone()).amend(&"disk".into(), &same).await.unwrap();
    assert!(!changed.is_written, "{changed:?}");
    assert_eq!(agents.agent(&"disk".into()).unwrap().prompt, "Hello.");
}

/// Agents of both formats are changed in place by concurrent writers that share only the directory.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn teamspark_30_concurrent_changes_of_one_agent_are_all_kept() {
    let home = TempDir::new().unwrap();
    fs::create_dir(home.path().join("own")).unwrap();
    for (path, bytes) in native("own") {
        fs::write(home.path().join("own").join(path), bytes).unwrap();
    }
    let single = "# Kept.\nmetadata:\n  name: Single\nunknown: kept # too\n";
    fs::write(home.path().join("single.yaml"), single).unwrap();
    let writers = (0..4).map(|writer| {
        let manager = Manager::new(Arc::new(DirectoryAgents::load(&[home.path().to_owned()]).unwrap()));
        tokio::spawn(async move {
            for number in 0..3 {
                for agent in ["own", "single"] {
                    manager.amend(&agent.into(), &rule(&format!("w{writer}n{number}"))).await.unwrap();
                }
            }
        })
    });
    for ended in join_all(writers).await {
        ended.unwrap();
    }
    let agents = DirectoryAgents::load(&[home.path().to_owned()]).unwrap();
    let all: Vec<String> = (0..4).flat_map(|writer| (0..3).map(move |number| format!("w{writer}n{number}"))).collect();
    assert_eq!((rules(&agents, "own"), rules(&agents, "single")), (all.clone(), all));
    let kept = fs::read_to_string(home.path().join("single.yaml")).unwrap();
    assert!(kept.starts_with(single), "{kept}");
}
