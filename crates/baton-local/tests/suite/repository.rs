//! Creating, replacing and deleting definitions, on disk and in memory.

use baton_local::{DirectoryAgents, MemoryStorage};
use baton_ports::{
    AgentFiles, AgentLocation, AgentPersistence, AgentRepository as _, AgentSource as _, AgentStorage as _,
};
use baton_types::{AgentName, ErrorCode};
use std::{collections::BTreeMap, fs, sync::Arc};
use tempfile::TempDir;

fn native(name: &str) -> AgentFiles {
    let file = |path: &str, text: String| (path.to_owned(), text.into_bytes());
    AgentFiles::from([file("agent.yaml", format!("name: {name} # ours\n")), file("prompt.md", "Hi.".to_owned())])
}

/// Change of one file.
fn write(path: &str, text: &str) -> BTreeMap<String, Option<Vec<u8>>> {
    BTreeMap::from([(path.to_owned(), Some(text.as_bytes().to_vec()))])
}

fn rules(agents: &DirectoryAgents, agent: &str) -> Vec<String> {
    let agent = agents.agent(&agent.into()).unwrap();
    agent.knowledge.rules.iter().map(|rule| rule.name.clone()).collect()
}

#[tokio::test]
async fn agents_are_created_replaced_and_deleted_in_each_storage() {
    let home = TempDir::new().unwrap();
    let memory = Arc::new(MemoryStorage::new());
    let folder = home.path().join("agents");
    let agents = DirectoryAgents::open_with(std::slice::from_ref(&folder), vec![memory.clone()], None);
    let on_disk = |files: AgentFiles| agents.create_agent(files, AgentPersistence::Durable);
    let in_memory = |files: AgentFiles| agents.create_agent(files, AgentPersistence::Temporary);
    assert_eq!(on_disk(native("disk")).await.unwrap().name, AgentName::from("disk"));
    assert_eq!(in_memory(native("memory")).await.unwrap().name, AgentName::from("memory"));
    let shown = folder.join("disk").display().to_string();
    for (name, location, directory) in
        [("disk", AgentLocation::Disk(shown.clone()), &*shown), ("memory", AgentLocation::Memory, "memory")]
    {
        let name = AgentName::from(name);
        assert_eq!(rules(&agents, name.as_str()), [""; 0]);
        let stored = agents.stored_agent(&name).await.unwrap();
        assert_eq!((&stored.location, &*stored.directory), (&location, directory));
        let brief = write("rules/brief.md", "Be brief.");
        let replaced = agents.replace(&name, &stored.digest, brief.clone()).await.unwrap();
        assert_eq!(rules(&agents, name.as_str()), ["brief"]);
        // An outdated digest is rejected, even if there is nothing to write.
        for changes in [brief, BTreeMap::new()] {
            let outdated = agents.replace(&name, &stored.digest, changes).await.unwrap_err();
            assert_eq!(outdated.code, baton_ports::error_codes::AGENT_OUTDATED);
        }
        assert_eq!(agents.replace(&name, &replaced.digest, BTreeMap::new()).await.unwrap(), replaced);
        let outdated = agents.delete_agent(&name, Some(&stored.digest)).await.unwrap_err();
        assert_eq!(outdated.code, baton_ports::error_codes::AGENT_OUTDATED);
    }
    assert_eq!(fs::read_to_string(folder.join("disk/agent.yaml")).unwrap(), "name: disk # ours\n");
    assert_eq!(memory.keys().unwrap(), ["memory"]);

    // Names are unique across storages, and an invalid definition is not stored.
    let taken = in_memory(native("disk")).await.unwrap_err();
    assert_eq!(taken.code, baton_ports::error_codes::NAME_TAKEN);
    let mut broken = native("broken");
    broken.insert("agent.yaml".to_owned(), b"name: [".to_vec());
    assert_eq!(on_disk(broken).await.unwrap_err().code, ErrorCode::AGENT_INVALID);
    let mut tool = native("tool");
    let yaml = "name: tool\ntools: [{ name: t, description: d, command: [ls] }]";
    tool.insert("agent.yaml".to_owned(), yaml.as_bytes().to_vec());
    assert!(in_memory(tool.clone()).await.unwrap_err().detail.contains("no directory"));
    assert_eq!(memory.keys().unwrap(), ["memory"]);
    on_disk(tool).await.unwrap();

    for name in ["disk", "memory", "tool"] {
        agents.delete_agent(&name.into(), None).await.unwrap();
        let gone = agents.delete_agent(&name.into(), None).await.unwrap_err();
        assert_eq!(gone.code, ErrorCode::AGENT_NOT_FOUND);
    }
    assert_eq!(agents.agents().len(), 0);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

/// The directory in messages is the one that the file names are relative to.
#[tokio::test]
async fn stored_agent_names_its_directory() {
    let home = TempDir::new().unwrap();
    fs::write(home.path().join("single.yaml"), "metadata:\n  name: Single\n").unwrap();
    let agents = DirectoryAgents::load(&[home.path().to_owned()]).unwrap();
    let stored = agents.stored_agent(&"single".into()).await.unwrap();
    assert_eq!(stored.directory, home.path().display().to_string());
    assert_eq!(stored.location, AgentLocation::Disk(home.path().join("single.yaml").display().to_string()));
    assert_eq!(stored.files.keys().collect::<Vec<_>>(), ["single.yaml"]);
}

/// Agents that the program defines in code are neither read nor changed, and their names are taken.
#[tokio::test]
async fn reserved_names_belong_to_the_program() {
    let agents = DirectoryAgents::open_with(&[], vec![Arc::new(MemoryStorage::new())], None);
    agents.reserve_names(vec!["coded".into()]);
    let taken = agents.create_agent(native("coded"), AgentPersistence::Default).await.unwrap_err();
    assert_eq!(taken.code, baton_ports::error_codes::NAME_TAKEN);
    let stored = agents.create_agent(native("other"), AgentPersistence::Default).await.unwrap();
    let coded = AgentName::from("coded");
    for refused in [
        agents.stored_agent(&coded).await.map(drop),
        agents.replace(&coded, &stored.digest, BTreeMap::new()).await.map(drop),
        agents.delete_agent(&coded, None).await.map(drop),
    ] {
        let refused = refused.unwrap_err();
        assert_eq!(refused.code, baton_agentdir::error_codes::AGENT_NOT_CHANGED);
        assert_eq!(refused.detail, "the agent 'coded' is part of the program that serves it");
    }
}
