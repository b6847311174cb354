//! Calls about which nothing is heard for a long time.

use super::{
    raw::Ask,
    world::{Plan, World, ann},
};
use baton_mcp::McpLimits;
use serde_json::json;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn a_call_that_is_silent_for_ten_minutes_is_answered() {
    let world = World::new();
    let session = world.session(ann()).await;
    let sleep = || json!({"name": "sleep", "arguments": {"seconds": 600}});
    let legacy = world.ask(Ask::legacy(&session, "tools/call", sleep())).await;
    assert_eq!(legacy.message()["result"]["content"][0]["text"], "slept");
    // And the session is still there.
    assert_eq!(world.ask(Ask::legacy(&session, "tools/list", json!({}))).await.status, 200);
    let modern = world.ask(Ask::modern("tools/call", sleep())).await;
    assert_eq!(modern.message()["result"]["content"][0]["text"], "slept");
}

#[tokio::test(start_paused = true)]
async fn a_session_in_which_nothing_happens_leaves_memory() {
    let limits = McpLimits { session_idle: Duration::from_secs(60), ..Plan::default().limits };
    let world = World::planned(Plan { limits, ..Plan::default() });
    let session = world.session(ann()).await;
    assert_eq!(world.common.sessions.session_count(), 1);
    tokio::time::sleep(Duration::from_secs(61)).await;
    while world.common.sessions.session_count() > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(world.ask(Ask::legacy(&session, "tools/list", json!({}))).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn the_reply_to_a_long_modern_call_begins_early() {
    let limits = McpLimits { keep_alive: Duration::from_secs(4), ..McpLimits::default() };
    let world = World::planned(Plan { limits, ..Plan::default() });
    let call = |seconds: u64| Ask::modern("tools/call", json!({"name": "sleep", "arguments": {"seconds": seconds}}));
    let quick = world.ask(call(1)).await;
    assert_eq!(quick.kind, "application/json");
    let long = world.ask(call(10)).await;
    assert_eq!(long.kind, "text/event-stream");
    assert_eq!(long.text.matches(": still working\n\n").count(), 1, "{}", long.text);
    assert_eq!(long.message()["result"]["content"][0]["text"], "slept");
}
