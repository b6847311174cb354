//! WebSockets of `/v1/responses`: messages and frames have the same limits as bodies and requests.

use crate::world::{configured, engine, options};
use baton_http::{RateLimit, ServeOptions, serve};
use baton_server::{SurfaceOptions, app};
use serde_json::{Value, json};
use std::{net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time::timeout,
};

const FRAME_TIMEOUT: Duration = Duration::from_secs(30);

const TEXT: u8 = 0x81;
/// First frame of a fragmented text message.
const BEGIN: u8 = 0x01;
const CONTINUE: u8 = 0x00;
const PING: u8 = 0x89;
const CLOSE: u8 = 0x88;

async fn served(change: impl FnOnce(&mut SurfaceOptions)) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut options = configured(options(), |options| {
        options.http.bound = Some(address);
    });
    change(&mut options);
    let shutdown = options.http.shutdown.clone();
    tokio::spawn(serve(listener, app(engine(&["weather"]), options), ServeOptions::default(), shutdown));
    address
}

/// A client that can send invalid frames.
struct Socket(TcpStream);

/// Last message and close code of a connection.
type CloseOutcome = (Option<Value>, Option<u16>);

impl Socket {
    async fn open(address: SocketAddr) -> Self {
        let (socket, head) = Self::try_open(address).await;
        assert!(head.starts_with("HTTP/1.1 101"), "{head}");
        // Value from the example in RFC 6455.
        assert!(head.to_ascii_lowercase().contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo="), "{head}");
        socket
    }

    async fn try_open(address: SocketAddr) -> (Self, String) {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = "GET /v1/responses HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive, Upgrade\r\n\
                       Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                       Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        (Self(stream), String::from_utf8(head).unwrap())
    }

    async fn send(&mut self, first: u8, payload: &[u8]) {
        let mut frame = vec![first, 0x80 | 127];
        frame.extend((payload.len() as u64).to_be_bytes());
        if payload.len() < 126 {
            frame.truncate(1);
            frame.push(0x80 | u8::try_from(payload.len()).unwrap());
        }
        // A zero mask leaves the payload unchanged.
        frame.extend([0; 4]);
        frame.extend(payload);
        // The server may have closed already; its message is read next.
        let _ = self.0.write_all(&frame).await;
    }

    async fn ask(&mut self, input: &str) {
        let create = json!({"type": "response.create", "input": input}).to_string();
        self.send(TEXT, create.as_bytes()).await;
    }

    /// First byte and payload of the next frame.
    async fn frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let first = timeout(FRAME_TIMEOUT, self.0.read_u8()).await.unwrap().ok()?;
        let length = match self.0.read_u8().await.ok()? {
            126 => u64::from(self.0.read_u16().await.ok()?),
            127 => self.0.read_u64().await.ok()?,
            short => u64::from(short),
        };
        let mut payload = vec![0; usize::try_from(length).unwrap()];
        self.0.read_exact(&mut payload).await.ok()?;
        Some((first, payload))
    }

    /// Reads until an event of a type.
    async fn until(&mut self, kind: &str) -> Value {
        loop {
            let (first, payload) = self.frame().await.unwrap();
            if first == TEXT {
                let event: Value = serde_json::from_slice(&payload).unwrap();
                if event["type"] == kind {
                    return event;
                }
                assert_ne!(event["type"], "error", "{event}");
            }
        }
    }

    /// Reads until the connection closes.
    async fn end(mut self) -> CloseOutcome {
        let mut said = None;
        while let Some((first, payload)) = self.frame().await {
            match first {
                TEXT => said = serde_json::from_slice(&payload).ok(),
                0x88 => return (said, Some(u16::from_be_bytes([payload[0], payload[1]]))),
                _ => {}
            }
        }
        (said, None)
    }
}

fn error_code((said, code): &CloseOutcome) -> (&str, u64, Option<u16>) {
    let said = said.as_ref().unwrap();
    (said["error"]["code"].as_str().unwrap(), said["status"].as_u64().unwrap(), *code)
}

#[tokio::test]
async fn a_message_in_fragments_is_one_request() {
    let address = served(|_| {}).await;
    let mut socket = Socket::open(address).await;
    let create = json!({"type": "response.create", "input": "Hello there"}).to_string();
    let (head, rest) = create.as_bytes().split_at(20);
    socket.send(BEGIN, head).await;
    socket.send(PING, b"still here").await;
    socket.send(CONTINUE, &rest[..4]).await;
    socket.send(0x80, &rest[4..]).await;
    let done = socket.until("response.completed").await;
    assert_eq!(done["response"]["output"][0]["content"][0]["text"], "Hello there");
    socket.ask("Again").await;
    socket.until("response.completed").await;
}

#[tokio::test]
async fn a_close_is_answered_with_its_own_code() {
    let address = served(|_| ()).await;
    for code in [1000_u16, 1001, 4000] {
        let mut socket = Socket::open(address).await;
        socket.ask("hello").await;
        socket.until("response.completed").await;
        socket.send(CLOSE, &code.to_be_bytes()).await;
        assert_eq!(socket.end().await, (None, Some(code)));
    }
    // Also while a response is in progress.
    let mut socket = Socket::open(address).await;
    socket.ask("hello").await;
    socket.send(CLOSE, &1000_u16.to_be_bytes()).await;
    assert_eq!(socket.end().await.1, Some(1000));
}

#[tokio::test]
async fn shutdown_closes_sockets_with_going_away() {
    let mut stopping = None;
    let address = served(|options| stopping = Some(options.http.shutdown.clone())).await;
    let mut socket = Socket::open(address).await;
    socket.ask("hello").await;
    socket.until("response.completed").await;
    stopping.unwrap().cancel();
    assert_eq!(socket.end().await, (None, Some(1001)));
}

#[tokio::test]
async fn messages_larger_than_a_body_close_the_connection() {
    let address = served(|options| options.http.max_body = 64 * 1024).await;
    let piece = vec![b'x'; 16 * 1024];
    // Small fragments of a large message.
    let mut socket = Socket::open(address).await;
    socket.send(BEGIN, &piece).await;
    for _ in 0..4 {
        socket.send(CONTINUE, &piece).await;
    }
    assert_eq!(error_code(&socket.end().await), ("request_too_large", 413, Some(1009)));
    // One frame header with a large length and no payload.
    let mut socket = Socket::open(address).await;
    socket.0.write_all(&[0x81, 0xff, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0]).await.unwrap();
    assert_eq!(error_code(&socket.end().await), ("request_too_large", 413, Some(1009)));
    // Many empty fragments.
    let mut socket = Socket::open(address).await;
    socket.send(BEGIN, b"").await;
    for _ in 0..4096 {
        socket.send(CONTINUE, b"").await;
    }
    assert_eq!(error_code(&socket.end().await), ("request_too_large", 413, Some(1009)));
    let mut socket = Socket::open(address).await;
    socket.ask("Hello").await;
    socket.until("response.completed").await;
}

#[tokio::test]
async fn unfinished_messages_count_against_the_share_of_bodies() {
    // The share of a principal is 64 KB, the maximum size of one body.
    let address =
        served(|options| (options.http.max_body, options.http.max_bodies_total) = (64 * 1024, 256 * 1024)).await;
    let piece = vec![b'x'; 60 * 1024];
    let mut first = Socket::open(address).await;
    first.send(BEGIN, &piece).await;
    // The pong confirms that the bytes before it are counted.
    first.send(PING, b"read").await;
    assert_eq!(first.frame().await.unwrap().1, b"read");
    let mut second = Socket::open(address).await;
    second.send(BEGIN, &piece).await;
    let end = second.end().await;
    assert_eq!(error_code(&end), ("rate_limit_exceeded", 429, Some(1008)));
    assert!(end.0.unwrap()["error"]["message"].as_str().unwrap().contains("BTN-1015"));
    // A closed connection releases its share.
    first.send(CONTINUE, &piece).await;
    assert_eq!(error_code(&first.end().await), ("request_too_large", 413, Some(1009)));
    let mut third = Socket::open(address).await;
    third.send(BEGIN, &piece).await;
    third.send(PING, b"read").await;
    assert_eq!(third.frame().await.unwrap().1, b"read");
}

#[tokio::test]
async fn messages_and_control_frames_count_as_requests() {
    let few = |options: &mut SurfaceOptions| options.http.access.rate = Some(RateLimit { per_second: 1, burst: 3 });
    let address = served(few).await;
    // The connection and each message count as one request.
    let mut socket = Socket::open(address).await;
    for _ in 0..2 {
        socket.ask("Hello").await;
        socket.until("response.completed").await;
    }
    for _ in 0..5 {
        socket.send(TEXT, b"{}").await;
    }
    let end = socket.end().await;
    assert_eq!(error_code(&end), ("rate_limit_exceeded", 429, Some(1008)));
    assert!(end.0.unwrap()["error"]["message"].as_str().unwrap().contains("BTN-1012"));
    let address = served(few).await;
    let mut socket = Socket::open(address).await;
    for _ in 0..10 {
        socket.send(PING, b"").await;
    }
    assert_eq!(error_code(&socket.end().await), ("rate_limit_exceeded", 429, Some(1008)));
}

#[tokio::test]
async fn one_address_has_a_share_of_the_connections() {
    // A quarter of the streams may be WebSockets, and one address may have 16 of them.
    let address = served(|options| options.http.max_streams = 256).await;
    let mut held = Vec::new();
    for _ in 0..16 {
        held.push(Socket::open(address).await);
    }
    let (_, head) = Socket::try_open(address).await;
    assert!(head.starts_with("HTTP/1.1 429") && head.to_ascii_lowercase().contains("retry-after: 1"), "{head}");
    held.clear();
    // The server detects the closed connections one by one.
    for _ in 0..1000 {
        let (_, head) = Socket::try_open(address).await;
        if head.starts_with("HTTP/1.1 101") {
            return;
        }
    }
    panic!("closed connections still occupy their slots");
}

#[tokio::test]
async fn a_message_must_arrive_in_time() {
    let address = served(|options| options.http.body_timeout = Duration::from_millis(200)).await;
    let mut socket = Socket::open(address).await;
    socket.send(BEGIN, b"{").await;
    assert_eq!(socket.end().await.1, Some(1008));
}
