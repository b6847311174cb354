//! Agents in foreign formats, next to native ones.

use baton_local::DirectoryAgents;
use baton_ports::AgentSource;
use std::{fs, path::Path};
use tempfile::TempDir;

fn write(home: &Path, file: &str, text: impl AsRef<[u8]>) {
    let path = home.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn single(name: &str, prompt: &str) -> String {
    format!("metadata:\n  name: {name}\nsystemPrompt: {prompt}\n")
}

/// Name and prompt of each agent.
fn all(agents: &DirectoryAgents) -> Vec<(String, String)> {
    agents.agents().iter().map(|agent| (agent.name.to_string(), agent.prompt.clone())).collect()
}

fn pairs<const N: usize>(pairs: [(&str, &str); N]) -> Vec<(String, String)> {
    pairs.map(|(name, prompt)| (name.to_owned(), prompt.to_owned())).to_vec()
}

#[test]
fn each_format_is_found_in_a_folder_and_by_path() {
    let home = TempDir::new().unwrap();
    let path = |file: &str| home.path().join(file);
    write(home.path(), "native/agent.yaml", "name: native");
    write(home.path(), "native/prompt.md", "Native.");
    write(home.path(), "first/tspark.json", r#"{"metadata": {"name": "First"}}"#);
    write(home.path(), "first/prompt.md", "First.");
    write(home.path(), "first/rules/polite.mdt", "---\nname: polite\n---\nBe polite.");
    write(home.path(), "second/tsagent.json", r#"{"metadata": {"name": "Second"}}"#);
    write(home.path(), "second/prompt.md", "Second.");
    write(home.path(), "third/tsagent.yaml", single("Third", "Third."));
    write(home.path(), "bob.yaml", single("Bob Agent", "Bob."));
    // Files with stored vectors are large.
    let vectors = format!("rules:\n- name: r\n  text: t\n  embeddings:\n{}", "  - [0.25, 0.5]\n".repeat(100_000));
    write(home.path(), "big.yml", single("Big", "Big.") + &vectors);
    // These files are not agents.
    write(home.path(), "settings.yaml", "port: 1");
    write(home.path(), "deployment.yaml", "apiVersion: v1\nmetadata:\n  name: web\n");
    write(home.path(), "notes/readme.md", "no");
    let agents = DirectoryAgents::load(&[home.path().to_owned()]).unwrap();
    let expect = [("big", "Big."), ("bob-agent", "Bob."), ("first", "First."), ("native", "Native.")];
    assert_eq!(
        all(&agents),
        pairs([expect[0], expect[1], expect[2], expect[3], ("second", "Second."), ("third", "Third.")])
    );
    assert_eq!(agents.agent(&"first".into()).unwrap().knowledge.rules[0].text, "Be polite.");
    for (given, expect) in [
        ("bob.yaml", ("bob-agent", "Bob.")),
        ("third/tsagent.yaml", ("third", "Third.")),
        ("third", ("third", "Third.")),
        ("first/tspark.json", ("first", "First.")),
        ("second", ("second", "Second.")),
    ] {
        assert_eq!(all(&DirectoryAgents::load(&[path(given)]).unwrap()), pairs([expect]), "{given}");
    }
    for given in ["settings.yaml", "deployment.yaml", "notes"] {
        assert!(DirectoryAgents::load(&[path(given)]).is_err(), "{given}");
    }
    // An agent file that becomes invalid is reported, and its last version is still served.
    fs::write(path("bob.yaml"), "metadata").unwrap();
    let reload = agents.reload();
    assert_eq!((reload.changed, reload.unusable.len()), (Vec::new(), 1));
    assert_eq!(reload.unusable[0].entry, path("bob.yaml").display().to_string());
    assert_eq!(agents.agent(&"bob-agent".into()).unwrap().prompt, "Bob.");
}

#[test]
fn teamspark_17_agents_of_the_same_name_get_stable_numbers() {
    let home = TempDir::new().unwrap();
    for (file, name) in [("a.yaml", "X"), ("b.yaml", "X"), ("c.yaml", "X 1"), ("d.yaml", "X")] {
        write(home.path(), file, single(name, file));
    }
    let paths = [home.path().to_owned()];
    let agents = DirectoryAgents::load(&paths).unwrap();
    // A configured name is not assigned to another agent.
    let expect = pairs([("x", "a.yaml"), ("x-1", "c.yaml"), ("x-2", "b.yaml"), ("x-3", "d.yaml")]);
    assert_eq!(all(&agents), expect);
    assert_eq!(all(&DirectoryAgents::load(&paths).unwrap()), expect, "after a restart");
    // An agent keeps its name while others are added, changed and removed.
    write(home.path(), "0.yaml", single("X", "0.yaml"));
    write(home.path(), "d.yaml", single("X", "changed"));
    fs::remove_file(home.path().join("a.yaml")).unwrap();
    agents.reload();
    let expect = pairs([("x", "0.yaml"), ("x-1", "c.yaml"), ("x-2", "b.yaml"), ("x-3", "changed")]);
    assert_eq!(all(&agents), expect);
    // A native agent has exactly its configured name; it takes precedence, and a duplicate is an error.
    write(home.path(), "z/agent.yaml", "name: x");
    write(home.path(), "z/prompt.md", "Ours.");
    let fresh = DirectoryAgents::load(&paths).unwrap();
    assert_eq!(fresh.agent(&"x".into()).unwrap().prompt, "Ours.");
    assert_eq!(fresh.agents().len(), 5);
    write(home.path(), "zz/agent.yaml", "name: x");
    write(home.path(), "zz/prompt.md", "Ours, too.");
    assert!(DirectoryAgents::load(&paths).unwrap_err().to_string().starts_with("two agents are named 'x'"));
}
