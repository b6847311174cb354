//! Locking and permissions of the data directory.

use baton_journal::{JournalOptions, SqliteJournal, is_owned};

#[test]
fn a_directory_is_owned_while_its_journal_is_open() {
    let directory = tempfile::tempdir().unwrap();
    assert!(!is_owned(directory.path()));
    let journal = SqliteJournal::open(directory.path(), JournalOptions::default()).unwrap();
    assert!(is_owned(directory.path()));
    drop(journal);
    assert!(!is_owned(directory.path()));
    assert!(!is_owned(&directory.path().join("nowhere")));
    SqliteJournal::open(directory.path(), JournalOptions::default()).expect("the check leaves no lock");
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_files_of_an_existing_directory() {
    use std::{fs, os::unix::fs::PermissionsExt as _};
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    // As an earlier version may have left it.
    for name in ["lock", "journal.db", "journal.db-wal"] {
        fs::write(directory.path().join(name), "").unwrap();
        fs::set_permissions(directory.path().join(name), fs::Permissions::from_mode(0o644)).unwrap();
    }
    let _journal = SqliteJournal::open(directory.path(), JournalOptions::default()).unwrap();
    for name in ["lock", "journal.db", "journal.db-wal", "journal.db-shm"] {
        let mode = fs::metadata(directory.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}
