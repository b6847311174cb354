//! Event streams that break, resume, or never end.

use super::world::{Reply, Server, connect, event, look, result, standard_reply, text};
use baton_toolhost::streamable;
use bytes::Bytes;
use http::Method;
use serde_json::{Value, json};
use std::{
    io,
    sync::{Arc, Mutex},
};

const TOO_LONG: usize = 16 * 1024 * 1024 + 1;

#[tokio::test]
async fn broken_stream_resumes_after_last_event_id() {
    for first in
        ["id: 7\nretry: 20\ndata:\n\n", "id: 7\nretry: 20\n\n", "retry: 20\n\nid: 6\nid: 7\n\n", "id:7\rretry:20\r\r"]
    {
        let asked: Arc<Mutex<Value>> = Arc::default();
        let server = Server::start(move |got| match (&got.method, got.header("last-event-id")) {
            (&Method::GET, Some("7")) => {
                let answer = result(&asked.lock().unwrap()).unwrap();
                Reply::events(vec![Ok(event(&answer))])
            }
            _ if got.is_method("tools/call") => {
                *asked.lock().unwrap() = got.message();
                Reply::events(vec![Ok(Bytes::from_static(first.as_bytes())), Err(io::Error::other("cut"))])
            }
            _ => standard_reply(got),
        })
        .await;
        let client = connect(streamable(server.remote("/mcp"))).await.unwrap();
        assert_eq!(text(&look(&client).await.unwrap()), "seen", "{first:?}");
        assert_eq!(server.count(|got| got.is_method("tools/call")), 1, "a call is never sent twice");
    }
}

#[tokio::test]
async fn oversized_answer_is_rejected_without_disconnect() {
    let server = Server::start(|got| {
        let long =
            || json!({ "jsonrpc": "2.0", "id": got.message()["id"], "result": { "content": "x".repeat(TOO_LONG) } });
        match got.message()["params"]["arguments"]["as"].as_str() {
            Some("events") => Reply::events(vec![Ok(event(&long()))]),
            Some("endless") => Reply::events(vec![Ok(Bytes::from(vec![b'x'; TOO_LONG]))]),
            Some("json") => Reply::json(&long()),
            _ => standard_reply(got),
        }
    })
    .await;
    let client = connect(streamable(server.remote("/mcp"))).await.unwrap();
    for kind in ["events", "endless", "json"] {
        let arguments = json!({ "as": kind }).as_object().cloned().unwrap();
        let call = rmcp::model::CallToolRequestParams::new("look").with_arguments(arguments);
        let error = client.call_tool(call).await.unwrap_err().to_string();
        assert!(error.contains("the answer was refused: an event has more than 16777216 bytes"), "{kind}: {error}");
    }
    assert_eq!(text(&look(&client).await.unwrap()), "seen");
}
