//! Calls in sessions that are answered directly: the same replies as those of the transport, with a stream where
//! needed.

use super::{
    raw::{RawRequest, Reply},
    world::{Plan, World, ann, bob},
};
use baton_local::SessionFiles;
use baton_mcp::McpLimits;
use http::Method;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

const JSON: &str = "application/json";
const STREAM: &str = "text/event-stream";

fn call(session: &str, tool: &str, arguments: &Value) -> RawRequest {
    RawRequest::legacy(session, "tools/call", json!({"name": tool, "arguments": arguments}))
}

fn cancel(session: &str, id: u64) -> RawRequest {
    let body = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    RawRequest::new(Method::POST, body.to_string()).within(session)
}

fn edited(mut ask: RawRequest, edit: impl FnOnce(&mut Value)) -> RawRequest {
    let mut body: Value = serde_json::from_slice(&ask.body).unwrap();
    edit(&mut body);
    ask.body = body.to_string().into();
    ask
}

/// A duplicate header is not handled directly, so the transport answers.
fn via_transport(mut ask: RawRequest) -> RawRequest {
    ask.headers.push(("content-type", JSON.to_owned()));
    ask
}

impl World {
    /// A session after its first call, which the transport answers.
    async fn session_after_first_call(&self) -> String {
        let session = self.session(ann()).await;
        let first = self.ask(call(&session, "echo", &json!({}))).await;
        assert_eq!((first.status.as_u16(), first.kind.as_str()), (200, STREAM));
        self.host.ran();
        session
    }
}

#[tokio::test]
async fn direct_and_transport_results_are_equal() {
    let world = World::new();
    let session = world.session_after_first_call().await;
    for (tool, arguments) in [
        ("echo", json!({"city": "Oslo", "deep": {"list": [1, null, "x"]}})),
        ("say", json!({"city": "Oslo"})),
        ("say", json!({"town": 1})),
        ("fail", json!({})),
        ("ask", json!({})),
        ("guarded", json!({})),
        ("progress", json!({})),
    ] {
        let ask = || call(&session, tool, &arguments);
        let (short, long) = (world.ask(ask()).await, world.ask(via_transport(ask())).await);
        assert_eq!((short.kind.as_str(), long.kind.as_str()), (JSON, STREAM), "{tool}");
        assert_eq!((short.status, short.message()), (long.status, long.message()), "{tool}");
    }
    assert!(world.host.ran().iter().all(|run| run.ends_with(" for ann")));
}

#[tokio::test]
async fn unusual_requests_are_left_to_the_transport() {
    let world = World::new();
    let session = world.session_after_first_call().await;
    let ask = || call(&session, "echo", &json!({}));
    let version = "io.modelcontextprotocol/protocolVersion";
    for (why, ask) in [
        ("no version", ask().without("mcp-protocol-version")),
        ("a method in a header", ask().with("mcp-method", "tools/call")),
        ("another verb", edited(ask(), |body| body["method"] = json!("tools/list"))),
        ("no such tool", call(&session, "fly", &json!({}))),
    ] {
        let reply = world.ask(ask).await;
        assert_eq!((reply.status.as_u16(), reply.kind.as_str()), (200, STREAM), "{why}");
    }
    for (why, ask) in [
        ("an unknown version", ask().with("mcp-protocol-version", "2031-01-01")),
        (
            "another version in the message",
            edited(ask(), |body| body["params"]["_meta"][version] = json!("2026-07-28")),
        ),
        ("no stream wanted", ask().with("accept", JSON)),
        ("no JSON", ask().with("content-type", "text/plain")),
        ("somebody else", ask().by(bob())),
    ] {
        let reply = world.ask(ask).await;
        assert!(reply.status.is_client_error(), "{why}: {reply:?}");
    }
    assert_eq!(world.host.ran().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn long_call_gets_a_stream_and_runs_once() {
    let world = World::new();
    let session = world.session_after_first_call().await;
    let slept = |reply: &Reply| reply.message()["result"]["content"][0]["text"] == "slept";
    let quick = world.ask(call(&session, "sleep", &json!({"seconds": 0}))).await;
    assert!(quick.kind == JSON && slept(&quick), "{quick:?}");
    let slow = world.ask(call(&session, "sleep", &json!({"seconds": 600}))).await;
    assert!(slow.kind == STREAM && slept(&slow), "{slow:?}");
    assert_eq!(world.host.ran().len(), 2);
    // The connection breaks before the answer, which a resumed stream delivers.
    let mut begun = world.begin(call(&session, "sleep", &json!({"seconds": 600}))).await.into_body();
    let first = begun.frame().await.unwrap().unwrap().into_data().unwrap();
    let last = String::from_utf8(first.to_vec()).unwrap();
    let last = last.lines().find_map(|line| line.strip_prefix("id:")).unwrap().trim().to_owned();
    drop(begun);
    let back = RawRequest::new(Method::GET, "").within(&session).with("accept", STREAM).with("last-event-id", &last);
    let mut back = world.begin(back).await.into_body();
    let mut text = String::new();
    while !text.contains("slept") {
        let frame = back.frame().await.unwrap().unwrap().into_data().unwrap();
        text.push_str(std::str::from_utf8(&frame).unwrap());
    }
    assert_eq!(world.host.ran().len(), 1);
}

#[tokio::test]
async fn question_is_sent_on_the_stream_of_its_call() {
    let world = World::new();
    let introduced =
        edited(RawRequest::initialize(), |body| body["params"]["capabilities"] = json!({"elicitation": {}}));
    let session = world.ask(introduced).await.session.unwrap();
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    world.ask(RawRequest::new(Method::POST, initialized).within(&session)).await;
    world.ask(call(&session, "echo", &json!({}))).await;
    for round in ["first", "second"] {
        let reply = world.begin(call(&session, "guarded", &json!({"round": round}))).await;
        assert_eq!(reply.headers()["content-type"], STREAM);
        let mut body = reply.into_body();
        let mut text = String::new();
        while !text.contains("elicitation/create") {
            let frame = body.frame().await.unwrap().unwrap().into_data().unwrap();
            text.push_str(std::str::from_utf8(&frame).unwrap());
        }
        let question = text.lines().rev().find_map(|line| line.strip_prefix("data:")).unwrap();
        let id = serde_json::from_str::<Value>(question.trim()).unwrap()["id"].clone();
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": {"action": "accept", "content": {"allow": true}}});
        let answer = RawRequest::new(Method::POST, answer.to_string()).within(&session);
        assert_eq!(world.ask(answer).await.status, 202);
        let rest = body.collect().await.unwrap().to_bytes();
        assert!(String::from_utf8_lossy(&rest).contains(&format!(r#"{{"round":"{round}"}}"#)), "{rest:?}");
    }
}

#[tokio::test]
async fn progress_is_sent_on_the_stream_of_its_call() {
    let world = World::new();
    let session = world.session_after_first_call().await;
    let ask = edited(call(&session, "progress", &json!({})), |body| {
        body["params"]["_meta"] = json!({"progressToken": "p1"});
    });
    let reply = world.ask(ask).await;
    assert_eq!((reply.kind.as_str(), reply.text.matches("notifications/progress").count()), (STREAM, 2), "{reply:?}");
    let silent = edited(call(&session, "echo", &json!({})), |body| {
        body["params"]["_meta"] = json!({"progressToken": "p2"});
    });
    assert_eq!(world.ask(silent).await.kind, JSON);
}

#[tokio::test(start_paused = true)]
async fn only_a_cancel_notification_cancels_a_call() {
    let world = World::new();
    let session = world.session_after_first_call().await;
    let cancelled = async {
        world.host.begun.notified().await;
        assert_eq!(world.ask(cancel(&session, 7)).await.status, 202);
        assert_eq!(world.ask(cancel(&session, 1)).await.status, 202);
        world.host.dropped.notified().await;
    };
    let (reply, ()) = tokio::join!(world.ask(call(&session, "hang", &json!({}))), cancelled);
    assert_eq!((reply.kind.as_str(), reply.text.as_str()), (STREAM, ""));
    // A broken connection cancels nothing, neither before nor after the call has a stream.
    for moment in [Duration::ZERO, Duration::from_secs(1)] {
        tokio::select! {
            _ = world.ask(call(&session, "hang", &json!({}))) => panic!("the call never returns"),
            () = async { world.host.begun.notified().await; tokio::time::sleep(moment).await } => {}
        }
        let stopped = tokio::time::timeout(Duration::from_secs(60), world.host.dropped.notified()).await;
        assert!(stopped.is_err(), "a call was cancelled by a connection that broke");
        assert_eq!(world.ask(cancel(&session, 1)).await.status, 202);
        world.host.dropped.notified().await;
    }
}

#[tokio::test(start_paused = true)]
async fn deleting_a_session_cancels_its_calls() {
    let world = World::new();
    let session = world.session_after_first_call().await;
    let ended = async {
        world.host.begun.notified().await;
        assert_eq!(world.ask(RawRequest::new(Method::DELETE, "").within(&session)).await.status, 204);
        world.host.dropped.notified().await;
    };
    tokio::join!(world.ask(call(&session, "hang", &json!({}))), ended);
    assert_eq!(world.ask(call(&session, "echo", &json!({}))).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn session_in_use_does_not_expire() {
    let limits = McpLimits { session_idle: Duration::from_secs(60), ..Plan::default().limits };
    let world = World::with_plan(Plan { limits, ..Plan::default() });
    let session = world.session_after_first_call().await;
    let mut at_once = 0;
    for _ in 0..60 {
        tokio::time::sleep(Duration::from_secs(10)).await;
        let reply = world.ask(call(&session, "echo", &json!({}))).await;
        assert_eq!(reply.status, 200);
        at_once += u32::from(reply.kind == JSON);
    }
    assert!((20..60).contains(&at_once), "{at_once} of 60 calls were answered at once");
}

#[tokio::test(start_paused = true)]
async fn self_contained_request_leaves_the_named_session_unchanged() {
    let world = World::new();
    let session = world.session_after_first_call().await;
    let alone = edited(call(&session, "echo", &json!({})), |body| {
        body["id"] = json!(2);
        body["params"]["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2025-11-25",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        });
    });
    let meanwhile = async {
        world.host.begun.notified().await;
        assert_eq!(world.ask(alone).await.status, 200);
        let stopped = tokio::time::timeout(Duration::from_secs(60), world.host.dropped.notified()).await;
        assert!(stopped.is_err(), "another request stopped the call");
        assert_eq!(world.ask(call(&session, "echo", &json!({}))).await.kind, JSON);
    };
    let hanging = edited(call(&session, "hang", &json!({})), |body| body["id"] = json!(3));
    tokio::select! {
        _ = world.ask(hanging) => panic!("the call never returns"),
        () = meanwhile => {}
    }
}

#[tokio::test]
async fn restored_session_drops_its_old_calls() {
    let directory = tempfile::tempdir().unwrap();
    let kept = SessionFiles::open(directory.path(), SessionFiles::DEFAULT_MAX_SESSIONS).unwrap();
    let limits = McpLimits { max_sessions: 1, ..Plan::default().limits };
    let world = World::with_plan(Plan { limits, kept: Some(Arc::new(kept)), ..Plan::default() });
    let session = world.session_after_first_call().await;
    tokio::select! {
        _ = world.ask(call(&session, "hang", &json!({}))) => panic!("the call never returns"),
        () = world.host.begun.notified() => {}
    }
    // The call has no listener any more, so its session is evicted for another, and is restored by its client.
    world.session(bob()).await;
    assert_eq!(world.ask(RawRequest::legacy(&session, "tools/list", json!({}))).await.status, 200);
    world.host.dropped.notified().await;
    for kind in [STREAM, JSON] {
        let reply = world.ask(call(&session, "echo", &json!({"n": 1}))).await;
        assert_eq!((reply.kind.as_str(), &reply.message()["result"]["structuredContent"]), (kind, &json!({"n": 1})));
    }
}
