//! Creating, changing and removing definitions, on disk and in memory.

use baton_local::{DirectoryAgents, MemoryStorage};
use baton_ports::{
    AgentEditor as _, AgentFiles, AgentPersistence, AgentRepository as _, AgentSource as _, AgentStorage as _,
};
use baton_types::{AgentChange, AgentName, ErrorCode, InclusionMode, ItemDraft, ItemKind};
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
async fn agents_are_created_changed_and_removed_in_each_storage() {
    let home = TempDir::new().unwrap();
    let memory = Arc::new(MemoryStorage::new());
    let folder = home.path().join("agents");
    let agents = DirectoryAgents::open_with(std::slice::from_ref(&folder), vec![memory.clone()], None);
    assert_eq!(agents.create(native("disk")).await.unwrap(), AgentName::from("disk"));
    let in_memory = |files: AgentFiles| agents.create_agent(files, AgentPersistence::Temporary);
    assert_eq!(in_memory(native("memory")).await.unwrap().name, AgentName::from("memory"));
    for name in ["disk", "memory"] {
        assert_eq!(rules(&agents, name), [""; 0]);
        let changed = agents.amend(&name.into(), rule("brief")).await.unwrap();
        assert!(changed.is_written && changed.file.contains(name), "{changed:?}");
        assert_eq!(rules(&agents, name), ["brief"]);
        let again = agents.amend(&name.into(), rule("brief")).await.unwrap_err();
        assert!(again.detail.contains("already"), "{again:?}");
    }
    assert_eq!(fs::read_to_string(folder.join("disk/agent.yaml")).unwrap(), "name: disk # ours\n");
    assert_eq!(memory.keys().unwrap(), ["memory"]);

    // Names are unique across storages, and an invalid definition is not stored.
    let taken = in_memory(native("disk")).await.unwrap_err();
    assert_eq!(taken.code, ErrorCode::NAME_TAKEN);
    let mut broken = native("broken");
    broken.insert("agent.yaml".to_owned(), b"name: [".to_vec());
    assert_eq!(agents.create(broken).await.unwrap_err().code, ErrorCode::AGENT_INVALID);
    let mut tool = native("tool");
    let yaml = "name: tool\ntools: [{ name: t, description: d, command: [ls] }]";
    tool.insert("agent.yaml".to_owned(), yaml.as_bytes().to_vec());
    assert!(in_memory(tool.clone()).await.unwrap_err().detail.contains("no directory"));
    assert_eq!(memory.keys().unwrap(), ["memory"]);
    agents.create(tool).await.unwrap();

    for name in ["disk", "memory", "tool"] {
        agents.remove(&name.into()).await.unwrap();
        assert_eq!(agents.remove(&name.into()).await.unwrap_err().code, ErrorCode::AGENT_NOT_FOUND);
    }
    assert_eq!(agents.agents().len(), 0);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
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
        let agents = Arc::new(DirectoryAgents::load(&[home.path().to_owned()]).unwrap());
        tokio::spawn(async move {
            for number in 0..3 {
                for agent in ["own", "single"] {
                    agents.amend(&agent.into(), rule(&format!("w{writer}n{number}"))).await.unwrap();
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
