//! Lines that break off at every place of a stream, and a client whose caller does not notice.

use super::{
    served::{Kind, Manner},
    story::{Story, numbered},
    talk::{Peer, ask, told},
};
use crate::binary::Home;
use baton_client::Client;
use baton_testkit::{Cut, CutProxy};
use baton_types::TaskState;
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Pieces of a stream that is cut.
const PIECES: usize = 40;

/// Events of a stream with so many pieces: the task, that it works, the pieces, the end.
const EVENTS: usize = PIECES + 3;

/// Streams that are followed at the same time.
const AT_ONCE: usize = 8;

/// A server without cursors is cut once behind each event of a stream, and some streams behind every few.
pub(super) async fn everywhere(kind: &Kind, binding: &str) {
    let once = (1..EVENTS).map(|events| Plan { cut: Cut::Events(events), every: usize::MAX });
    let often = (2..6).map(|events| Plan { cut: Cut::Events(events), every: 1 });
    follow_all(kind, binding, once.chain(often).collect()).await;
}

/// Bindings whose events cannot be told apart on the line are cut behind more and more bytes.
pub(super) async fn anywhere(kind: &Kind, binding: &str) {
    let plans = (1..24).map(|step| Plan { cut: Cut::Bytes(100 + step * 140), every: 2 });
    follow_all(kind, binding, plans.collect()).await;
}

/// Where connections are cut, and how many of them: the first and every so many after it.
#[derive(Clone, Copy, Debug)]
struct Plan {
    cut: Cut,
    every: usize,
}

async fn follow_all(kind: &Kind, binding: &str, plans: Vec<Plan>) {
    let served = kind.serve(binding, Manner::Streaming).await;
    let peer = &Peer::meet(&served.url).await;
    let (whole, _) = &numbered(PIECES);
    let count = plans.len();
    let followed = stream::iter(plans).map(|plan| async move {
        let proxy = CutProxy::open(peer.address()).await.expect("a proxy");
        proxy.plan(move |connection| if connection.is_multiple_of(plan.every) { plan.cut } else { Cut::Never });
        let client = peer.through(proxy.address());
        let story = told(&client, &ask(&format!("stream {PIECES} 3"))).await;
        assert_eq!(story.end(), Some(TaskState::Completed), "{plan:?}: {story:?}");
        assert_eq!(story.said, format!("{PIECES} chunks"), "{plan:?}: {story:?}");
        let stored = peer.client.get(&story.task).await.expect("the task is kept");
        let stored = stored.artifacts.iter().flatten().flat_map(|artifact| &artifact.parts);
        let stored: String = stored.filter_map(|part| part.text.as_deref()).collect();
        assert_eq!(story.output(), stored, "{plan:?}");
        // Nothing is told twice, and nothing is told that has to be taken back.
        assert!(story.pieces.concat() == *whole || kind.version == "0.3", "{plan:?}: {:?}", story.pieces);
        // The old server itself keeps pieces twice that it tells to a second listener.
        assert!(stored == *whole || kind.version == "0.3", "{plan:?}: {stored}");
        proxy.cuts()
    });
    let cuts: Vec<usize> = followed.buffer_unordered(AT_ONCE).collect().await;
    assert_eq!(cuts.len(), count);
    let whole_lines = cuts.iter().filter(|cuts| **cuts == 0).count();
    assert!(whole_lines * 10 <= count, "{whole_lines} of {count} streams were not cut at all");
}

/// Turns of the agent that writes much, and what it puts out in each.
const TURNS: usize = 25;
const OUTPUTS: usize = 4;

/// An agent whose task has some two hundred events; it takes a moment for each turn, so that the first cuts find it at
/// work and the last ones find the task ended.
fn writer(home: &Home) {
    let mut playbook = "rules:\n".to_owned();
    for turn in 1..=TURNS {
        let calls = (0..OUTPUTS).map(|output| {
            let args = json!({"artifact_id": format!("step-{output}"), "text": format!("{turn}.{output}")});
            json!({"tool": "emit_artifact", "args": args})
        });
        let calls = Value::from(calls.collect::<Vec<_>>());
        let _ = writeln!(playbook, "  - {{ when: {{ user: ^write, turn: {turn} }}, wait: 40ms, call: {calls} }}");
    }
    playbook.push_str("  - say: That is all.\n");
    home.agent("writer", "settings: { max_turns: 30, control_tools: [emit_artifact] }\n", &playbook);
}

/// Two hundred events, the line cut behind each of them; every event is told once, in order.
async fn two_hundred(binding: &str) {
    let home = Home::new();
    writer(&home);
    let (_baton, url) = home.up(&["writer", "--port", "0", "--data", "data", "--strict"]);
    let agent = format!("{url}/agents/writer");
    let mut peer = Peer::meet(&agent).await;
    peer.speak(binding);
    let proxy = CutProxy::open(peer.address()).await.expect("a proxy");
    // A connection begins with the task as it was, and the next numbered event is a new one. Some break off between the
    // two, or behind text that is taken back and has no number.
    proxy.plan(|connection| match connection % 10 {
        0 => Cut::Events(1),
        5 => Cut::Events(2),
        _ => Cut::Numbered(2),
    });
    let client = peer.through(proxy.address());
    let mut followed = client.send_streaming(&ask("write")).await.expect("it is taken");
    let (mut story, mut items) = (Story::default(), Vec::new());
    while let Some(item) = story.next(&mut followed).await {
        items.push(serde_json::to_value(&item).expect("JSON"));
    }
    assert_eq!((story.end(), story.said.as_str()), (Some(TaskState::Completed), ""));
    assert!(story.artifacts.values().any(|text| text == "That is all."), "{story:?}");

    // The same from the journal, over a line that holds.
    let whole = Client::tcp(&url).expect("a client").subscribe("writer", &story.task, Some(1)).await;
    let (mut whole, mut expected) = (whole.expect("a subscription"), Vec::new());
    while let Some(event) = whole.next().await {
        let event = event.expect("an event");
        if event.number.is_some() {
            expected.push(serde_json::to_value(&event.item).expect("JSON"));
        }
    }
    assert!(expected.len() >= 200, "{} events", expected.len());
    // Live text has no number: it comes as it comes, and what became of it is an event.
    let is_live = |item: &Value| item.get("artifactUpdate").is_some() && !expected.contains(item);
    let (live, numbered): (Vec<Value>, Vec<Value>) = items.into_iter().skip(1).partition(is_live);
    let said = |item: &Value| item.pointer("/artifactUpdate/artifact/parts/0/text").cloned().unwrap_or_default();
    assert!(live.iter().all(|item| "That is all.".contains(said(item).as_str().expect("text"))), "{live:#?}");
    let expected: Vec<Value> = expected.into_iter().skip(1).collect();
    assert_eq!(numbered.len(), expected.len());
    for (number, (heard, expected)) in numbered.iter().zip(&expected).enumerate() {
        assert_eq!(heard, expected, "event {number}");
    }
    assert!(proxy.cuts() >= expected.len(), "{} cuts of {} events", proxy.cuts(), expected.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_event_of_batons_own_comes_once_over_json_rpc() {
    two_hundred("JSONRPC").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_event_of_batons_own_comes_once_over_http_json() {
    two_hundred("HTTP+JSON").await;
}
