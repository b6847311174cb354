//! Agents of foreign forms keep their names over restarts, whoever comes and goes.

use baton_local::{AdditionalSources, DirectoryAgents, LoadError};
use baton_ports::AgentSource as _;
use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::Arc,
};
use tempfile::TempDir;

/// A folder of agents beside a data directory.
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

    /// Who is served after a start, and where it is kept.
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
fn teamspark_17_a_name_stays_with_its_agent_over_restarts() {
    let world = World::new();
    for file in ["agents/b.yaml", "agents/c.yaml", "agents/d.yaml"] {
        world.agent(file);
    }
    let first = expect([("x", "b"), ("x-1", "c"), ("x-2", "d")]);
    assert_eq!(world.started(), first);
    // One that comes first in the folder is still a newcomer.
    world.agent("agents/a.yaml");
    assert_eq!(world.started(), [first.clone(), expect([("x-3", "a")])].concat());
    fs::remove_file(world.path("agents/a.yaml")).unwrap();
    // The one without a number goes: nobody moves up, and a newcomer may say its name.
    fs::remove_file(world.path("agents/b.yaml")).unwrap();
    assert_eq!(world.started(), expect([("x-1", "c"), ("x-2", "d")]));
    world.agent("agents/e.yaml");
    assert_eq!(world.started(), expect([("x", "e"), ("x-1", "c"), ("x-2", "d")]));
    // One with a number goes: the number is not given to another, and is its own when it is back.
    fs::remove_file(world.path("agents/c.yaml")).unwrap();
    world.agent("agents/f.yaml");
    assert_eq!(world.started(), expect([("x", "e"), ("x-2", "d"), ("x-4", "f")]));
    world.agent("agents/c.yaml");
    assert_eq!(world.started(), expect([("x", "e"), ("x-1", "c"), ("x-2", "d"), ("x-4", "f")]));
}

#[test]
fn the_name_of_an_agent_that_is_broken_at_the_start_is_kept_for_it() {
    let world = World::new();
    // Directories: they say what they are whatever their files say.
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
fn names_move_with_the_folder_and_yield_only_to_our_own_form() {
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
    // It can have no other name, and whoever asks for it means it.
    fs::create_dir(world.path("agents/own")).unwrap();
    fs::write(world.path("agents/own/agent.yaml"), "name: x-1").unwrap();
    fs::write(world.path("agents/own/prompt.md"), "own").unwrap();
    assert_eq!(world.started(), expect([("x", "b"), ("x-1", "own")]));
}

#[test]
fn agents_of_a_folder_that_is_moved_or_replaced_are_known_by_their_files() {
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
    // The old folder is still there, only nobody serves it.
    fs::remove_file(world.path("agents")).unwrap();
    symlink("two", world.path("agents")).unwrap();
    assert_eq!(world.started(), expect([("x", "c"), ("x-1", "b")]));
    fs::remove_file(world.path("agents")).unwrap();
    fs::rename(world.path("two"), world.path("agents")).unwrap();
    assert_eq!(world.started(), expect([("x", "c"), ("x-1", "b")]));
    // A file by another name is another agent.
    fs::remove_file(world.path("agents/b.yaml")).unwrap();
    world.agent("agents/d.yaml");
    assert_eq!(world.started(), expect([("x", "c"), ("x-2", "d")]));
}

#[test]
fn a_number_is_not_free_when_its_agent_is_called_otherwise() {
    let world = World::new();
    for file in ["agents/a.yaml", "agents/b.yaml"] {
        world.agent(file);
    }
    world.load().unwrap();
    world.titled("agents/b.yaml", "Y");
    world.agent("agents/c.yaml");
    assert_eq!(world.started(), expect([("x", "a"), ("x-2", "c"), ("y", "b")]));
    // As it was called before, it has its name again.
    world.agent("agents/b.yaml");
    assert_eq!(world.started(), expect([("x", "a"), ("x-1", "b"), ("x-2", "c")]));
    // A name without a number is what files say: it is free when nobody says it.
    world.titled("agents/a.yaml", "Z");
    world.agent("agents/d.yaml");
    assert_eq!(world.started(), expect([("x", "d"), ("x-1", "b"), ("x-2", "c"), ("z", "a")]));
}

#[test]
fn an_agent_that_becomes_one_of_our_own_form_has_the_name_that_its_file_says() {
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
fn names_that_were_given_while_another_process_ended_are_not_lost() {
    let world = World::new();
    world.agent("agents/a.yaml");
    let first = world.load().unwrap();
    // It has read the file, and waits until the directory is its own.
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
fn where_everybody_has_the_name_that_its_file_says_nothing_is_written_down() {
    let world = World::new();
    fs::create_dir(world.path("agents/own")).unwrap();
    fs::write(world.path("agents/own/agent.yaml"), "name: own").unwrap();
    fs::write(world.path("agents/own/prompt.md"), "own").unwrap();
    assert_eq!(world.started(), expect([("own", "own")]));
    assert!(!world.path("data/names.json").exists());
}

#[test]
fn a_list_of_names_that_makes_no_sense_is_told_and_left_alone() {
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
