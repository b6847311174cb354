//! The console blocks of the README, run in order in one shell, as a reader pastes them.

use crate::binary::{Home, free_port};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Blocks that cannot run here, by their first line, and the reason.
const SKIPPED_BLOCKS: [(&str, &str); 4] = [
    ("make run", "builds the program and runs this test; PRELUDE starts the demo instead"),
    ("cargo install", "builds the program a second time"),
    ("baton run https://agent.example.com", "needs a remote agent"),
    ("claude mcp add", "needs another program"),
];

/// Shell functions around the blocks. A server that is started in the background replaces its subshell, so that `$!` is its
/// process id; a pause first waits until every server accepts requests, because a busy machine starts them slowly.
const PRELUDE: &str = r#"
set -eu
LOG="$PWD/servers.log"
touch "$LOG.starts" "$LOG"
baton() {
  if [ "$1" = up ]; then echo start >> "$LOG.starts"; exec "$BATON" "$@" 2>> "$LOG"; fi
  "$BATON" "$@"
}
await_servers() {
  for _ in $(seq 600); do
    [ "$(grep -c 'baton serves' "$LOG")" -lt "$(wc -l < "$LOG.starts")" ] || return 0
    command sleep 0.1
  done
  cat "$LOG" >&2; return 1
}
sleep() { command sleep 0.2; await_servers; command sleep "$1"; }
"#;

/// Starts the demo, as `make run` does, for the first requests of the README.
const DEMO: &str = r#"
"$BATON" demo > demo.log 2>&1 &
DEMO=$!
for _ in $(seq 600); do grep -q 'Ctrl-C' demo.log && break; command sleep 0.1; done
"#;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn console_blocks(readme: &str) -> Vec<&str> {
    let blocks = readme.split("\n```console\n").skip(1);
    blocks.map(|rest| rest.split_once("\n```").expect("the block ends").0).collect()
}

/// The blocks as one script, with the demo around those that talk to it.
fn script(readme: &str) -> String {
    let mut script = PRELUDE.to_owned();
    let mut skipped = Vec::new();
    for block in console_blocks(readme) {
        if let Some((start, _)) = SKIPPED_BLOCKS.iter().find(|(start, _)| block.starts_with(start)) {
            skipped.push(*start);
            continue;
        }
        let uses_demo = block.contains("/agents/weather/") && !block.contains("baton up");
        let (before, after) = if uses_demo { (DEMO, "kill $DEMO; wait $DEMO\n") } else { ("", "") };
        script.push_str(&format!("{before}echo '== block'\n{block}\n{after}"));
    }
    assert_eq!(skipped, SKIPPED_BLOCKS.map(|(start, _)| start), "every exception is still needed");
    script
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a reader's shell is a process of its own")]
fn every_console_block_works_when_it_is_pasted() {
    let readme = fs::read_to_string(repository().join("README.md")).expect("the README");
    let mut script = script(&readme);
    let port = free_port();
    for (printed, free) in
        [("8700", port.clone()), ("8701", free_port()), ("9999", free_port()), ("10000", free_port())]
    {
        script = script.replace(printed, &free);
    }
    let home = Home::new();
    for folder in ["examples", "scripts", "tests"] {
        std::os::unix::fs::symlink(repository().join(folder), home.path(folder)).expect("a link");
    }
    fs::create_dir(home.path("temporary")).expect("a directory");
    let ended = Command::new("bash")
        .args(["-c", &script])
        .current_dir(home.path(""))
        .env("BATON", env!("CARGO_BIN_EXE_baton"))
        .env("BATON_PORT", &port)
        .env("BATON_DETECT", "off")
        .env("TMPDIR", home.path("temporary"))
        .envs(["OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER", "OTEL_LOGS_EXPORTER"].map(|name| (name, "none")))
        .stdin(Stdio::null())
        .output()
        .expect("bash runs");
    let (stdout, stderr) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    assert!(ended.status.success(), "{}\n--- stdout\n{stdout}\n--- stderr\n{stderr}", ended.status);
    for expected in [
        "I asked the Weather Assistant. The weather in Oakland is 72°F, sunny, humidity 65%.",
        "done: survive this",
        "invoke_agent personal",
        "\"object\":\"response\"",
        "current_time",
    ] {
        assert!(stdout.contains(expected), "no '{expected}' in\n{stdout}\n--- stderr\n{stderr}");
    }
}
