//! Loading and reloading directories.

use baton_document::{Diagnostic, SourceLocation};
use baton_local::{DirectoryAgents, LoadError, Reload};
use baton_ports::AgentSource;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};
use tempfile::TempDir;

fn write(directory: &Path, name: &str, yaml: &str) -> PathBuf {
    let path = directory.join(name);
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("agent.yaml"), yaml).unwrap();
    fs::write(path.join("prompt.md"), "You are a test.").unwrap();
    path
}

fn names(agents: &DirectoryAgents) -> Vec<String> {
    agents.agents().iter().map(|agent| agent.name.to_string()).collect()
}

/// The error message with the temporary directory replaced.
fn shown(home: &TempDir, error: &LoadError) -> String {
    format!("{} {error}", error.code().code).replace(&home.path().display().to_string(), "HOME")
}

#[test]
fn a_path_is_an_agent_a_file_or_a_directory_of_agents() {
    let home = TempDir::new().unwrap();
    let a = write(home.path(), "x-dir", "name: b");
    let b = write(home.path(), "y-dir", "name: a");
    fs::create_dir(home.path().join("not-an-agent")).unwrap();
    for (paths, expect) in [
        (vec![home.path().to_owned()], vec!["a", "b"]),
        (vec![a.clone()], vec!["b"]),
        (vec![b.join("agent.yaml"), a.clone()], vec!["a", "b"]),
        (vec![home.path().to_owned(), a.clone(), b.join(".")], vec!["a", "b"]),
    ] {
        let agents = DirectoryAgents::load(&paths).unwrap();
        assert_eq!(names(&agents), expect, "{paths:?}");
        assert_eq!(agents.agent(&"b".into()).is_some(), expect.contains(&"b"));
        assert!(agents.agent(&"zzz".into()).is_none());
    }
}

#[test]
fn errors_name_the_path() {
    let home = TempDir::new().unwrap();
    let path = |name: &str| home.path().join(name);
    write(home.path(), "broken", "name: Broken\n");
    write(home.path(), "one", "name: same");
    write(home.path(), "two", "name: same");
    fs::create_dir(path("empty")).unwrap();
    fs::write(path("notes.txt"), "").unwrap();
    let huge = write(home.path(), "huge", "name: huge");
    fs::write(huge.join("prompt.md"), vec![b'x'; (1 << 20) + 1]).unwrap();
    write(
        home.path(),
        "nowhere",
        "name: nowhere\ntools: [{ name: t, description: d, command: [ls], directory: gone }]",
    );
    let mut all = Vec::new();
    for paths in [
        vec![path("missing")],
        vec![path("empty")],
        vec![path("notes.txt")],
        vec![path("broken")],
        vec![path("huge")],
        vec![path("nowhere")],
        vec![path("one"), path("two")],
    ] {
        all.push(shown(&home, &DirectoryAgents::load(&paths).unwrap_err()));
    }
    insta::assert_snapshot!(all.join("\n\n"));
}

#[cfg(unix)]
#[test]
fn tool_does_not_follow_links_out_of_its_directory() {
    let home = TempDir::new().unwrap();
    let agent = write(home.path(), "a", "name: a\ntools: [{ name: t, description: d, command: [ls], directory: out }]");
    std::os::unix::fs::symlink("/", agent.join("out")).unwrap();
    let error = DirectoryAgents::load(std::slice::from_ref(&agent)).unwrap_err();
    assert!(error.to_string().contains("not a directory inside"), "{error}");
    fs::remove_file(agent.join("out")).unwrap();
    fs::create_dir(agent.join("out")).unwrap();
    DirectoryAgents::load(&[agent]).unwrap();
}

#[test]
fn reload_keeps_the_last_valid_version() {
    let home = TempDir::new().unwrap();
    let a = write(home.path(), "a", "name: a\nversion: 1.0.0");
    write(home.path(), "b", "name: b\nversion: 1.0.0");
    let paths = [home.path().to_owned()];
    let no_threes = Arc::new(|agent: &baton_types::AgentSpec| match agent.version.as_str() {
        "3.0.0" => vec![Diagnostic::error("agent.yaml", SourceLocation::START, "no threes")],
        _ => Vec::new(),
    });
    let agents = DirectoryAgents::load_checked(&paths, no_threes).unwrap();
    let version = |name: &str| agents.agent(&name.into()).map(|agent| agent.version.clone());
    let entries = |reload: &Reload| {
        let name = |entry: &str| entry.rsplit('/').next().unwrap().to_owned();
        reload.unusable.iter().map(|unusable| name(&unusable.entry)).collect::<Vec<_>>()
    };

    assert_eq!(agents.reload(), Reload::default());

    write(home.path(), "a", "name: a\nversion: 2.0.0");
    write(home.path(), "b", "name: [");
    let reload = agents.reload();
    assert_eq!(reload.changed, ["a".into()]);
    assert_eq!(reload.diagnostics.len(), 1);
    assert_eq!(entries(&reload), ["b"]);
    assert_eq!((version("a").as_deref(), version("b").as_deref()), (Some("2.0.0"), Some("1.0.0")));

    write(home.path(), "a", "name: a\nversion: 3.0.0");
    let reload = agents.reload();
    assert_eq!((reload.diagnostics[0].message.as_str(), entries(&reload)), ("no threes", vec!["a".into(), "b".into()]));
    assert_eq!(version("a").as_deref(), Some("2.0.0"));

    write(home.path(), "a", "name: a\nversion: 2.0.0");
    write(home.path(), "b", "name: a");
    let reload = agents.reload();
    assert_eq!((reload.changed.len(), entries(&reload)), (0, vec!["b".into()]));
    assert!(reload.unusable[0].reason.starts_with("two agents are named 'a'"), "{reload:?}");
    assert_eq!(names(&agents), ["a", "b"]);

    // The name is free again.
    fs::remove_dir_all(a).unwrap();
    assert_eq!(agents.reload().changed, ["a".into(), "b".into()]);
    assert_eq!((names(&agents), version("a").as_deref()), (vec!["a".to_owned()], Some("0.1.0")));

    fs::remove_dir_all(home.path().join("b")).unwrap();
    let reload = agents.reload();
    assert_eq!((reload.changed, names(&agents).len()), (vec!["a".into()], 0));
    assert!(reload.unusable[0].reason.contains("contains no agent"), "{:?}", reload.unusable);
}

#[test]
fn unusable_agents_do_not_prevent_opening_others() {
    let home = TempDir::new().unwrap();
    let path = |name: &str| home.path().join(name);
    write(home.path(), "good", "name: good");
    let broken = write(home.path(), "broken", "name: Broken");
    let agents = DirectoryAgents::open(&[path("good"), path("missing"), path("broken")], None);
    assert_eq!((names(&agents), agents.warnings().len()), (vec!["good".to_owned()], 1));
    let shown: Vec<String> = agents.unusable().iter().map(|it| format!("{}: {}", it.entry, it.reason)).collect();
    insta::assert_snapshot!(shown.join("\n").replace(&home.path().display().to_string(), "HOME"));

    fs::write(broken.join("agent.yaml"), "name: mended").unwrap();
    write(home.path(), "missing", "name: found");
    assert_eq!(agents.reload().changed, ["found".into(), "mended".into()]);
    assert_eq!(agents.unusable(), []);
}
