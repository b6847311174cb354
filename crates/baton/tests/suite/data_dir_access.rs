//! Access to the data directory: only the owner can read it, the address of a stopped server is not trusted, and a
//! second signal leaves no process behind.

use crate::binary::{Home, await_line, examples};
use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader, Read as _},
    os::unix::fs::PermissionsExt as _,
    sync::mpsc,
    thread,
    time::Duration,
};

#[test]
fn demo_files_are_readable_only_by_owner() {
    let home = Home::new();
    let ended = home.run(&["demo", "--once", "--port", "0"]);
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
    for (path, expect) in [
        (".baton", 0o700),
        (".baton/demo", 0o700),
        (".baton/demo/agents", 0o700),
        (".baton/demo/journal.db", 0o600),
        (".baton/demo/lock", 0o600),
    ] {
        let mode = fs::metadata(home.path(path)).expect("made").permissions().mode();
        assert_eq!(mode & 0o777, expect, "{path}");
    }
}

#[test]
fn stale_server_address_is_not_trusted() {
    let (stranger, home) = (Home::new(), Home::new());
    let (_server, _) = stranger.up(&[&examples(), "--port", "0"]);
    home.agent("mine", "", "rules:\n  - { when: { user: hi }, say: \"From home\" }\n");
    fs::create_dir(home.path(".baton")).expect("made");
    let stale = home.path(".baton/server.json");
    fs::copy(stranger.path(".baton/server.json"), &stale).expect("copied");
    let listed = home.run(&["agents"]);
    assert!(listed.stdout.contains("mine") && !listed.stdout.contains("weather"), "{}", listed.shown());
    let asked = home.run(&["run", "mine", "hi"]);
    assert_eq!(asked.stdout, "From home\n", "{}", asked.shown());
    assert!(!stale.exists());
}

#[test]
fn second_signal_kills_tools_and_removes_server_file() {
    let home = Home::new();
    let tools = "tools:\n  - name: hold\n    description: Takes long.\n    \
        command: [\"sh\", \"-c\", \"exec 3>ready; echo here >&3; sleep 1000 & wait\"]\n";
    home.agent("stubborn", tools, "rules:\n  - { when: { turn: first }, call: [{ tool: hold }] }\n");
    home.pipe("stubborn/ready");
    let (mut server, _) = home.up(&["--port", "0"]);
    let listener = home.start(&["run", "stubborn", "go"]);
    let mut ready = BufReader::new(File::open(home.path("stubborn/ready")).expect("a pipe"));
    let mut line = String::new();
    ready.read_line(&mut line).expect("UTF-8");
    assert_eq!(line, "here\n");
    server.signal("TERM");
    await_line(&mut server.stderr, "stopping");
    server.signal("TERM");
    let ended = server.end();
    assert_eq!(ended.code, Some(130), "{}", ended.shown());
    assert!(!home.path(".baton/server.json").exists());
    // The pipe closes when the last process that the tool started has ended.
    let (done, gone) = mpsc::channel();
    thread::spawn(move || done.send(ready.read_to_end(&mut Vec::new())));
    gone.recv_timeout(Duration::from_secs(10)).expect("the tool has ended").expect("a pipe");
    listener.kill();
}
