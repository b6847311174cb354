//! The promise of the whole program: kill it, start it again, and the work is done.

use crate::{
    autonomous::call_agent,
    binary::{Home, await_line, own_port},
};
use std::fs::{self, File, OpenOptions};

const PLAYBOOK: &str = "rules:
  - { when: { after_tool: hold }, say: \"It went on ${result}\" }
  - { when: { after_tool: note, result: \"^1$\" }, call: [{ tool: hold }] }
  - { when: { after_tool: note }, say: \"The note was made twice\" }
  - { when: { turn: first }, call: [{ tool: note }] }
";
/// `note` counts its runs and may not be repeated; `hold` says that it is there and hangs, but only the first time.
const TOOLS: &str = "tools:
  - name: note
    description: Notes that it ran.
    command: [\"sh\", \"-c\", \"echo ran >> ran.txt; wc -l < ran.txt | tr -d ' '\"]
  - name: hold
    description: Takes long.
    effects: read_only
    command: [\"sh\", \"-c\", \"if [ -e held ]; then echo again; else touch held; echo here > ready; cat gate; fi\"]
";

/// A home whose agent hangs in the middle of its run, for as long as the second value lives.
fn stubborn() -> (Home, File) {
    let home = Home::new();
    home.agent("stubborn", TOOLS, PLAYBOOK);
    home.pipe("stubborn/ready");
    home.pipe("stubborn/gate");
    let gate = OpenOptions::new().read(true).write(true).open(home.path("stubborn/gate")).expect("a pipe");
    (home, gate)
}

fn await_hang(home: &Home) {
    assert_eq!(fs::read_to_string(home.path("stubborn/ready")).expect("a pipe"), "here\n");
}

#[test]
fn a_run_and_its_listener_survive_a_killed_server() {
    let (home, _gate) = stubborn();
    let port = own_port();
    let (server, _) = home.up(&["--port", &port]);
    let mut listener = home.start(&["run", "stubborn", "go"]);
    await_hang(&home);
    server.kill();
    await_line(&mut listener.stderr, "retrying");
    let (mut server, _) = home.up(&["--port", &port]);
    await_line(&mut server.stderr, "resumed 1 unfinished run");
    let ended = listener.end();
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "It went on again\n"), "{}", ended.stderr);
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}

#[test]
fn an_orderly_stop_leaves_a_run_for_the_next_start() {
    let (home, _gate) = stubborn();
    let (server, _) = home.up(&["--port", "0"]);
    let listener = home.start(&["run", "stubborn", "go"]);
    await_hang(&home);
    listener.signal("INT");
    let left = listener.end();
    assert_eq!(left.code, Some(130), "{}", left.shown());
    assert!(left.stderr.contains(" continues on the server"), "{}", left.stderr);
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
    let (mut server, _) = home.up(&["--port", "0"]);
    await_line(&mut server.stderr, "resumed 1 unfinished run");
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}

/// A client of MCP that waits for an agent is sent away when Baton stops; that is not what cancels a call.
#[test]
fn an_orderly_stop_leaves_what_an_mcp_client_waits_for() {
    let (home, _gate) = stubborn();
    let (server, url) = home.up(&["--port", "0"]);
    let waiting = std::thread::spawn(move || call_agent(&url, "stubborn"));
    await_hang(&home);
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
    // What it was told, if anything, does not matter here.
    let _ = waiting.join();
    let (mut server, _) = home.up(&["--port", "0"]);
    await_line(&mut server.stderr, "resumed 1 unfinished run");
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}
