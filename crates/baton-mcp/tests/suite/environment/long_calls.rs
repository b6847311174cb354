//! Long calls and idle sessions.

use super::{
    raw::RawRequest,
    world::{Plan, World, ann},
};
use baton_mcp::McpLimits;
use serde_json::json;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn call_without_progress_for_ten_minutes_is_answered() {
    let world = World::new();
    let session = world.session(ann()).await;
    let sleep = || json!({"name": "sleep", "arguments": {"seconds": 600}});
    let legacy = world.ask(RawRequest::legacy(&session, "tools/call", sleep())).await;
    assert_eq!(legacy.message()["result"]["content"][0]["text"], "slept");
    assert_eq!(world.ask(RawRequest::legacy(&session, "tools/list", json!({}))).await.status, 200);
    let modern = world.ask(RawRequest::modern("tools/call", sleep())).await;
    assert_eq!(modern.message()["result"]["content"][0]["text"], "slept");
}

#[tokio::test(start_paused = true)]
async fn idle_session_is_removed() {
    let limits = McpLimits { session_idle: Duration::from_secs(60), ..Plan::default().limits };
    let world = World::with_plan(Plan { limits, ..Plan::default() });
    let session = world.session(ann()).await;
    assert_eq!(world.common.sessions.session_count(), 1);
    tokio::time::sleep(Duration::from_secs(61)).await;
    while world.common.sessions.session_count() > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(world.ask(RawRequest::legacy(&session, "tools/list", json!({}))).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn reply_to_a_long_modern_call_starts_early() {
    let limits = McpLimits { keep_alive: Duration::from_secs(4), ..McpLimits::default() };
    let world = World::with_plan(Plan { limits, ..Plan::default() });
    let call =
        |seconds: u64| RawRequest::modern("tools/call", json!({"name": "sleep", "arguments": {"seconds": seconds}}));
    let quick = world.ask(call(1)).await;
    assert_eq!(quick.kind, "application/json");
    let long = world.ask(call(10)).await;
    assert_eq!(long.kind, "text/event-stream");
    assert_eq!(long.text.matches(": still working\n\n").count(), 1, "{}", long.text);
    assert_eq!(long.message()["result"]["content"][0]["text"], "slept");
}
