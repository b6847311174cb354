//! MCP client sessions on disk.

use baton_local::SessionFiles;
use baton_ports::McpSessionStore;
use baton_types::Json;
use std::fs;

#[tokio::test]
async fn sessions_survive_a_restart_and_the_oldest_is_evicted() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("sessions");
    let files = SessionFiles::open(&place, 2).unwrap();
    for id in ["one", "two"] {
        files.save_session(id, Json::string(id)).await.unwrap();
    }
    // Loading a session marks it as recently used.
    assert_eq!(files.load("one").await, Ok(Some(Json::string("one"))));
    files.save_session("three", Json::string("three")).await.unwrap();
    let files = SessionFiles::open(&place, 2).unwrap();
    let mut kept = Vec::new();
    for id in ["one", "two", "three"] {
        kept.push(files.load(id).await.unwrap().is_some());
    }
    assert_eq!(kept, [true, false, true]);
    assert_eq!(fs::read_dir(&place).unwrap().count(), 2);
    files.remove_session("three").await.unwrap();
    assert_eq!(files.load("three").await, Ok(None));
    fs::write(place.join("one.json"), "not json").unwrap();
    assert_eq!(files.load("one").await, Ok(None));
    assert!(files.save_session("large", Json::string(&"x".repeat(300_000))).await.is_err());
    assert_eq!(fs::read_dir(&place).unwrap().count(), 1);
}

#[tokio::test]
async fn ids_cannot_escape_the_directory() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("sessions");
    let files = SessionFiles::open(&place, 2).unwrap();
    fs::write(directory.path().join("secret.json"), "\"secret\"").unwrap();
    for id in ["../secret", "..%2fsecret", "/etc/passwd", "", ".", "a/b", "a\\b", "a\0b", &"a".repeat(65)] {
        assert_eq!(files.load(id).await, Ok(None), "{id:?}");
        assert!(files.save_session(id, Json::string("x")).await.is_err(), "{id:?}");
        assert_eq!(files.remove_session(id).await, Ok(()), "{id:?}");
    }
    assert_eq!(fs::read_to_string(directory.path().join("secret.json")).unwrap(), "\"secret\"");
    assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
}

#[cfg(unix)]
#[tokio::test]
async fn session_files_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("sessions");
    let files = SessionFiles::open(&place, 2).unwrap();
    files.save_session("one", Json::string("one")).await.unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&place), mode(&place.join("one.json"))), (0o700, 0o600));
}
