//! The official Python client talks to the real binary; `tests/python/a2a_client.py` says what it checks.

use crate::binary::Home;
use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[expect(clippy::disallowed_methods, reason = "the client is a program of its own")]
fn command(program: impl AsRef<Path>) -> Command {
    let mut command = Command::new(program.as_ref());
    command.current_dir(repository());
    command
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The Python that has the client: `make test` names it, otherwise it is set up here.
fn python() -> PathBuf {
    if let Some(given) = std::env::var_os("BATON_TEST_PYTHON") {
        return given.into();
    }
    let made = command("scripts/python-env.sh").output().expect("scripts/python-env.sh starts");
    let path = String::from_utf8_lossy(&made.stdout).trim().to_owned();
    assert!(
        made.status.success() && !path.is_empty(),
        "there is no Python with the A2A client; scripts/python-env.sh says:\n{}",
        text(&made)
    );
    path.into()
}

#[test]
fn the_official_client_works_unchanged() {
    let python = python();
    let import = command(&python).args(["-c", "import a2a.client"]).output();
    let import = import.unwrap_or_else(|error| panic!("{} does not start: {error}", python.display()));
    assert!(import.status.success(), "{} has no A2A client:\n{}", python.display(), text(&import));

    let home = Home::new();
    let flows = repository().join("tests/agents/flows");
    let flows = flows.to_str().expect("UTF-8");
    // Strict: a message that no rule expects, and a rule that no check needs, fail the test.
    let (server, url) = home.up(&[flows, "--port", "0", "--data", "data", "--strict"]);
    let agent = format!("{url}/agents/flows");
    let client = command(&python).args(["tests/python/a2a_client.py", &agent]).output().expect("Python starts");
    assert!(client.status.success(), "the client is not content:\n{}", text(&client));
    server.signal("TERM");
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
}
