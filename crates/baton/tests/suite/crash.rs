//! Runs are completed after a crash and a restart.

use crate::{
    autonomous::call_agent,
    binary::{Home, await_line, free_port},
};
use std::fs::{self, File, OpenOptions};

const PLAYBOOK: &str = "rules:
  - { when: { after_tool: hold }, say: \"It went on ${result}\" }
  - { when: { after_tool: note, result: \"^1$\" }, call: [{ tool: hold }] }
  - { when: { after_tool: note }, say: \"The note was made twice\" }
  - { when: { turn: first }, call: [{ tool: note }] }
";
/// `note` counts its executions and is not repeatable; `hold` reports its start and hangs on the first execution.
const TOOLS: &str = "tools:
  - name: note
    description: Notes that it ran.
    command: [\"sh\", \"-c\", \"echo ran >> ran.txt; wc -l < ran.txt | tr -d ' '\"]
  - name: hold
    description: Takes long.
    effects: read_only
    command: [\"sh\", \"-c\", \"if [ -e held ]; then echo again; else touch held; echo here > ready; cat gate; fi\"]
";

/// An agent that hangs in its first run while the returned file is open.
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
fn run_and_its_client_survive_a_killed_server() {
    let (home, _gate) = stubborn();
    let port = free_port();
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

/// A waiting MCP client is disconnected when Baton stops; this does not cancel the call.
#[test]
fn orderly_stop_keeps_the_run_of_a_waiting_mcp_client() {
    let (home, _gate) = stubborn();
    let (server, url) = home.up(&["--port", "0"]);
    let waiting = std::thread::spawn(move || call_agent(&url, "stubborn"));
    await_hang(&home);
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
    // The response of the client, if any, is irrelevant here.
    let _ = waiting.join();
    let (mut server, _) = home.up(&["--port", "0"]);
    await_line(&mut server.stderr, "resumed 1 unfinished run");
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}
