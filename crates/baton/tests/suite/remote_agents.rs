//! Remote agents in the command line; a second Baton serves them.

use crate::binary::{Home, RunningProcess, await_line, examples, filtered, request};

/// Starts a second Baton and returns the URL of its agent `weather`.
fn start_remote(args: &[&str]) -> (Home, RunningProcess, String) {
    let home = Home::new();
    let (server, url) = home.up(&[&[examples().as_str(), "--port", "0"], args].concat());
    (home, server, format!("{url}/agents/weather"))
}

fn local_home() -> Home {
    let home = Home::new();
    home.agent("one", "", "rules: [{ say: hello }]\n");
    home
}

fn key_filtered(check: impl FnOnce()) {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter("[A-Za-z0-9_-]{43}", "[key]");
    settings.bind(|| filtered(check));
}

#[test]
fn remote_agent_is_added_shown_called_and_removed() {
    let (_home, _peer, url) = start_remote(&[]);
    let home = local_home();
    let offered = home.run(&["agents", "show", &url]);
    let (server, own) = home.up(&["--port", "0"]);
    let added = home.run(&["agents", "add", &url, "--name", "forecast"]);
    let listed = home.run(&["agents"]);
    let shown = home.run(&["agents", "show", "forecast"]);
    let asked = home.run(&["run", "forecast", "Weather in Lisbon?"]);
    let taken = home.run(&["agents", "add", &url, "--name", "one"]);
    let not_a_reference = home.run(&["agents", "add", &url, "--bearer", "hunter2"]);
    assert!(!not_a_reference.stderr.contains("hunter2"), "a secret is not repeated: {}", not_a_reference.stderr);

    // The remote agent is not a local one, so the root card stays; the catalog lists it only on request.
    assert_eq!(request(&own, "GET", "/.well-known/agent-card.json", &[], "").status, 200);
    let catalog = request(&own, "GET", "/.well-known/ai-catalog.json", &[], "").body;
    assert!(catalog.contains("/agents/one/") && !catalog.contains("forecast"), "{catalog}");
    server.kill();
    let asleep = home.run(&["agents"]);
    assert!(asleep.stdout.contains("forecast") && asleep.stdout.contains("[remote: "), "{}", asleep.shown());
    let (_server, own) = home.up(&["--port", "0"]);
    assert!(request(&own, "GET", "/agents", &[], "").body.contains("\"remote\""), "it is still there");
    let removed = home.run(&["agents", "remove", "forecast"]);
    let gone = home.run(&["run", "forecast", "hi"]);
    let again = home.run(&["agents", "remove", "forecast", "--json"]);
    let own_one = home.run(&["agents", "remove", "one"]);
    let listed_again = home.run(&["agents", "add", &url, "--listed", "--json"]);
    assert_eq!(listed_again.code, Some(0), "{}", listed_again.shown());
    let catalog = request(&own, "GET", "/.well-known/ai-catalog.json", &[], "").body;
    assert!(catalog.contains("/agents/weather-assistant/"), "{catalog}");
    let all = [offered, added, listed, shown, asked, taken, not_a_reference, removed, gone, again, own_one];
    key_filtered(|| insta::assert_snapshot!("remote_agents", all.map(|ended| ended.shown()).join("\n")));
}

#[test]
fn run_calls_a_url_directly() {
    let (_home, _peer, url) = start_remote(&[]);
    let home = Home::new();
    let asked = home.run(&["run", &url, "Weather in Oakland?"]);
    let json = home.run(&["run", &url, "Weather in Oakland?", "--json"]);
    let task: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{}", json.shown());
    let context = task["contextId"].as_str().expect("a context");
    let more = home.run(&["run", &url, "And in Lisbon?", "--context", context, "--json"]);
    let more: serde_json::Value = serde_json::from_str(&more.stdout).expect("JSON");
    assert_eq!(more["contextId"], context);
    let ended = home.run(&["run", &url, "more", "--task", task["id"].as_str().expect("an id")]);
    assert_eq!(ended.code, Some(1), "{}", ended.shown());
    let nobody = home.run(&["run", "http://127.0.0.1:1", "hi"]);
    let no_card = home.run(&["run", url.rsplit_once("/agents/").expect("an address").0, "hi"]);
    let missing = home.run(&["run", &url, "hi", "--bearer", "env://NOT_THERE"]);
    let named = home.run(&["run", "weather", "hi", "--bearer", "env://NOT_THERE"]);
    let all = [asked, nobody, no_card, missing, named].map(|ended| ended.shown()).join("\n");
    filtered(|| insta::assert_snapshot!("run_url", all));
    assert!(!home.path(".baton").exists(), "no data directory is created");
}

#[test]
fn question_of_a_remote_agent_is_exit_code_3() {
    let home = Home::new();
    let playbook = "rules:\n  - when: { after_tool: ask_user }\n    say: \"Booked for ${result}.\"\n  \
        - when: { user: table, turn: first }\n    call: [{ tool: ask_user, args: { question: \"Which day?\" } }]\n";
    home.agent("booking", "settings: { control_tools: [ask_user] }\n", playbook);
    let (_server, url) = home.up(&["--port", "0"]);
    let url = format!("{url}/agents/booking");
    let asked = home.run(&["run", &url, "a table, please"]);
    filtered(|| insta::assert_snapshot!("run_url_question", asked.shown()));
    let task = asked.stderr.split_whitespace().skip_while(|word| *word != "task").nth(1).expect("its id");
    let answered = home.run(&["run", &url, "Tuesday", "--task", task, "-q"]);
    assert_eq!((answered.code, answered.stdout.as_str()), (Some(0), "Booked for Tuesday.\n"), "{}", answered.shown());
}

#[test]
fn credentials_come_from_secret_references() {
    let (peer, _server, url) = start_remote(&["--auth"]);
    let token = peer.run(&["token", "create", "first-baton"]).stdout.trim().to_owned();
    let home = local_home();
    // A configured peer with its token in a file; a local agent hands work off to it.
    home.write("token.txt", &token);
    home.write(
        "baton.yaml",
        &format!("peers: [{{ name: forecast, url: \"{url}\", bearer: \"file://token.txt\", listed: true }}]\n"),
    );
    home.agent(
        "host",
        "handoffs: [{ agent: forecast, description: Knows the weather. }]\n",
        "rules:\n  - when: { after_tool: handoff }\n    say: \"They say: ${result./response}\"\n  \
         - when: { turn: first }\n    call: [{ tool: handoff, args: { agent_uri: forecast, message: \"${user}\" } }]\n",
    );
    let (_own, _) = home.up_with(&[("PEER_TOKEN", token.as_str())], &["--port", "0"]);
    let asked = home.run(&["run", "forecast", "Weather in Oakland?", "-q"]);
    assert_eq!(asked.stdout, "The weather in Oakland is 72°F, sunny, humidity 65%.\n", "{}", asked.shown());
    let handed = home.run(&["run", "host", "Weather in Oakland?", "-q"]);
    assert!(handed.stdout.starts_with("They say: The weather in Oakland"), "{}", handed.shown());
    let kept = home.run(&["agents", "remove", "forecast"]);
    assert!(kept.code == Some(2) && kept.stderr.contains("is in the configuration"), "{}", kept.shown());
    // An added peer with its token in an environment variable of the server.
    let unknown = home.run(&["agents", "add", &url, "--name", "second", "--bearer", "env://NOBODY_SET_THIS"]);
    assert!(unknown.stderr.contains("BTN-5008"), "{}", unknown.shown());
    let added = home.run(&["agents", "add", &url, "--name", "second", "--bearer", "env://PEER_TOKEN"]);
    assert_eq!(added.code, Some(0), "{}", added.shown());
    assert!(added.stdout.contains("HTTP Bearer"), "the card names the required credentials: {}", added.shown());
    assert!(home.run(&["run", "second", "Weather in Lisbon?", "-q"]).stdout.contains("Lisbon"));
    let bare = home.run(&["agents", "add", &url, "--name", "third"]);
    assert!(
        bare.stderr.contains("it requires credentials") && !added.stderr.contains("it requires"),
        "{}",
        bare.shown()
    );
    let refused = home.run(&["run", "third", "Weather in Lisbon?", "-q"]);
    assert!(refused.stderr.contains("it requires credentials: the request has no token"), "{}", refused.shown());
    // By URL: with the configured credential of that address, with one from the option, and with none.
    assert_eq!(home.run(&["run", &url, "Weather in Rome?", "-q"]).code, Some(0));
    let stranger = Home::new();
    let with = [("T", token.as_str())];
    let known = stranger.run_with(&with, &["run", &url, "Weather in Rome?", "-q", "--bearer", "env://T"]);
    assert_eq!(known.code, Some(0), "{}", known.shown());
    let unknown = stranger.run(&["run", &url, "Weather in Rome?", "-q"]);
    assert_eq!(unknown.code, Some(1), "{}", unknown.shown());
    filtered(|| insta::assert_snapshot!("run_url_refused", unknown.shown()));
    for file in ["peers.json", "journal.db", "journal.db-wal"] {
        let bytes = std::fs::read(home.path(&format!(".baton/{file}"))).unwrap_or_default();
        assert!(!bytes.windows(token.len()).any(|window| window == token.as_bytes()), "the token is in {file}");
    }
}

#[test]
fn push_without_public_url_is_warned_about() {
    let home = local_home();
    let peer =
        |name: &str, push: bool| format!("  - {{ name: {name}, url: \"https://{name}.example\", push: {push} }}\n");
    home.write("baton.yaml", &format!("peers:\n{}{}", peer("quiet", true), peer("other", false)));
    let said = |args: &[&str]| {
        let mut server = home.start(&[&["up", "--port", "0", "--data", "data"], args].concat());
        let mut said = String::new();
        while !said.contains("baton serves") {
            said.push_str(&await_line(&mut server.stderr, ""));
        }
        server.kill();
        said
    };
    let warned = said(&[]);
    assert!(warned.contains("push of quiet has no effect without --public-url"), "{warned}");
    let reachable = said(&["--public-url", "https://agents.example.com"]);
    assert!(!reachable.contains("warning"), "{reachable}");
}

#[test]
fn caller_runs_the_tools_that_a_remote_agent_delegates() {
    let (_home, _peer, url) = start_remote(&["--tools", "caller"]);
    let home = local_home();
    let directly = home.run(&["run", &url, "What's the weather in Oakland?"]);
    let as_json = home.run(&["run", &url, "What's the weather in Oakland?", "--json"]);
    assert!(as_json.stdout.contains("TASK_STATE_COMPLETED"), "{}", as_json.shown());
    let (_server, _) = home.up(&["--port", "0"]);
    home.run(&["agents", "add", &url, "--name", "forecast"]);
    let through_this_one = home.run(&["run", "forecast", "What's the weather in Oakland?"]);
    let all = [directly, through_this_one];
    key_filtered(|| insta::assert_snapshot!("left_to_the_caller", all.map(|ended| ended.shown()).join("\n")));
}
