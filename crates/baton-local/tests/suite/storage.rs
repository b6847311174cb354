//! Agent storage on disk and in memory: changes are atomic and never overwrite concurrent ones.

use baton_local::{DirectoryStorage, MemoryStorage};
use baton_ports::{AgentFiles, AgentStorage, AgentStorageError};
use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};
use tempfile::TempDir;

pub(crate) type Changes = BTreeMap<String, Option<Vec<u8>>>;

fn files(entries: &[(&str, &str)]) -> AgentFiles {
    entries.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
}

fn changes(entries: &[(&str, Option<&str>)]) -> Changes {
    entries.iter().map(|(path, text)| ((*path).to_owned(), text.map(|text| text.as_bytes().to_vec()))).collect()
}

/// All files below a directory, including hidden ones.
fn all_files(directory: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        match entry.path().is_dir() {
            true => all.extend(all_files(&entry.path()).into_iter().map(|below| format!("{name}/{below}"))),
            false => all.push(name),
        }
    }
    all.sort();
    all
}

fn each_storage(check: impl Fn(&dyn AgentStorage)) {
    let home = TempDir::new().unwrap();
    check(&DirectoryStorage::new(home.path().join("agents")));
    check(&MemoryStorage::new());
}

#[test]
fn each_storage_creates_reads_replaces_and_removes() {
    each_storage(|storage| {
        assert_eq!(storage.keys(), Ok(Vec::new()));
        assert_eq!(storage.read("a"), Err(AgentStorageError::Missing));
        let first = files(&[("agent.yaml", "name: a"), ("prompt.md", "Hi."), ("rules/x.md", "X")]);
        let made = storage.create("a", &first).unwrap();
        assert_eq!(storage.create("a", &first), Err(AgentStorageError::Exists));
        assert_eq!(storage.read("a"), Ok((first.clone(), made.clone())));
        storage.create("b", &files(&[("agent.yaml", "name: b"), ("prompt.md", "Hi.")])).unwrap();
        assert_eq!(storage.keys().unwrap(), ["a", "b"]);

        let several = changes(&[("prompt.md", Some("Ho.")), ("rules/x.md", None), ("references/y.md", Some("Y"))]);
        let changed = storage.replace("a", &made, &several).unwrap();
        let second = files(&[("agent.yaml", "name: a"), ("prompt.md", "Ho."), ("references/y.md", "Y")]);
        assert_eq!(storage.read("a"), Ok((second.clone(), changed.clone())));
        assert_eq!(storage.replace("a", &changed, &Changes::new()), Ok(changed.clone()));
        // A replacement based on an old version is a conflict.
        let late = changes(&[("prompt.md", Some("late"))]);
        assert_eq!(storage.replace("a", &made, &late), Err(AgentStorageError::Conflict));
        assert_eq!(storage.read("a"), Ok((second, changed)));

        storage.remove("a").unwrap();
        assert_eq!(storage.remove("a"), Err(AgentStorageError::Missing));
        assert_eq!(storage.keys().unwrap(), ["b"]);
    });
}

#[test]
fn folder_contains_only_agent_files_and_paths_stay_inside() {
    let home = TempDir::new().unwrap();
    let storage = DirectoryStorage::new(home.path().join("agents"));
    let made = storage.create("a", &files(&[("agent.yaml", "name: a"), ("prompt.md", "Hi.")])).unwrap();
    storage.replace("a", &made, &changes(&[("prompt.md", Some("Ho.")), ("rules/x.md", Some("X"))])).unwrap();
    assert_eq!(all_files(home.path()), ["agents/a/agent.yaml", "agents/a/prompt.md", "agents/a/rules/x.md"]);
    for key in ["../b", "..", "", "a/b", ".a.baton-draft"] {
        assert!(storage.create(key, &files(&[("agent.yaml", "name: b")])).is_err(), "{key}");
        assert_eq!(storage.read(key), Err(AgentStorageError::Missing), "{key}");
    }
    for path in ["../evil.md", "rules/../../evil.md", "/tmp/evil", "notes.txt", "rules/a/b.md"] {
        let (_, now) = storage.read("a").unwrap();
        let evil = changes(&[(path, Some("evil")), ("prompt.md", Some("evil"))]);
        assert!(matches!(storage.replace("a", &now, &evil), Err(AgentStorageError::Unavailable(_))), "{path}");
        assert!(storage.create("c", &files(&[("agent.yaml", "name: c"), (path, "evil")])).is_err(), "{path}");
    }
    assert_eq!(all_files(home.path()), ["agents/a/agent.yaml", "agents/a/prompt.md", "agents/a/rules/x.md"]);
}

#[test]
fn interrupted_change_is_completed_and_later_edits_are_kept() {
    let home = TempDir::new().unwrap();
    let storage = DirectoryStorage::new(home.path());
    let old = files(&[("agent.yaml", "name: a"), ("prompt.md", "old"), ("rules/x.md", "old")]);
    storage.create("a", &old).unwrap();
    let digest = |text: &str| baton_types::Digest::compute(text.as_bytes());
    // The state left by a process that was killed before it changed any file.
    let header = serde_json::json!({
        "digest": digest("newnew"),
        "files": [
            {"path": "prompt.md", "old": digest("old"), "length": 3},
            {"path": "rules/x.md", "old": digest("old"), "length": 3},
        ],
    });
    let begun = format!("{header}\nnewnew");
    let saving = home.path().join("a/.baton-saving");
    fs::write(&saving, &begun).unwrap();
    let new = files(&[("agent.yaml", "name: a"), ("prompt.md", "new"), ("rules/x.md", "new")]);
    assert_eq!(storage.read("a").unwrap().0, new);
    assert_eq!(
        all_files(home.path()),
        ["a/agent.yaml", "a/prompt.md", "a/rules/x.md"],
        "the interrupted change is complete"
    );
    assert_eq!(storage.read("a").unwrap().0, new);
    // One of the files was edited by hand since.
    fs::write(home.path().join("a/prompt.md"), "by hand").unwrap();
    fs::write(home.path().join("a/rules/x.md"), "old").unwrap();
    fs::write(&saving, &begun).unwrap();
    let mixed = files(&[("agent.yaml", "name: a"), ("prompt.md", "by hand"), ("rules/x.md", "new")]);
    assert_eq!(storage.read("a").unwrap().0, mixed);
    // An incomplete save record has no effect.
    fs::write(&saving, &begun[..begun.len() - 1]).unwrap();
    let (_, now) = storage.read("a").unwrap();
    storage.replace("a", &now, &changes(&[("prompt.md", Some("next"))])).unwrap();
    assert_eq!(all_files(home.path()), ["a/agent.yaml", "a/prompt.md", "a/rules/x.md"]);
}

/// Two writers of the same agent: no write is lost, and readers never see a partial change.
#[test]
fn teamspark_30_concurrent_writes_are_all_kept() {
    const ROUNDS: usize = 40;
    let home = TempDir::new().unwrap();
    let path = home.path();
    let count = |files: &AgentFiles, file: &str| -> usize {
        String::from_utf8_lossy(files.get(file).map_or(b"0", Vec::as_slice)).trim().parse().unwrap()
    };
    DirectoryStorage::new(path)
        .create("a", &files(&[("agent.yaml", "name: a"), ("prompt.md", "0"), ("rules/n.md", "0")]))
        .unwrap();
    let running = AtomicUsize::new(2);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                // Separate instances, as separate processes would have: they share only the directory.
                let storage = DirectoryStorage::new(path);
                for _ in 0..ROUNDS {
                    loop {
                        let (read, digest) = storage.read("a").unwrap();
                        let next = (count(&read, "prompt.md") + 1).to_string();
                        let both = changes(&[("prompt.md", Some(&next)), ("rules/n.md", Some(&next))]);
                        match storage.replace("a", &digest, &both) {
                            Ok(_) => break,
                            Err(AgentStorageError::Conflict) => thread::yield_now(),
                            Err(error) => panic!("{error}"),
                        }
                    }
                }
                running.fetch_sub(1, Ordering::SeqCst);
            });
        }
        let storage = DirectoryStorage::new(path);
        while running.load(Ordering::SeqCst) > 0 {
            let (read, _) = storage.read("a").unwrap();
            assert_eq!(count(&read, "prompt.md"), count(&read, "rules/n.md"));
        }
    });
    let (read, _) = DirectoryStorage::new(path).read("a").unwrap();
    assert_eq!((count(&read, "prompt.md"), count(&read, "rules/n.md")), (2 * ROUNDS, 2 * ROUNDS));
}
