//! A person with the real binary, which asks an agent on a server that others wrote.

use super::served::{Kind, Manner, Served};
use super::story::numbered;
use super::talk::Peer;
use crate::binary::{Ended, Home, last_text, own_port};
use baton_client::{Client, SendRequest};
use baton_types::{Message, Part, Role, TaskState};
use serde_json::Value;
use std::time::Duration;

/// Longer than it takes until the other side knows.
const PATIENCE: Duration = Duration::from_secs(30);

/// A Baton that knows the agent by its configuration, as `words`.
struct Known {
    home: Home,
    _baton: crate::binary::Running,
    url: String,
}

impl Known {
    fn new(served: &Served) -> Self {
        let home = Home::new();
        let peer = format!("{{ name: words, url: \"{}\", push: true, allow: [\"127.0.0.0/8\"] }}", served.url);
        home.write("baton.yaml", &format!("peers:\n  - {peer}\n"));
        home.agent("local", "", "rules: [{ say: Here. }]\n");
        // Peers are told where to send notifications, so the port is chosen before the server is there.
        let port = own_port();
        let public = format!("http://127.0.0.1:{port}");
        let place = ["--port", &port, "--public-url", &public, "--data", "data", "--config", "baton.yaml"];
        let (baton, url) = home.up(&[&["local"], &place[..]].concat());
        Self { home, _baton: baton, url }
    }

    fn baton(&self, args: &[&str]) -> Ended {
        self.home.run(&[args, &["--data", "data", "--config", "baton.yaml"]].concat())
    }

    /// Runs a command that is to succeed, and gives what it prints.
    fn prints(&self, args: &[&str]) -> String {
        let ended = self.baton(args);
        assert_eq!(ended.code, Some(0), "{args:?}: {}", ended.shown());
        ended.stdout.trim().to_owned()
    }

    fn json(&self, args: &[&str]) -> Value {
        let printed = self.prints(&[args, &["--json"]].concat());
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{args:?}: {error}: {printed}"))
    }
}

/// Everything that a person does with it.
pub(super) async fn everything(kind: &Kind, binding: &str) {
    let served = kind.serve(binding, Manner::Streaming).await;
    let known = Known::new(&served);
    found(&known, &served, kind, binding);
    answers(&known, &served);
    question(&known, "words");
    question(&known, &served.url);
    stopped(&known, &served).await;
}

/// The agent is shown by address and by name, and added under another one.
fn found(known: &Known, served: &Served, kind: &Kind, binding: &str) {
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
    let listed = known.prints(&["agents"]);
    for name in ["added", "local", "words"] {
        assert!(listed.contains(name), "{name} in {listed}");
    }
}

fn answers(known: &Known, served: &Served) {
    for agent in ["words", "added", &served.url] {
        assert_eq!(known.prints(&["run", agent, "hello there"]), "hello there", "{agent}");
        assert_eq!(known.prints(&["run", agent, "bare"]), "just words", "{agent}");
        let failed = known.baton(&["run", agent, "fail"]);
        assert_ne!(failed.code, Some(0), "{}", failed.shown());
        assert!(failed.stderr.contains("It did not work."), "{}", failed.shown());
    }
    let task = known.json(&["run", "words", "stream 20 2"]);
    let (whole, _) = numbered(20);
    let texts = task["artifacts"].as_array().into_iter().flatten().map(|artifact| {
        let parts = artifact["parts"].as_array().into_iter().flatten();
        parts.filter_map(|part| part["text"].as_str()).collect::<String>()
    });
    let texts: Vec<String> = texts.collect();
    assert!(texts.contains(&whole), "{task}");
    assert_eq!(last_text(&task), "20 chunks", "{task}");
}

/// A question, and its answer by another command.
fn question(known: &Known, agent: &str) {
    let asked = known.baton(&["run", agent, "ask", "--json"]);
    assert_eq!(asked.code, Some(3), "{}", asked.shown());
    let task: Value = serde_json::from_str(&asked.stdout).expect("JSON");
    assert_eq!(task.pointer("/status/message/parts/0/text"), Some(&Value::from("Which colour?")), "{task}");
    let id = task["id"].as_str().expect("an id");
    assert_eq!(known.prints(&["run", agent, "blue", "--task", id]), "chose blue", "{agent}");
}

/// Canceling here cancels there.
async fn stopped(known: &Known, served: &Served) {
    let client = Client::tcp(&known.url).expect("a client");
    let words = Message::new("stop-me".into(), Role::User, vec![Part::text("slow")]);
    let task = client.send("words", SendRequest { return_immediately: true, ..SendRequest::new(words) }).await;
    let task = task.expect("a task").id.into_owned();
    let theirs = tokio::time::timeout(PATIENCE, attached(&client, &task)).await.expect("it is taken");
    let canceled = client.cancel("words", &task).await.expect("canceled");
    assert_eq!(canceled.status.state.to_task_state(), Some(TaskState::Canceled));
    let peer = Peer::meet(&served.url).await;
    // It is told by itself, after the task has ended here.
    let told = async {
        while peer.client.get(&theirs).await.expect("their task").status.state.to_task_state()
            != Some(TaskState::Canceled)
        {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, told).await.expect("it is canceled there too");
}

/// The task of the other side, once it is known here.
async fn attached(client: &Client, task: &str) -> String {
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

/// A server that does not stream tells this Baton when the work is done.
pub(super) async fn notified(kind: &Kind, binding: &str) {
    let mut served = kind.serve(binding, Manner::Quiet).await;
    let known = Known::new(&served);
    assert_eq!(known.prints(&["run", "words", "wait 1500"]), "It took a while.");
    let (path, status) = served.notified().await;
    assert!(path.starts_with("/api/v1/peers/notifications/"), "{path}");
    assert!((200..300).contains(&status), "the notification was answered with {status}");
}
