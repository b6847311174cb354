//! Sessions of the older protocols: ownership, limits and expiry.

use super::{
    raw::RawRequest,
    world::{Plan, World, ann, bob},
};
use baton_local::SessionFiles;
use baton_mcp::McpLimits;
use baton_ports::McpSessionStore;
use baton_types::Principal;
use http::Method;
use serde_json::json;
use std::sync::Arc;

fn list(session: &str) -> RawRequest {
    RawRequest::legacy(session, "tools/list", json!({}))
}

fn get(session: &str) -> RawRequest {
    RawRequest::new(Method::GET, "").within(session).with("accept", "text/event-stream")
}

#[tokio::test]
async fn foreign_session_looks_like_an_unknown_one() {
    let world = World::new();
    let session = world.session(ann()).await;
    let elsewhere = Principal { tenant: "other".into(), ..ann() };
    let unknown = "6f1c1a52-0000-4000-8000-000000000000";
    for stranger in [bob(), elsewhere] {
        let asks: [fn(&str) -> RawRequest; 4] = [
            list,
            get,
            |session| RawRequest::new(Method::DELETE, "").within(session),
            |session| list(session).without("accept"),
        ];
        for ask in asks {
            let theirs = world.ask(ask(&session).by(stranger.clone())).await;
            let nobodys = world.ask(ask(unknown).by(stranger.clone())).await;
            assert_eq!(format!("{theirs:?}"), format!("{nobodys:?}"));
        }
        assert_eq!(world.ask(list(&session).by(stranger)).await.status, 404);
    }
    let own = world.ask(list(&session)).await;
    assert_eq!(own.message()["result"]["tools"].as_array().unwrap().len(), 8);
    assert_eq!(world.ask(RawRequest::new(Method::DELETE, "").within(&session)).await.status, 204);
    assert_eq!(world.ask(list(&session)).await.status, 404);
    assert_eq!(world.ask(RawRequest::new(Method::DELETE, "").within(&session)).await.status, 404);
}

#[tokio::test]
async fn stored_session_survives_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let kept = || -> Option<Arc<dyn McpSessionStore>> {
        Some(Arc::new(SessionFiles::open(directory.path(), SessionFiles::DEFAULT_MAX_SESSIONS).unwrap()))
    };
    let world = World::with_plan(Plan { kept: kept(), ..Plan::default() });
    let session = world.session(ann()).await;
    let ended = world.session(ann()).await;
    assert_eq!(world.ask(RawRequest::new(Method::DELETE, "").within(&ended)).await.status, 204);
    drop(world);
    let world = World::with_plan(Plan { kept: kept(), ..Plan::default() });
    assert_eq!(world.ask(list(&session).by(bob())).await.status, 404);
    // Of several concurrent requests one restores the session; a stranger gets no access meanwhile.
    let own = futures_util::future::join_all((0..8).map(|_| world.ask(list(&session))));
    let (own, stranger) = tokio::join!(own, world.ask(list(&session).by(bob())));
    assert!(own.iter().all(|reply| reply.status == 200), "{own:?}");
    assert_eq!(stranger.status, 404);
    assert_eq!(world.ask(list(&ended)).await.status, 404);
    let call = RawRequest::legacy(&session, "tools/call", json!({"name": "echo", "arguments": {"n": 1}}));
    assert_eq!(world.ask(call).await.message()["result"]["structuredContent"], json!({"n": 1}));
}

#[tokio::test]
async fn longest_idle_session_is_evicted() {
    let limits = McpLimits { max_sessions: 2, ..Plan::default().limits };
    let world = World::with_plan(Plan { limits, ..Plan::default() });
    let first = world.session(ann()).await;
    let second = world.session(ann()).await;
    assert_eq!(world.ask(list(&first)).await.status, 200);
    let third = world.session(bob()).await;
    assert_eq!(world.common.sessions.session_count(), 2);
    assert_eq!(world.ask(list(&second)).await.status, 404);
    assert_eq!(world.ask(list(&first)).await.status, 200);
    assert_eq!(world.ask(list(&third).by(bob())).await.status, 200);
}

#[tokio::test]
async fn client_with_many_sessions_evicts_its_own() {
    let limits = McpLimits { max_sessions: 64, ..Plan::default().limits };
    let world = World::with_plan(Plan { limits, ..Plan::default() });
    let other = world.session(bob()).await;
    let first = world.session(ann()).await;
    let mut last = world.session(ann()).await;
    for _ in 0..70 {
        last = world.session(ann()).await;
    }
    assert_eq!(world.common.sessions.session_count(), 17, "a quarter of all sessions, and one of the other client");
    assert_eq!(world.ask(list(&first)).await.status, 404);
    assert_eq!(world.ask(list(&last)).await.status, 200);
    assert_eq!(world.ask(list(&other).by(bob())).await.status, 200);
}

#[tokio::test]
async fn busy_sessions_are_not_evicted() {
    let limits = McpLimits { max_sessions: 1, ..Plan::default().limits };
    let world = World::with_plan(Plan { limits, ..Plan::default() });
    let session = world.session(ann()).await;
    let hanging = world.ask(RawRequest::legacy(&session, "tools/call", json!({"name": "hang", "arguments": {}})));
    let opening = async {
        world.host.begun.notified().await;
        world.ask(RawRequest::initialize().by(bob())).await
    };
    tokio::select! {
        _ = hanging => panic!("the call never returns"),
        reply = opening => assert_eq!(reply.status, 503),
    }
    // A disconnect does not cancel the call in the older protocols, but the session then counts as idle.
    assert_eq!(world.ask(RawRequest::initialize().by(bob())).await.status, 200);
}

#[tokio::test]
async fn client_info_is_limited() {
    let world = World::new();
    let long = |length: usize| {
        let mut ask = RawRequest::initialize();
        let introduction = String::from_utf8(ask.body).unwrap().replace("raw", &"x".repeat(length));
        ask.body = introduction.into_bytes();
        ask
    };
    assert_eq!(world.ask(long(60_000)).await.status, 200);
    let refused = world.ask(long(70_000)).await;
    assert_eq!((refused.status.as_u16(), refused.session), (413, None));
    assert_eq!(world.ask(long(70_000).with("mcp-protocol-version", "2026-07-28")).await.status, 413);
}
