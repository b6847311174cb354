//! Sessions of the older protocol.

use super::world::{Reply, Server, connect, look, standard_reply, text};
use baton_toolhost::streamable;
use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

#[tokio::test]
async fn expired_session_is_reopened_and_the_call_repeated() {
    let opened = AtomicUsize::new(0);
    let server = Server::start(move |got| {
        if got.is_method("initialize") {
            let number = opened.fetch_add(1, Ordering::SeqCst) + 1;
            return standard_reply(got).with("mcp-session-id", format!("session-{number}"));
        }
        let first = got.header("mcp-session-id") == Some("session-1");
        if first && got.is_method("tools/call") { Reply::status(404) } else { standard_reply(got) }
    })
    .await;
    let client = connect(streamable(server.remote("/mcp"))).await.unwrap();
    assert_eq!(text(&look(&client).await.unwrap()), "seen");
    assert_eq!(server.count(|got| got.is_method("initialize")), 2);
    let last = server.requests().into_iter().rfind(|got| got.is_method("tools/call")).unwrap();
    assert_eq!(last.header("mcp-session-id"), Some("session-2"));
    assert_eq!(last.header("mcp-protocol-version"), Some("2025-11-25"));
}

#[tokio::test]
async fn calls_wait_for_the_event_stream() {
    let streams = Mutex::new(Vec::new());
    let server = Server::start(move |got| match got.method {
        http::Method::GET => {
            let (stream, live) = tokio::sync::mpsc::channel(1);
            streams.lock().unwrap().push(stream);
            Reply::live(live)
        }
        _ if got.is_method("initialize") => standard_reply(got).with("mcp-session-id", "session-1"),
        _ => standard_reply(got),
    })
    .await;
    for _ in 0..20 {
        let client = connect(streamable(server.remote("/mcp"))).await.unwrap();
        assert_eq!(text(&look(&client).await.unwrap()), "seen");
        let got = server.requests();
        let (call, stream) = (
            got.iter().rposition(|got| got.is_method("tools/call")).unwrap(),
            got.iter().rposition(|got| got.method == http::Method::GET).unwrap(),
        );
        assert!(stream < call, "the call was sent before the stream");
    }
}

#[tokio::test]
async fn configured_headers_are_sent_with_every_request() {
    let server = Server::start(|got| match got.header("x-key") {
        Some("k") => standard_reply(got),
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
