//! Agents of foreign formats keep their names across restarts, whatever other agents are added or removed.

use baton_local::{AdditionalSources, DirectoryAgents, LoadError};
use baton_ports::AgentSource as _;
use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::Arc,
};
use tempfile::TempDir;

/// A folder of agents next to a data directory.
struct World(TempDir);

impl World {
    fn new() -> Self {
        let home = TempDir::new().unwrap();
        for folder in ["agents", "data"] {
            fs::create_dir(home.path().join(folder)).unwrap();
        }
        Self(home)
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    fn agent(&self, file: &str) {
        self.titled(file, "X");
    }

    fn titled(&self, file: &str, title: &str) {
        fs::write(self.path(file), format!("metadata:\n  name: {title}\nsystemPrompt: {file}\n")).unwrap();
    }

    fn load(&self) -> Result<DirectoryAgents, LoadError> {
        let beside = AdditionalSources { names: Some(self.path("data/names.json")), ..AdditionalSources::default() };
        let agents = DirectoryAgents::load_with_sources(&[self.path("agents")], beside, Arc::new(|_| Vec::new()))?;
        agents.persist_names();
        Ok(agents)
    }

    /// Served agents after a start, with their files.
    fn started(&self) -> Vec<(String, String)> {
        served(&self.load().unwrap())
    }
}

fn served(agents: &DirectoryAgents) -> Vec<(String, String)> {
    let file = |prompt: &str| Path::new(prompt).file_stem().unwrap().to_str().unwrap().to_owned();
    agents.agents().iter().map(|agent| (agent.name.to_string(), file(&agent.prompt))).collect()
}

fn expect<const N: usize>(pairs: [(&str, &str); N]) -> Vec<(String, String)> {
    pairs.map(|(name, file)| (name.to_owned(), file.to_owned())).to_vec()
}

#[test]
fn teamspark_17_names_are_stable_across_restarts() {
    let world = World::new();
    for file in ["agents/b.yaml", "agents/c.yaml", "agents/d.yaml"] {
        world.agent(file);
    }
    let first = expect([("x", "b"), ("x-1", "c"), ("x-2", "d")]);
    assert_eq!(world.started(), first);
    // A new agent that is first in the folder gets the next number.
    world.agent("agents/a.yaml");
    assert_eq!(world.started(), [first.clone(), expect([("x-3", "a")])].concat());
    fs::remove_file(world.path("agents/a.yaml")).unwrap();
    // The agent without a number is removed: no other agent is renumbered, and a new one may take its name.
    fs::remove_file(world.path("agents/b.yaml")).unwrap();
    assert_eq!(world.started(), expect([("x-1", "c"), ("x-2", "d")]));
    world.agent("agents/e.yaml");
    assert_eq!(world.started(), expect([("x", "e"), ("x-1", "c"), ("x-2", "d")]));
    // A numbered agent is removed: its number is not reused, and it gets it back when it returns.
    fs::remove_file(world.path("agents/c.yaml")).unwrap();
    world.agent("agents/f.yaml");
    assert_eq!(world.started(), expect([("x", "e"), ("x-2", "d"), ("x-4", "f")]));
    world.agent("agents/c.yaml");
    assert_eq!(world.started(), expect([("x", "e"), ("x-1", "c"), ("x-2", "d"), ("x-4", "f")]));
}

#[test]
fn name_of_an_agent_broken_at_startup_is_reserved() {
    let world = World::new();
    // Directories keep their format while their files are broken.
    for directory in ["agents/a", "agents/b"] {
        fs::create_dir(world.path(directory)).unwrap();
        world.agent(&format!("{directory}/tsagent.yaml"));
    }
    world.load().unwrap();
    fs::write(world.path("agents/a/tsagent.yaml"), "metadata: [").unwrap();
    fs::create_dir(world.path("agents/c")).unwrap();
    world.agent("agents/c/tsagent.yaml");
    let agents = world.load().unwrap();
    let names = |agents: &DirectoryAgents| agents.listings().iter().map(|one| one.name.to_string()).collect::<Vec<_>>();
    assert_eq!((names(&agents), agents.unusable().len()), (vec!["x-1".to_owned(), "x-2".to_owned()], 1));
    world.agent("agents/a/tsagent.yaml");
    agents.reload();
    assert_eq!(names(&agents), ["x", "x-1", "x-2"]);
    assert_eq!(agents.agent(&"x".into()).unwrap().prompt, "agents/a/tsagent.yaml");
}

#[test]
fn names_move_with_the_folder_and_yield_to_native_agents() {
    let mut world = World::new();
    for file in ["agents/a.yaml", "agents/b.yaml"] {
        world.agent(file);
    }
    world.load().unwrap();
    fs::remove_file(world.path("agents/a.yaml")).unwrap();
    let elsewhere = World::new();
    for folder in ["agents", "data"] {
        fs::remove_dir(elsewhere.path(folder)).unwrap();
        fs::rename(world.path(folder), elsewhere.path(folder)).unwrap();
    }
    world = elsewhere;
    assert_eq!(world.started(), expect([("x-1", "b")]));
    // A native agent has only its configured name, and requests for that name mean it.
    fs::create_dir(world.path("agents/own")).unwrap();
    fs::write(world.path("agents/own/agent.yaml"), "name: x-1").unwrap();
    fs::write(world.path("agents/own/prompt.md"), "own").unwrap();
    assert_eq!(world.started(), expect([("x", "b"), ("x-1", "own")]));
}

#[test]
fn agents_are_identified_by_file_across_folder_moves() {
    let world = World::new();
    fs::remove_dir(world.path("agents")).unwrap();
    for release in ["one", "two"] {
        fs::create_dir(world.path(release)).unwrap();
    }
    for file in ["one/a.yaml", "one/b.yaml", "two/b.yaml", "two/c.yaml"] {
        world.agent(file);
    }
    symlink("one", world.path("agents")).unwrap();
    assert_eq!(world.started(), expect([("x", "a"), ("x-1", "b")]));
    // The old folder still exists but is not served.
    fs::remove_file(world.path("agents")).unwrap();
    symlink("two", world.path("agents")).unwrap();
    assert_eq!(world.started(), expect([("x", "c"), ("x-1", "b")]));
    fs::remove_file(world.path("agents")).unwrap();
    fs::rename(world.path("two"), world.path("agents")).unwrap();
    assert_eq!(world.started(), expect([("x", "c"), ("x-1", "b")]));
    // A file with another name is another agent.
    fs::remove_file(world.path("agents/b.yaml")).unwrap();
    world.agent("agents/d.yaml");
    assert_eq!(world.started(), expect([("x", "c"), ("x-2", "d")]));
}

#[test]
fn number_of_a_renamed_agent_stays_reserved() {
    let world = World::new();
    for file in ["agents/a.yaml", "agents/b.yaml"] {
        world.agent(file);
    }
    world.load().unwrap();
    world.titled("agents/b.yaml", "Y");
    world.agent("agents/c.yaml");
    assert_eq!(world.started(), expect([("x", "a"), ("x-2", "c"), ("y", "b")]));
    // With its former title the agent has its former name again.
    world.agent("agents/b.yaml");
    assert_eq!(world.started(), expect([("x", "a"), ("x-1", "b"), ("x-2", "c")]));
    // A name without a number belongs to the agents with that title: it is free if none has it.
    world.titled("agents/a.yaml", "Z");
    world.agent("agents/d.yaml");
    assert_eq!(world.started(), expect([("x", "d"), ("x-1", "b"), ("x-2", "c"), ("z", "a")]));
}

#[test]
fn agent_converted_to_native_takes_its_configured_name() {
    let world = World::new();
    for directory in ["agents/a", "agents/b"] {
        fs::create_dir(world.path(directory)).unwrap();
        world.agent(&format!("{directory}/tsagent.yaml"));
    }
    world.load().unwrap();
    fs::remove_dir_all(world.path("agents/a")).unwrap();
    fs::remove_file(world.path("agents/b/tsagent.yaml")).unwrap();
    fs::write(world.path("agents/b/agent.yaml"), "name: x").unwrap();
    fs::write(world.path("agents/b/prompt.md"), "own").unwrap();
    assert_eq!(world.started(), expect([("x", "own")]));
}

#[test]
fn names_assigned_by_another_process_are_kept() {
    let world = World::new();
    world.agent("agents/a.yaml");
    let first = world.load().unwrap();
    // The second instance has read the file and waits for the lock of the directory.
    let beside = AdditionalSources { names: Some(world.path("data/names.json")), ..AdditionalSources::default() };
    let second = DirectoryAgents::load_with_sources(&[world.path("agents")], beside, Arc::new(|_| Vec::new())).unwrap();
    world.agent("agents/b.yaml");
    first.reload();
    assert_eq!(served(&first), expect([("x", "a"), ("x-1", "b")]));
    fs::remove_file(world.path("agents/b.yaml")).unwrap();
    second.persist_names();
    world.agent("agents/c.yaml");
    second.reload();
    assert_eq!(served(&second), expect([("x", "a"), ("x-2", "c")]));
}

#[test]
fn native_names_alone_create_no_name_list() {
    let world = World::new();
    fs::create_dir(world.path("agents/own")).unwrap();
    fs::write(world.path("agents/own/agent.yaml"), "name: own").unwrap();
    fs::write(world.path("agents/own/prompt.md"), "own").unwrap();
    assert_eq!(world.started(), expect([("own", "own")]));
    assert!(!world.path("data/names.json").exists());
}

#[test]
fn invalid_name_list_is_reported_and_left_unchanged() {
    let world = World::new();
    world.agent("agents/a.yaml");
    fs::write(world.path("data/names.json"), "{\"agents\": 7}").unwrap();
    let error = world.load().unwrap_err();
    let text = error.to_string().replace(&world.0.path().display().to_string(), "HOME");
    insta::assert_snapshot!(format!("{} {text}", error.code().code), @"BTN-5001 HOME/data/names.json is not a valid list of agent names: invalid type: integer `7`, expected a sequence at line 1 column 12; fix it, or delete it to have names assigned again");
    let beside = AdditionalSources { names: Some(world.path("data/names.json")), ..AdditionalSources::default() };
    assert!(DirectoryAgents::open_with_sources(&[world.path("agents")], beside, None).is_err());
    assert_eq!(fs::read_to_string(world.path("data/names.json")).unwrap(), "{\"agents\": 7}");
}
