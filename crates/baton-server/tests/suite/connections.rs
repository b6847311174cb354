//! TCP connections: limits of heads, bodies and time, and graceful shutdown.

use crate::world::{configured, engine, message, options};
use baton_client::{Client, ClientError, SendRequest};
use baton_http::{ServeOptions, serve};
use baton_server::app;
use baton_wire::a2a::v1::TaskState;
use std::{net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

struct Server {
    address: SocketAddr,
    shutdown: CancellationToken,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Server {
    async fn start(served: ServeOptions) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let options = configured(options(), |options| {
            options.http.bound = Some(address);
        });
        let shutdown = options.http.shutdown.clone();
        let serving = tokio::spawn(serve(listener, app(engine(&["weather"]), options), served, shutdown.clone()));
        Self { address, shutdown, serving }
    }

    fn client(&self) -> Client {
        Client::tcp(&format!("http://{}", self.address)).unwrap()
    }

    /// Sends raw bytes and reads until the server closes.
    async fn raw(&self, bytes: &[u8]) -> String {
        let mut socket = TcpStream::connect(self.address).await.unwrap();
        let mut reply = Vec::new();
        // The server may close before it has read all bytes.
        let _ = socket.write_all(bytes).await;
        let _ = socket.read_to_end(&mut reply).await;
        String::from_utf8_lossy(&reply).into_owned()
    }

    async fn still_serves(&self) {
        let task = self.client().send("weather", SendRequest::new(message("Hello"))).await.unwrap();
        assert_eq!(task.status.state, TaskState::Completed);
    }
}

#[tokio::test]
async fn slow_and_oversized_heads_are_cut_off() {
    let bounds = ServeOptions { header_timeout: Duration::from_millis(50), ..ServeOptions::default() };
    let server = Server::start(bounds).await;
    // The start of a connection has the limit of a request head: silence, and an incomplete HTTP/2 preface.
    for start in [&b""[..], b"P", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r"] {
        assert_eq!(server.raw(start).await, "", "{start:?}");
    }
    assert_eq!(server.raw(b"POST / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ").await, "");
    let long = format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: {}\r\n\r\n", "x".repeat(40_000));
    assert!(server.raw(long.as_bytes()).await.starts_with("HTTP/1.1 431"));
    let many = format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "X: y\r\n".repeat(200));
    assert!(server.raw(many.as_bytes()).await.starts_with("HTTP/1.1 431"));
    assert!(server.raw(b"\x16\x03\x01 hello\r\n\r\n").await.starts_with("HTTP/1.1 400"));
    server.still_serves().await;
}

#[tokio::test]
async fn fifty_megabyte_body_is_rejected_with_a_response() {
    let server = Server::start(ServeOptions::default()).await;
    let said = message(&"x".repeat(50 * 1024 * 1024));
    let error = server.client().send("weather", SendRequest::new(said)).await.unwrap_err();
    let refusal = error.refusal().unwrap();
    assert_eq!((refusal.status, refusal.baton_code.as_deref()), (413, Some("BTN-1002")));
    let head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n\
                Content-Length: 99999999999\r\nExpect: 100-continue\r\n\r\n";
    assert!(server.raw(head.as_bytes()).await.starts_with("HTTP/1.1 413"));
    server.still_serves().await;
}

#[tokio::test]
async fn early_rejection_keeps_the_connection_open() {
    let server = Server::start(ServeOptions::default()).await;
    let mut socket = TcpStream::connect(server.address).await.unwrap();
    let mut replies = String::new();
    for body in ["{\"a\": 1}", "{\"b\": 22}", "{\"c\": 333}"] {
        let length = body.len();
        let head =
            format!("POST /agents/weather HTTP/1.1\r\nHost: evil.example.com\r\nContent-Length: {length}\r\n\r\n");
        socket.write_all(head.as_bytes()).await.unwrap();
        // Lets the server read the head and reject the request before the body is sent.
        for _ in 0..200 {
            tokio::task::yield_now().await;
        }
        socket.write_all(body.as_bytes()).await.unwrap();
        let mut piece = [0; 4096];
        let read = socket.read(&mut piece).await.unwrap();
        replies.push_str(std::str::from_utf8(&piece[..read]).unwrap());
    }
    assert_eq!(replies.matches("HTTP/1.1 403").count(), 3, "{replies}");
    assert!(!replies.to_ascii_lowercase().contains("connection: close"), "{replies}");

    // If the unread body is too large to drain, the server closes the connection and announces it.
    let head = "POST /agents/weather HTTP/1.1\r\nHost: evil.example.com\r\nContent-Length: 99999999\r\n\r\n";
    let reply = server.raw(head.as_bytes()).await;
    assert!(reply.starts_with("HTTP/1.1 403") && reply.contains("connection: close"), "{reply}");
    server.still_serves().await;
}

#[tokio::test]
async fn connections_are_reused_and_a_lost_one_is_replaced() {
    let bounds =
        ServeOptions { max_connections: 1, header_timeout: Duration::from_millis(100), ..ServeOptions::default() };
    let server = Server::start(bounds).await;
    let client = server.client();
    // With one connection slot, a second connection would block.
    for _ in 0..20 {
        client.send("weather", SendRequest::new(message("Hello"))).await.unwrap();
    }
    // The server closes the idle connection, which frees the slot.
    assert!(
        server.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await.contains("200 OK")
    );
    client.send("weather", SendRequest::new(message("Hello"))).await.unwrap();
}

#[tokio::test]
async fn shutdown_ends_streams_and_connections_within_its_bound() {
    let bounds = ServeOptions { drain: Duration::from_millis(200), ..ServeOptions::default() };
    let server = Server::start(bounds).await;
    let client = server.client();
    let mut stream = client.send_streaming("weather", SendRequest::new(message("hang"))).await.unwrap();
    stream.next().await.unwrap().unwrap();
    let waiting = tokio::spawn({
        let client = client.clone();
        async move { client.send("weather", SendRequest::new(message("hang"))).await }
    });
    let mut other = client.send_streaming("weather", SendRequest::new(message("hang"))).await.unwrap();
    other.next().await.unwrap().unwrap();
    server.shutdown.cancel();
    while let Some(event) = stream.next().await {
        event.unwrap();
    }
    server.serving.await.unwrap().unwrap();
    let cut = waiting.await.unwrap().unwrap_err();
    assert!(matches!(cut, ClientError::Interrupted(_) | ClientError::Unreachable { .. }), "{cut}");
    let gone = client.health().await.unwrap_err();
    assert!(matches!(gone, ClientError::Unreachable { .. }), "{gone}");
}
