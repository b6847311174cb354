//! The data directory: private, ignored by git, and checked for traces of a journal.

use baton_local::{Correction, exposed_paths, journal_evidence, lacks_gitignore, prepare_data_directory};
use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt as _, symlink},
};

#[test]
fn a_new_directory_is_private_and_ignored() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("deep").join("data");
    let corrections = prepare_data_directory(&data).unwrap();
    assert_eq!(corrections, [Correction::Ignored(data.join(".gitignore"))]);
    assert!(exposed_paths(&data).is_empty());
    assert!(prepare_data_directory(&data).unwrap().is_empty(), "the second call changes nothing");
}

#[test]
fn permissions_of_others_are_removed() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    prepare_data_directory(&data).unwrap();
    let elsewhere = home.path().join("elsewhere");
    for path in [data.join("server.json"), data.join("notes"), elsewhere.clone()] {
        fs::write(&path, "x").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
    }
    symlink(&elsewhere, data.join("peers.json")).unwrap();
    fs::set_permissions(&data, Permissions::from_mode(0o777)).unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let corrections = prepare_data_directory(&data).unwrap();
    let tightened = |path: &std::path::Path, mode| Correction::Tightened { path: path.to_owned(), mode };
    assert_eq!(corrections, [tightened(&data, 0o777), tightened(&data.join("server.json"), 0o666)]);
    assert_eq!((mode(&data), mode(&data.join("server.json"))), (0o700, 0o600));
    // Files of other programs and link targets are left unchanged.
    assert_eq!((mode(&data.join("notes")), mode(&elsewhere)), (0o666, 0o666));
}

#[test]
fn project_directory_is_not_ignored() {
    for name in [".git", "baton.yaml", "agent.yaml"] {
        let home = tempfile::tempdir().unwrap();
        assert!(lacks_gitignore(home.path()));
        fs::write(home.path().join(name), "x").unwrap();
        assert!(!lacks_gitignore(home.path()), "{name}");
    }
    assert!(!lacks_gitignore(&std::env::current_dir().unwrap()), "the working directory of this process");
}

#[test]
fn only_journal_data_is_evidence_of_a_journal() {
    let home = tempfile::tempdir().unwrap();
    for name in ["lock", "queries.yaml", "journal.db-wal"] {
        fs::write(home.path().join(name), "").unwrap();
    }
    for name in ["keys", "spans/log", "mcp-oauth/a"] {
        fs::create_dir_all(home.path().join(name)).unwrap();
    }
    assert!(journal_evidence(home.path()).is_empty());
    fs::write(home.path().join("journal.db-wal"), "x").unwrap();
    fs::write(home.path().join("keys").join("one"), "x").unwrap();
    fs::write(home.path().join("spans/log").join("0000000001.log"), "x").unwrap();
    assert_eq!(journal_evidence(home.path()), ["journal.db-wal", "keys", "spans/log"]);
}
