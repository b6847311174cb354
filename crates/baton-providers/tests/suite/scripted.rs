//! A server that hears one request after the other and answers each as a test says, byte by byte.

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::mpsc,
};

/// One request as it came.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) line: String,
    pub(crate) headers: String,
    pub(crate) body: Value,
}

/// What a server does with a request.
#[derive(Clone)]
pub(crate) enum Reply {
    /// Answers and closes.
    Whole(String),
    /// Answers with these bytes and then breaks the connection.
    Broken(Vec<u8>),
    /// Answers with these bytes and then waits for the client to leave.
    Hanging(String),
}

impl Reply {
    pub(crate) fn json(status: &str, body: &Value) -> Self {
        Self::Whole(head(status, "application/json", &body.to_string()))
    }

    pub(crate) fn events(body: &str) -> Self {
        Self::Whole(head("200 OK", "text/event-stream", body))
    }

    /// The beginning of a stream, of which more is promised than comes.
    pub(crate) fn cut(kind: &str, body: &[u8]) -> Self {
        let mut bytes = open(kind).into_bytes();
        bytes.extend(format!("{:x}\r\n", body.len()).into_bytes());
        bytes.extend(body);
        bytes.extend(b"\r\n");
        Self::Broken(bytes)
    }

    pub(crate) fn hanging(body: &str) -> Self {
        Self::Hanging(format!("{}{:x}\r\n{body}\r\n", open("text/event-stream"), body.len()))
    }
}

fn head(status: &str, kind: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
}

fn open(kind: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n")
}

/// A running server.
pub(crate) struct Scripted {
    pub(crate) url: String,
    /// Requests in their order.
    pub(crate) requests: mpsc::Receiver<Request>,
    /// One message for each client that left a hanging answer.
    pub(crate) left: mpsc::Receiver<()>,
}

impl Scripted {
    /// A server that gives every request the same answer.
    pub(crate) async fn new(reply: Reply) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let (heard, requests) = mpsc::channel(64);
        let (leaves, left) = mpsc::channel(64);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, reply.clone(), heard.clone(), leaves.clone()));
            }
        });
        Self { url, requests, left }
    }

    pub(crate) async fn request(&mut self) -> Request {
        self.requests.recv().await.expect("a request")
    }
}

async fn serve(mut stream: TcpStream, reply: Reply, heard: mpsc::Sender<Request>, leaves: mpsc::Sender<()>) {
    let Some(request) = read(&mut stream).await else { return };
    heard.send(request).await.expect("the test listens");
    match reply {
        Reply::Whole(text) => {
            let _ = stream.write_all(text.as_bytes()).await;
            let _ = stream.shutdown().await;
        }
        Reply::Broken(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.flush().await;
        }
        Reply::Hanging(text) => {
            let _ = stream.write_all(text.as_bytes()).await;
            let mut more = [0; 64];
            while matches!(stream.read(&mut more).await, Ok(count) if count > 0) {}
            let _ = leaves.send(()).await;
        }
    }
}

async fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                let (line, headers) = head.split_once("\r\n").unwrap_or((head, ""));
                let body = serde_json::from_str(body).unwrap_or(Value::Null);
                return Some(Request { line: line.to_owned(), headers: headers.to_owned(), body });
            }
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}
