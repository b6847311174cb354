//! Connections that drop at every point of a stream, while the caller of the client sees a complete stream.

use super::{
    client_library::{Peer, ask, run_to_end},
    foreign_server::{ServerKind, ServerMode},
    transcript::{Transcript, numbered_chunks},
};
use crate::binary::Home;
use baton_client::Client;
use baton_testkit::{Cut, CutProxy};
use baton_types::TaskState;
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Chunks of a stream.
const CHUNKS: usize = 40;

/// Events of a stream with that many chunks: the task, the working status, the chunks, the end.
const EVENTS: usize = CHUNKS + 3;

const MAX_CONCURRENT_STREAMS: usize = 8;

/// For servers without cursors: one cut after each event of a stream, and some streams with a cut every few events.
pub(super) async fn cut_after_events(kind: &ServerKind, binding: &str) {
    let once = (1..EVENTS).map(|events| CutPlan { cut: Cut::Events(events), every: usize::MAX });
    let often = (2..6).map(|events| CutPlan { cut: Cut::Events(events), every: 1 });
    check_all_plans(kind, binding, once.chain(often).collect()).await;
}

/// For bindings without visible event boundaries on the wire: cuts at increasing byte offsets.
pub(super) async fn cut_after_bytes(kind: &ServerKind, binding: &str) {
    let plans = (1..24).map(|step| CutPlan { cut: Cut::Bytes(100 + step * 140), every: 2 });
    check_all_plans(kind, binding, plans.collect()).await;
}

/// The position of the cut, and its period: the first connection and every n-th after it.
#[derive(Clone, Copy, Debug)]
struct CutPlan {
    cut: Cut,
    every: usize,
}

async fn check_all_plans(kind: &ServerKind, binding: &str, plans: Vec<CutPlan>) {
    let served = kind.serve(binding, ServerMode::Streaming).await;
    let peer = &Peer::connect(&served.url).await;
    let (whole, _) = &numbered_chunks(CHUNKS);
    let count = plans.len();
    let followed = stream::iter(plans).map(|plan| async move {
        let proxy = CutProxy::open(peer.address()).await.expect("a proxy");
        proxy.plan(move |connection| if connection.is_multiple_of(plan.every) { plan.cut } else { Cut::Never });
        let client = peer.client_at(proxy.address());
        let transcript = run_to_end(&client, &ask(&format!("stream {CHUNKS} 3"))).await;
        assert_eq!(transcript.end(), Some(TaskState::Completed), "{plan:?}: {transcript:?}");
        assert_eq!(transcript.status_text, format!("{CHUNKS} chunks"), "{plan:?}: {transcript:?}");
        let stored = peer.client.get(&transcript.task).await.expect("the task is kept");
        let stored = stored.artifacts.iter().flatten().flat_map(|artifact| &artifact.parts);
        let stored: String = stored.filter_map(|part| part.text.as_deref()).collect();
        assert_eq!(transcript.output(), stored, "{plan:?}");
        // No chunk is repeated and no text is retracted.
        assert!(transcript.chunks.concat() == *whole || kind.version == "0.3", "{plan:?}: {:?}", transcript.chunks);
        // The 0.3 server itself stores chunks twice when a second client subscribes.
        assert!(stored == *whole || kind.version == "0.3", "{plan:?}: {stored}");
        proxy.cuts()
    });
    let cuts: Vec<usize> = followed.buffer_unordered(MAX_CONCURRENT_STREAMS).collect().await;
    assert_eq!(cuts.len(), count);
    let whole_lines = cuts.iter().filter(|cuts| **cuts == 0).count();
    assert!(whole_lines * 10 <= count, "{whole_lines} of {count} streams were not cut at all");
}

/// Turns of the writing agent, and its outputs in each turn.
const TURNS: usize = 25;
const OUTPUTS: usize = 4;

/// An agent whose task has about 200 events. Each turn takes a moment, so that early cuts find the task running and
/// late cuts find it ended.
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

/// A stream of 200 events with a cut after each one; every event arrives exactly once, in order.
async fn check_every_event(binding: &str) {
    let home = Home::new();
    writer(&home);
    let (_baton, url) = home.up(&["writer", "--port", "0", "--data", "data", "--strict"]);
    let agent = format!("{url}/agents/writer");
    let mut peer = Peer::connect(&agent).await;
    peer.switch_binding(binding);
    let proxy = CutProxy::open(peer.address()).await.expect("a proxy");
    // A connection starts with a snapshot of the task, and the next numbered event is new. Some cuts fall between the
    // two, or after provisional text, which has no number.
    proxy.plan(|connection| match connection % 10 {
        0 => Cut::Events(1),
        5 => Cut::Events(2),
        _ => Cut::Numbered(2),
    });
    let client = peer.client_at(proxy.address());
    let mut followed = client.send_streaming(&ask("write")).await.expect("the message is accepted");
    let (mut transcript, mut items) = (Transcript::default(), Vec::new());
    while let Some(item) = transcript.next(&mut followed).await {
        items.push(serde_json::to_value(&item).expect("JSON"));
    }
    assert_eq!((transcript.end(), transcript.status_text.as_str()), (Some(TaskState::Completed), ""));
    assert!(transcript.artifacts.values().any(|text| text == "That is all."), "{transcript:?}");

    // The same events from the journal, over a connection that is not cut.
    let whole = Client::tcp(&url).expect("a client").subscribe("writer", &transcript.task, Some(1)).await;
    let (mut whole, mut expected) = (whole.expect("a subscription"), Vec::new());
    while let Some(event) = whole.next().await {
        let event = event.expect("an event");
        if event.number.is_some() {
            expected.push(serde_json::to_value(&event.item).expect("JSON"));
        }
    }
    assert!(expected.len() >= 200, "{} events", expected.len());
    // Provisional text has no number; its final version is an event.
    let is_live = |item: &Value| item.get("artifactUpdate").is_some() && !expected.contains(item);
    let (live, numbered): (Vec<Value>, Vec<Value>) = items.into_iter().skip(1).partition(is_live);
    let said = |item: &Value| item.pointer("/artifactUpdate/artifact/parts/0/text").cloned().unwrap_or_default();
    assert!(live.iter().all(|item| "That is all.".contains(said(item).as_str().expect("text"))), "{live:#?}");
    let expected: Vec<Value> = expected.into_iter().skip(1).collect();
    assert_eq!(numbered.len(), expected.len());
    for (number, (received, expected)) in numbered.iter().zip(&expected).enumerate() {
        assert_eq!(received, expected, "event {number}");
    }
    assert!(proxy.cuts() >= expected.len(), "{} cuts of {} events", proxy.cuts(), expected.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn baton_events_arrive_exactly_once_over_json_rpc() {
    check_every_event("JSONRPC").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn baton_events_arrive_exactly_once_over_http_json() {
    check_every_event("HTTP+JSON").await;
}
