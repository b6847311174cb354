//! Sessions of the older protocol.

use super::world::{Reply, Server, connect, look, ordinary, text};
use baton_toolhost::streamable;
use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

#[tokio::test]
async fn a_session_that_the_server_forgot_is_opened_anew_and_the_call_goes_through() {
    let opened = AtomicUsize::new(0);
    let server = Server::start(move |got| {
        if got.says("initialize") {
            let number = opened.fetch_add(1, Ordering::SeqCst) + 1;
            return ordinary(got).with("mcp-session-id", format!("session-{number}"));
        }
        let first = got.header("mcp-session-id") == Some("session-1");
        if first && got.says("tools/call") { Reply::status(404) } else { ordinary(got) }
    })
    .await;
    let client = connect(streamable(server.remote("/mcp"))).await.unwrap();
    assert_eq!(text(&look(&client).await.unwrap()), "seen");
    assert_eq!(server.count(|got| got.says("initialize")), 2);
    let last = server.got().into_iter().rfind(|got| got.says("tools/call")).unwrap();
    assert_eq!(last.header("mcp-session-id"), Some("session-2"));
    assert_eq!(last.header("mcp-protocol-version"), Some("2025-11-25"));
}

#[tokio::test]
async fn calls_wait_until_the_server_can_ask() {
    let streams = Mutex::new(Vec::new());
    let server = Server::start(move |got| match got.method {
        http::Method::GET => {
            let (stream, live) = tokio::sync::mpsc::channel(1);
            streams.lock().unwrap().push(stream);
            Reply::live(live)
        }
        _ if got.says("initialize") => ordinary(got).with("mcp-session-id", "session-1"),
        _ => ordinary(got),
    })
    .await;
    for _ in 0..20 {
        let client = connect(streamable(server.remote("/mcp"))).await.unwrap();
        assert_eq!(text(&look(&client).await.unwrap()), "seen");
        let got = server.got();
        let (call, stream) = (
            got.iter().rposition(|got| got.says("tools/call")).unwrap(),
            got.iter().rposition(|got| got.method == http::Method::GET).unwrap(),
        );
        assert!(stream < call, "the call came first");
    }
}

#[tokio::test]
async fn headers_of_the_definition_go_with_every_request() {
    let server = Server::start(|got| match got.header("x-key") {
        Some("k") => ordinary(got),
        _ => Reply::status(401),
    })
    .await;
    let mut headers = http::HeaderMap::new();
    headers.insert("x-key", "k".parse().unwrap());
    let remote = baton_toolhost::RemoteServer::new(server.url("/mcp?token=hidden"), headers, super::world::client());
    assert!(!format!("{remote:?}").contains("hidden"), "{remote:?}");
    let client = connect(streamable(remote)).await.unwrap();
    assert_eq!(text(&look(&client).await.unwrap()), "seen");
}
