//! Commands show external text on a terminal and escape its control sequences.

use crate::{
    binary::{CommandOutput, Home, RunningProcess},
    scripted_peer::{PeerScript, ScriptedPeer},
};

/// Sets the clipboard and a colour, erases, deletes and changes the text direction.
const HOSTILE: &str = "x\u{1b}]52;c;aGk=\u{7}\u{1b}[31m\u{9b}2J\u{9d}0;t\u{9c}\u{7f}\u{8}\u{202e}\u{2066}y";

/// [`HOSTILE`] as a YAML string.
const HOSTILE_YAML: &str = r#""x\e]52;c;aGk=\a\e[31m\u009b2J\u009d0;t\u009c\u007f\b\u202e\u2066y""#;

fn is_raw(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t')) || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[track_caller]
fn assert_clean(args: &[&str], ended: &CommandOutput) {
    for (stream, text) in [("stdout", &ended.stdout), ("stderr", &ended.stderr)] {
        let raw = text.chars().find(|c| is_raw(*c));
        assert_eq!(raw, None, "{args:?} wrote it to {stream}:\n{text:?}");
    }
}

/// A Baton with hostile names and answers in its agents, tools and peers.
struct HostileSetup {
    home: Home,
    server: Option<RunningProcess>,
    peers: Vec<ScriptedPeer>,
    /// Number of outputs with escaped hostile text.
    shown: usize,
}

const AGENT: &str = "title: HOSTILE
settings: { control_tools: [ask_user] }
tools:
  - name: act
    description: HOSTILE
    permission: ask
    command: [\"sh\", \"-c\", \"printf 'ran \\\\033]52;c;aGk=\\\\007'\"]
  - name: break
    description: HOSTILE
    command: [\"sh\", \"-c\", \"printf 'broke \\\\033]52;c;aGk=\\\\007' >&2; exit 3\"]
";

const PLAYBOOK: &str = "rules:
  - { when: { after_tool: break, failed: true }, say: \"It failed: ${result}\" }
  - { when: { user: leave, turn: first }, call: [{ tool: act, args: { a: HOSTILE } }] }
  - { when: { user: break, turn: first }, call: [{ tool: break, args: { a: HOSTILE } }] }
  - { when: { user: which, turn: first }, call: [{ tool: ask_user, args: { question: HOSTILE } }] }
  - { say: HOSTILE }
";

impl HostileSetup {
    fn new() -> Self {
        let home = Home::new();
        let yaml = |text: &str| text.replace("HOSTILE", HOSTILE_YAML);
        home.agent("bad", &yaml(AGENT), &yaml(PLAYBOOK));
        home.write("bad/rules/r.md", &format!("{HOSTILE}\n"));
        let script = |answer: &str, state| PeerScript {
            title: HOSTILE.to_owned(),
            answer: format!("{answer} {HOSTILE}"),
            state,
            tool: None,
        };
        let peers = vec![
            ScriptedPeer::serve(script("done", "TASK_STATE_COMPLETED")),
            ScriptedPeer::serve(script("failed", "TASK_STATE_FAILED")),
            ScriptedPeer::serve(script("asks", "TASK_STATE_INPUT_REQUIRED")),
            ScriptedPeer::serve(PeerScript {
                tool: Some((HOSTILE.to_owned(), Some(format!("http://{HOSTILE}")))),
                ..script("tool", "TASK_STATE_REJECTED")
            }),
        ];
        Self { home, server: None, peers, shown: 0 }
    }

    /// Runs a command with text and with JSON output; neither has raw control characters, and the JSON is valid.
    fn run(&mut self, args: &[&str]) -> CommandOutput {
        let ended = self.home.run(args);
        assert_clean(args, &ended);
        self.shown += usize::from([&ended.stdout, &ended.stderr].iter().any(|text| text.contains("\\u{1b}]52")));
        let with_json = [args, &["--json"]].concat();
        let json = self.home.run(&with_json);
        assert_clean(&with_json, &json);
        let is_json = |line: &str| serde_json::from_str::<serde_json::Value>(line).is_ok();
        let lines = json.stdout.lines().all(is_json);
        assert!(lines || is_json(&json.stdout) || args.contains(&"markdown"), "{args:?}: {}", json.shown());
        ended
    }
}

#[test]
fn commands_escape_control_sequences_in_external_text() {
    let mut hostile = HostileSetup::new();
    hostile.run(&["agents", "bad"]);
    hostile.run(&["doctor"]);
    let (server, _) = hostile.home.up(&["bad", "--port", "0", "--log", "debug"]);
    hostile.server = Some(server);
    let urls: Vec<String> = hostile.peers.iter().map(|peer| peer.url.clone()).collect();
    for (number, url) in urls.iter().enumerate() {
        hostile.run(&["run", url, HOSTILE, "--log", "trace"]);
        hostile.run(&["agents", "show", url]);
        hostile.run(&["agents", "add", url, "--name", &format!("peer{number}")]);
        hostile.run(&["run", &format!("peer{number}"), HOSTILE]);
    }
    for words in [HOSTILE, "leave", "break", "which"] {
        hostile.run(&["run", "bad", words, "--context", "talk"]);
    }
    hostile.run(&["run", HOSTILE, HOSTILE]);
    hostile.run(&["run", "bad", HOSTILE, "--task", HOSTILE]);
    hostile.run(&["tools", "call", "bad", "break", "--json-args", "{}"]);
    hostile.run(&["tools", "call", "bad", HOSTILE]);
    hostile.run(&["sessions", "rename", "talk", HOSTILE]);
    hostile.run(&["token", "create", HOSTILE]);
    for args in [
        &["agents"][..],
        &["agents", "show", "bad"],
        &["agents", "show", "peer0"],
        &["agents", "prompt", "bad"],
        &["agents", "rules", "bad"],
        &["agents", "rules", "bad", "r"],
        &["tools", "list", "bad"],
        &["tools", "list", "peer3"],
        &["approvals", "list"],
        &["sessions", "list"],
        &["sessions", "show", "talk"],
        &["sessions", "export", "talk"],
        &["sessions", "export", "talk", "--format", "markdown"],
        &["trace", "query", "{ }"],
        &["trace", "query", "{ name =~ \".*tool.*\" }"],
        &["trace", "query", HOSTILE],
        &["trace", "show", HOSTILE],
        &["models"],
        &["token", "list"],
        &["costs"],
        &["doctor"],
        &["nothing", HOSTILE],
    ] {
        hostile.run(args);
    }
    let found = hostile.run(&["trace", "query", "{ name =~ \"invoke_agent.*\" }"]);
    let ids: Vec<String> =
        found.stdout.split_whitespace().filter(|word| is_trace_id(word)).map(str::to_owned).collect();
    assert!(!ids.is_empty(), "{}", found.shown());
    for id in ids.iter().take(6) {
        hostile.run(&["trace", "show", id, "--all", "--details"]);
    }
    // Without enough escaped outputs, this test would prove nothing.
    assert!(hostile.shown >= 15, "the hostile text was shown {} times", hostile.shown);
    let log = hostile.server.take().expect("it runs");
    log.signal("TERM");
    assert_clean(&["up"], &log.end());
}

fn is_trace_id(word: &str) -> bool {
    word.len() == 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// On a terminal, Baton adds its own colours and still escapes those of external text.
#[test]
#[cfg(target_os = "linux")]
fn terminal_output_has_only_baton_colours() {
    let hostile = HostileSetup::new();
    let peer = &hostile.peers[1].url;
    // Other commands run at a terminal without colours.
    let coloured = format!("--version; env -u NO_COLOR TERM=xterm {} run {peer} hi", env!("CARGO_BIN_EXE_baton"));
    let (_, shown) = crate::tools::run_at_terminal(&hostile.home, &coloured, "");
    let foreign = shown.replace("\u{1b}[31m", "").replace("\u{1b}[36m", "").replace("\u{1b}[0m", "");
    assert!(shown.contains("\u{1b}[31merror"), "{shown:?}");
    assert!(foreign.contains("\\u{1b}]52;c;aGk=\\u{7}\\u{1b}[31m\\u{9b}2J"), "{shown:?}");
    let raw = foreign.chars().find(|c| is_raw(*c) && *c != '\r');
    assert_eq!(raw, None, "{foreign:?}");
}
