//! The promise of the whole program: kill it, start it again, and the work is done.

use crate::binary::{Home, await_line};

/// Hangs in its first model call after the tool, so that only a second attempt can answer.
const PLAYBOOK: &str = "rules:
  - when: { after_tool: note, attempt: 2 }
    say: \"Done on the second attempt: ${result}\"
  - when: { after_tool: note }
    wait: forever
  - when: { turn: first }
    call: [{ tool: note }]
";
const TOOLS: &str = "tools:
  - name: note
    description: Notes that it ran.
    command: [\"sh\", \"-c\", \"echo ran >> ran.txt; wc -l < ran.txt\"]
";

#[test]
fn a_run_and_its_listener_survive_a_killed_server() {
    let home = Home::new();
    home.agent("stubborn", TOOLS, PLAYBOOK);
    let (server, url) = home.up(&["--port", "0"]);
    let mut listener = home.start(&["run", "stubborn", "go"]);
    await_line(&mut listener.stderr, "note gave");
    server.kill();
    await_line(&mut listener.stderr, "trying to go on");
    let port = url.rsplit(':').next().expect("a port");
    let (mut server, _) = home.up(&["--port", port]);
    await_line(&mut server.stderr, "resumed 1 unfinished run");
    let ended = listener.end();
    assert_eq!((ended.code, ended.stdout.trim()), (Some(0), "Done on the second attempt: 1"), "{}", ended.stderr);
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}

#[test]
fn an_orderly_stop_leaves_a_run_for_the_next_start() {
    let home = Home::new();
    home.agent("stubborn", TOOLS, PLAYBOOK);
    let (server, _) = home.up(&["--port", "0"]);
    let mut listener = home.start(&["run", "stubborn", "go"]);
    await_line(&mut listener.stderr, "note gave");
    listener.signal("INT");
    let left = listener.end();
    assert_eq!(left.code, Some(130), "{}", left.shown());
    assert!(left.stderr.contains("the task goes on at the server"), "{}", left.stderr);
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
    let (mut server, _) = home.up(&["--port", "0"]);
    await_line(&mut server.stderr, "resumed 1 unfinished run");
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}
