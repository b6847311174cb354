//! Remote agents on third-party servers, used from the command line.

use super::client_library::Peer;
use super::foreign_server::{ForeignServer, ServerKind, ServerMode};
use super::transcript::numbered_chunks;
use crate::binary::{CommandOutput, Home, free_port, last_text};
use baton_client::{Client, SendRequest};
use baton_types::{Message, Part, Role, TaskState};
use serde_json::Value;
use std::time::Duration;

/// Timeout for a change to reach the remote server.
const PEER_TIMEOUT: Duration = Duration::from_secs(30);

/// A Baton with the remote agent configured as `words`.
struct ConfiguredPeer {
    home: Home,
    _baton: crate::binary::RunningProcess,
    url: String,
}

impl ConfiguredPeer {
    fn new(served: &ForeignServer) -> Self {
        let home = Home::new();
        let peer = format!("{{ name: words, url: \"{}\", push: true, allow: [\"127.0.0.0/8\"] }}", served.url);
        home.write("baton.yaml", &format!("peers:\n  - {peer}\n"));
        home.agent("local", "", "rules: [{ say: Here. }]\n");
        // The public URL for notifications must be known before the server starts, so the port is chosen first.
        let port = free_port();
        let public = format!("http://127.0.0.1:{port}");
        let place = ["--port", &port, "--public-url", &public, "--data", "data", "--config", "baton.yaml"];
        let (baton, url) = home.up(&[&["local"], &place[..]].concat());
        Self { home, _baton: baton, url }
    }

    fn baton(&self, args: &[&str]) -> CommandOutput {
        self.home.run(&[args, &["--data", "data", "--config", "baton.yaml"]].concat())
    }

    /// Runs a command that must succeed, and returns its output.
    fn stdout_of(&self, args: &[&str]) -> String {
        let ended = self.baton(args);
        assert_eq!(ended.code, Some(0), "{args:?}: {}", ended.shown());
        ended.stdout.trim().to_owned()
    }

    fn json(&self, args: &[&str]) -> Value {
        let printed = self.stdout_of(&[args, &["--json"]].concat());
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{args:?}: {error}: {printed}"))
    }
}

/// All checks from the command line.
pub(super) async fn check_all(kind: &ServerKind, binding: &str) {
    let served = kind.serve(binding, ServerMode::Streaming).await;
    let known = ConfiguredPeer::new(&served);
    check_card(&known, &served, kind, binding);
    check_answers(&known, &served);
    check_question(&known, "words");
    check_question(&known, &served.url);
    check_cancellation(&known, &served).await;
}

/// The agent is shown by URL and by name, and can be added under another name.
fn check_card(known: &ConfiguredPeer, served: &ForeignServer, kind: &ServerKind, binding: &str) {
    let spoken = format!("{binding} {}", kind.version);
    for shown in [
        known.json(&["agents", "show", &served.url]),
        known.json(&["agents", "add", &served.url, "--name", "added"]),
        known.json(&["agents", "show", "added"]),
    ] {
        assert_eq!(shown.pointer("/remote/binding"), Some(&Value::from(spoken.as_str())), "{shown}");
        let card = format!("{}/.well-known/agent-card.json", served.url);
        assert_eq!(shown.pointer("/remote/cardUrl"), Some(&Value::from(card)), "{shown}");
    }
    let listed = known.stdout_of(&["agents"]);
    for name in ["added", "local", "words"] {
        assert!(listed.contains(name), "{name} in {listed}");
    }
}

fn check_answers(known: &ConfiguredPeer, served: &ForeignServer) {
    for agent in ["words", "added", &served.url] {
        assert_eq!(known.stdout_of(&["run", agent, "hello there"]), "hello there", "{agent}");
        assert_eq!(known.stdout_of(&["run", agent, "bare"]), "just words", "{agent}");
        let failed = known.baton(&["run", agent, "fail"]);
        assert_ne!(failed.code, Some(0), "{}", failed.shown());
        assert!(failed.stderr.contains("It did not work."), "{}", failed.shown());
    }
    let task = known.json(&["run", "words", "stream 20 2"]);
    let (whole, _) = numbered_chunks(20);
    let texts = task["artifacts"].as_array().into_iter().flatten().map(|artifact| {
        let parts = artifact["parts"].as_array().into_iter().flatten();
        parts.filter_map(|part| part["text"].as_str()).collect::<String>()
    });
    let texts: Vec<String> = texts.collect();
    assert!(texts.contains(&whole), "{task}");
    assert_eq!(last_text(&task), "20 chunks", "{task}");
}

/// A question that is answered by a second command.
fn check_question(known: &ConfiguredPeer, agent: &str) {
    let asked = known.baton(&["run", agent, "ask", "--json"]);
    assert_eq!(asked.code, Some(3), "{}", asked.shown());
    let task: Value = serde_json::from_str(&asked.stdout).expect("JSON");
    assert_eq!(task.pointer("/status/message/parts/0/text"), Some(&Value::from("Which colour?")), "{task}");
    let id = task["id"].as_str().expect("an id");
    assert_eq!(known.stdout_of(&["run", agent, "blue", "--task", id]), "chose blue", "{agent}");
}

/// A cancellation is forwarded to the remote task.
async fn check_cancellation(known: &ConfiguredPeer, served: &ForeignServer) {
    let client = Client::tcp(&known.url).expect("a client");
    let words = Message::new("stop-me".into(), Role::User, vec![Part::text("slow")]);
    let task = client.send("words", SendRequest { return_immediately: true, ..SendRequest::new(words) }).await;
    let task = task.expect("a task").id.into_owned();
    let theirs =
        tokio::time::timeout(PEER_TIMEOUT, remote_task_id(&client, &task)).await.expect("the remote task is known");
    let canceled = client.cancel("words", &task).await.expect("canceled");
    assert_eq!(canceled.status.state.to_task_state(), Some(TaskState::Canceled));
    let peer = Peer::connect(&served.url).await;
    // The remote cancellation is sent asynchronously, after the local task has ended.
    let remote_cancel = async {
        while peer.client.get(&theirs).await.expect("the remote task").status.state.to_task_state()
            != Some(TaskState::Canceled)
        {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PEER_TIMEOUT, remote_cancel).await.expect("the remote task is canceled");
}

/// Id of the remote task, once the local task has recorded it.
async fn remote_task_id(client: &Client, task: &str) -> String {
    loop {
        let events = client.events(task, 0, 1000).await.expect("events");
        let theirs = events.iter().find_map(|event| {
            let text = serde_json::to_value(event).expect("JSON");
            text.pointer("/body/peer_attached/task").or(text.pointer("/body/task")).cloned()
        });
        if let Some(Value::String(theirs)) = theirs {
            return theirs;
        }
        tokio::task::yield_now().await;
    }
}

/// A non-streaming server sends a push notification when the task has ended.
pub(super) async fn check_notification(kind: &ServerKind, binding: &str) {
    let mut served = kind.serve(binding, ServerMode::NonStreaming).await;
    let known = ConfiguredPeer::new(&served);
    assert_eq!(known.stdout_of(&["run", "words", "wait 1500"]), "It took a while.");
    let (path, status) = served.next_notification().await;
    assert!(path.starts_with("/api/v1/peers/notifications/"), "{path}");
    assert!((200..300).contains(&status), "the notification was answered with {status}");
}
