//! `baton sessions`, with a server, without one, and through `kill -9`.

use crate::binary::{CommandOutput, Home, filtered, request};
use serde_json::{Value, json};

const TOOLS: &str = r#"settings: { control_tools: [ask_user] }
tools:
  - name: count
    description: Counts letters.
    command: ["sh", "-c", "wc -c | tr -d ' '"]
    effects: read_only
    parameters: { type: object, properties: { text: { type: string } } }
"#;

const PLAYBOOK: &str = r#"rules:
  - when: { after_tool: count }
    say: "There are ${result}."
  - when: { after_tool: ask_user }
    say: "So ${result} it is."
  - when: { user: count }
    call: [{ tool: count, args: { text: "Lisbon" } }]
  - when: { user: which }
    call: [{ tool: ask_user, args: { question: "Which one?" } }]
  - when: { turn: first }
    say: "You said ${user}"
"#;

fn home() -> Home {
    let home = Home::new();
    home.agent("letters", TOOLS, PLAYBOOK);
    home
}

fn ok(ended: CommandOutput) -> String {
    assert_eq!(ended.code, Some(0), "{}", ended.shown());
    ended.stdout
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// Timestamps and ids vary, and the column widths with them.
fn shown(all: &[CommandOutput]) {
    let text = all.iter().map(CommandOutput::shown).collect::<Vec<_>>().join("\n");
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+Z|Z)?", "[moment]");
    settings.bind(|| filtered(|| insta::assert_snapshot!("sessions", text)));
}

#[test]
fn session_is_listed_renamed_forked_exported_and_deleted() {
    let home = home();
    let nothing = home.run(&["sessions", "list"]);
    let (server, _) = home.up(&["--port", "0", "letters"]);
    for words in ["count them", "hello"] {
        ok(home.run(&["run", "letters", words, "--context", "trip", "--quiet"]));
    }
    let asked = home.run(&["run", "letters", "which?", "--context", "other", "--quiet"]);
    assert_eq!(asked.code, Some(3), "{}", asked.shown());
    let renamed = home.run(&["sessions", "rename", "trip", "Trip to Lisbon"]);
    let set = home.run(&["sessions", "set", "trip", "model=openai:gpt-5", "temperature=0.2", "max_turns=5"]);
    let reset = home.run(&["sessions", "reset", "trip", "temperature"]);
    let wrong = home.run(&["sessions", "set", "trip", "max_turns=many"]);
    let unknown = home.run(&["sessions", "set", "trip", "colour=red"]);
    let shows = home.run(&["sessions", "show", "trip"]);
    let list = home.run(&["sessions", "list"]);
    let markdown = home.run(&["sessions", "export", "trip", "--format", "markdown"]);
    let refused = home.run(&["sessions", "delete", "other"]);
    let forced = home.run(&["sessions", "delete", "other", "--force"]);
    let missing = home.run(&["sessions", "show", "other"]);

    let details = read(&ok(home.run(&["sessions", "show", "trip", "--json"])));
    let first = &details["messages"][0];
    let task = first["message"]["taskId"].as_str().expect("a task");
    let forked = home.run(&["sessions", "fork", "trip", "--at", &format!("{task}:1"), "--as", "branch"]);
    ok(home.run(&["sessions", "reset", "branch", "model"]));
    ok(home.run(&["run", "letters", "count again", "--context", "branch", "--quiet"]));
    let branch = home.run(&["sessions", "show", "branch"]);

    let file = ok(home.run(&["sessions", "export", "trip"]));
    home.write("trip.json", &file);
    home.write("trip.md", &markdown.stdout);
    ok(home.run(&["sessions", "delete", "trip"]));
    let imported = home.run(&["sessions", "import", "trip.json", "--as", "trip"]);
    let again = ok(home.run(&["sessions", "export", "trip"]));
    assert_eq!(read(&again), read(&file), "an imported session is exported unchanged");
    let from_markdown = home.run(&["sessions", "import", "trip.md", "--as", "read"]);
    ok(home.run(&["sessions", "reset", "trip", "model"]));
    ok(home.run(&["run", "letters", "hello", "--context", "trip", "--quiet"]));

    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
    // The commands also work on the data directory without a server.
    let alone = home.run(&["sessions", "list", "--agent", "letters", "--json"]);
    let names: Vec<Value> = read(&ok(alone))["sessions"]
        .as_array()
        .expect("sessions")
        .iter()
        .map(|one| one["context_id"].clone())
        .collect();
    assert_eq!(names, [json!("trip"), json!("read"), json!("branch")]);
    let all = [
        nothing,
        renamed,
        set,
        reset,
        wrong,
        unknown,
        shows,
        list,
        markdown,
        refused,
        forced,
        missing,
        forked,
        branch,
        imported,
        from_markdown,
    ];
    shown(&all);
}

/// Saved session settings become the agent's own; the rest of its definition is unchanged.
#[test]
fn session_settings_are_saved_to_the_agent_definition() {
    let home = home();
    let before = std::fs::read_to_string(home.path("letters/agent.yaml")).expect("a definition");
    let (server, _) = home.up(&["--port", "0", "letters"]);
    ok(home.run(&["run", "letters", "hello", "--context", "trip", "--quiet"]));
    ok(home.run(&["sessions", "set", "trip", "max_turns=7"]));
    let saved = home.run(&["sessions", "save", "trip"]);
    assert!(saved.code == Some(0) && saved.stderr.contains("agent.yaml"), "{}", saved.shown());
    let after = std::fs::read_to_string(home.path("letters/agent.yaml")).expect("a definition");
    assert!(after.contains("max_turns: 7") && before.lines().skip(3).all(|line| after.contains(line)), "{after}");
    let details = read(&ok(home.run(&["sessions", "show", "trip", "--json"])));
    assert_eq!(details["settings"], json!({}), "the settings were moved to the agent");
    let again = home.run(&["sessions", "save", "trip"]);
    assert!(again.code == Some(2) && again.stderr.contains("BTN-2029"), "{}", again.shown());
    server.signal("TERM");
    assert_eq!(server.end().code, Some(0));
}

/// Kills between requests and during them: a session is either complete or absent.
#[test]
fn sessions_survive_a_kill_at_any_moment() {
    let home = home();
    let kept = "kept";
    for round in 0..6 {
        let (server, url) = home.up(&["--port", "0", "letters"]);
        let ask = |method: &str, path: &str, body: &Value| {
            request(&url, method, path, &[("Content-Type", "application/json")], &body.to_string())
        };
        let say = |context: &str, id: usize| {
            let message = json!({
                "messageId": format!("m{id}"), "role": "ROLE_USER", "contextId": context, "parts": [{"text": "count"}],
            });
            let call = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}});
            assert_eq!(ask("POST", "/agents/letters", &call).status, 200);
        };
        if round == 0 {
            say(kept, 0);
            let body = json!({"title": "Kept", "settings": {"max_turns": 7}});
            assert_eq!(ask("PATCH", "/api/v1/sessions/kept", &body).status, 200);
        }
        // Acknowledged changes survive the kill.
        let listed = ask("GET", "/api/v1/sessions", &json!(null));
        let listed = read(&listed.body);
        let whole = |name: &str| {
            let shown = ask("GET", &format!("/api/v1/sessions/{name}"), &json!(null));
            (shown.status, read(&shown.body))
        };
        let (status, session) = whole(kept);
        assert_eq!((status, &session["session"]["title"]), (200, &json!("Kept")));
        assert_eq!(session["settings"], json!({"max_turns": 7}));
        assert_eq!(session["messages"].as_array().map(Vec::len), Some(4), "{session}");
        for one in listed["sessions"].as_array().expect("sessions") {
            let name = one["context_id"].as_str().expect("a name");
            let (status, session) = whole(name);
            assert_eq!(status, 200);
            // Each session to be deleted has two tasks of four messages, all or none of them.
            if name != kept {
                assert_eq!(session["messages"].as_array().map(Vec::len), Some(8), "{session}");
            }
        }
        let doomed = format!("doomed-{round}");
        say(&doomed, 1);
        say(&doomed, 2);
        let body = json!({"title": "Doomed"});
        assert_eq!(ask("PATCH", &format!("/api/v1/sessions/{doomed}"), &body).status, 200);
        // The server is killed during the deletion, at a different moment each time.
        let deleting = {
            let url = url.clone();
            let path = format!("/api/v1/sessions/{doomed}");
            std::thread::spawn(move || {
                let address = url.trim_start_matches("http://").to_owned();
                let Ok(mut stream) = std::net::TcpStream::connect(&address) else { return };
                let head = format!("DELETE {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
                use std::io::{Read as _, Write as _};
                let _ = stream.write_all(head.as_bytes());
                let _ = stream.read_to_end(&mut Vec::new());
            })
        };
        for _ in 0..round * 400 {
            std::thread::yield_now();
        }
        server.kill();
        deleting.join().expect("it ends");
    }
}
