//! Sessions of the older protocols: whose they are, how many, and how long.

use super::{
    raw::Ask,
    world::{Plan, World, ann, bob},
};
use baton_local::SessionFiles;
use baton_mcp::McpLimits;
use baton_ports::McpSessionStore;
use baton_types::Principal;
use http::Method;
use serde_json::json;
use std::sync::Arc;

fn list(session: &str) -> Ask {
    Ask::legacy(session, "tools/list", json!({}))
}

fn get(session: &str) -> Ask {
    Ask::new(Method::GET, "").within(session).with("accept", "text/event-stream")
}

#[tokio::test]
async fn a_session_of_somebody_else_looks_like_one_that_never_was() {
    let world = World::new();
    let session = world.session(ann()).await;
    let elsewhere = Principal { tenant: "other".into(), ..ann() };
    let unknown = "6f1c1a52-0000-4000-8000-000000000000";
    for stranger in [bob(), elsewhere] {
        let asks: [fn(&str) -> Ask; 4] = [
            list,
            get,
            |session| Ask::new(Method::DELETE, "").within(session),
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
    assert_eq!(world.ask(Ask::new(Method::DELETE, "").within(&session)).await.status, 204);
    assert_eq!(world.ask(list(&session)).await.status, 404);
    assert_eq!(world.ask(Ask::new(Method::DELETE, "").within(&session)).await.status, 404);
}

#[tokio::test]
async fn a_kept_session_survives_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let kept = || -> Option<Arc<dyn McpSessionStore>> {
        Some(Arc::new(SessionFiles::open(directory.path(), SessionFiles::DEFAULT_MAX_SESSIONS).unwrap()))
    };
    let world = World::planned(Plan { kept: kept(), ..Plan::default() });
    let session = world.session(ann()).await;
    let ended = world.session(ann()).await;
    assert_eq!(world.ask(Ask::new(Method::DELETE, "").within(&ended)).await.status, 204);
    drop(world);
    let world = World::planned(Plan { kept: kept(), ..Plan::default() });
    assert_eq!(world.ask(list(&session).by(bob())).await.status, 404);
    // Several at once: one of them restores it, and a stranger cannot slip in behind.
    let own = futures_util::future::join_all((0..8).map(|_| world.ask(list(&session))));
    let (own, stranger) = tokio::join!(own, world.ask(list(&session).by(bob())));
    assert!(own.iter().all(|reply| reply.status == 200), "{own:?}");
    assert_eq!(stranger.status, 404);
    assert_eq!(world.ask(list(&ended)).await.status, 404);
    let call = Ask::legacy(&session, "tools/call", json!({"name": "echo", "arguments": {"n": 1}}));
    assert_eq!(world.ask(call).await.message()["result"]["structuredContent"], json!({"n": 1}));
}

#[tokio::test]
async fn the_longest_idle_session_makes_room() {
    let limits = McpLimits { max_sessions: 2, ..Plan::default().limits };
    let world = World::planned(Plan { limits, ..Plan::default() });
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
async fn a_client_with_many_sessions_pushes_out_its_own() {
    let limits = McpLimits { max_sessions: 64, ..Plan::default().limits };
    let world = World::planned(Plan { limits, ..Plan::default() });
    let other = world.session(bob()).await;
    let first = world.session(ann()).await;
    let mut last = world.session(ann()).await;
    for _ in 0..70 {
        last = world.session(ann()).await;
    }
    assert_eq!(world.common.sessions.session_count(), 17, "a quarter of the sessions, and the other's one");
    assert_eq!(world.ask(list(&first)).await.status, 404);
    assert_eq!(world.ask(list(&last)).await.status, 200);
    assert_eq!(world.ask(list(&other).by(bob())).await.status, 200);
}

#[tokio::test]
async fn sessions_at_work_do_not_make_room() {
    let limits = McpLimits { max_sessions: 1, ..Plan::default().limits };
    let world = World::planned(Plan { limits, ..Plan::default() });
    let session = world.session(ann()).await;
    let hanging = world.ask(Ask::legacy(&session, "tools/call", json!({"name": "hang", "arguments": {}})));
    let opening = async {
        world.host.begun.notified().await;
        world.ask(Ask::initialize().by(bob())).await
    };
    tokio::select! {
        _ = hanging => panic!("it hangs"),
        reply = opening => assert_eq!(reply.status, 503),
    }
    // A disconnect is no cancellation in the older protocols, but the session is idle again as far as anybody can see.
    assert_eq!(world.ask(Ask::initialize().by(bob())).await.status, 200);
}

#[tokio::test]
async fn a_client_cannot_say_as_much_of_itself_as_it_likes() {
    let world = World::new();
    let long = |length: usize| {
        let mut ask = Ask::initialize();
        let introduction = String::from_utf8(ask.body).unwrap().replace("raw", &"x".repeat(length));
        ask.body = introduction.into_bytes();
        ask
    };
    assert_eq!(world.ask(long(60_000)).await.status, 200);
    let refused = world.ask(long(70_000)).await;
    assert_eq!((refused.status.as_u16(), refused.session), (413, None));
    assert_eq!(world.ask(long(70_000).with("mcp-protocol-version", "2026-07-28")).await.status, 413);
}
