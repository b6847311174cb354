//! The older HTTP+SSE transport.

use super::world::{Reply, Server, connect, event, look, result, text};
use baton_toolhost::sse;
use bytes::Bytes;
use http::Method;
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;

/// A server of the 2024 protocol: a stream at `/sse`, and messages at the announced endpoint.
pub(crate) struct LegacyServer {
    pub(crate) server: Server,
    stream: Arc<Mutex<Option<mpsc::Sender<Bytes>>>>,
}

impl LegacyServer {
    pub(crate) async fn start(endpoint: impl Into<String>) -> Self {
        let endpoint = endpoint.into();
        let stream: Arc<Mutex<Option<mpsc::Sender<Bytes>>>> = Arc::default();
        let out = Arc::clone(&stream);
        let server = Server::start(move |got| match (&got.method, got.path.as_str()) {
            (&Method::GET, "/team/sse") => {
                let (sender, live) = mpsc::channel(8);
                sender.try_send(format!("event: endpoint\ndata: {endpoint}\n\n").into()).unwrap();
                *out.lock().unwrap() = Some(sender);
                Reply::live(live)
            }
            (&Method::POST, "/team/messages?session=1") => {
                if let Some(answer) = result(&got.message()) {
                    out.lock().unwrap().as_ref().unwrap().try_send(event(&answer)).unwrap();
                }
                Reply::status(202)
            }
            (&Method::POST, "/team/sse") => Reply::status(405),
            _ => Reply::status(404),
        })
        .await;
        Self { server, stream }
    }

    fn end_stream(&self) {
        self.stream.lock().unwrap().take();
    }
}

#[tokio::test]
async fn messages_are_posted_to_the_announced_endpoint() {
    for endpoint in ["messages?session=1", "/team/messages?session=1"] {
        let old = LegacyServer::start(endpoint).await;
        let client = connect(sse(old.server.remote("/team/sse"))).await.unwrap();
        assert_eq!(text(&look(&client).await.unwrap()), "seen");
        old.end_stream();
        // Without its stream the connection ends immediately.
        let _ = client.waiting().await;
    }
}

#[tokio::test]
async fn endpoint_at_another_origin_is_rejected() {
    let other = Server::start(|_| Reply::status(202)).await;
    for endpoint in [other.url("/team/messages?session=1"), other.url("/").replace("http:", "")] {
        let old = LegacyServer::start(endpoint).await;
        let error = connect(sse(old.server.remote("/team/sse"))).await.unwrap_err().to_string();
        assert!(error.contains("is on another origin"), "{error}");
    }
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn reply_that_is_not_a_stream_is_reported() {
    let server = Server::start(|got| match got.path.as_str() {
        "/page" => Reply::status(200).with("content-type", "text/html"),
        "/short" => Reply::events(Vec::new()),
        _ => Reply::status(404),
    })
    .await;
    for (path, reason) in [
        ("/page", "it sent no message endpoint: it sends no event stream"),
        ("/short", "it sent no message endpoint before its stream ended"),
        ("/nothing", "it answered 404"),
    ] {
        let error = connect(sse(server.remote(path))).await.unwrap_err().to_string();
        assert!(error.contains(reason), "{path}: {error}");
    }
}
