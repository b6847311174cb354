//! An HTTP test server that records its requests and returns scripted replies.

use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, mpsc},
    thread,
};

/// A recorded request.
#[derive(Clone, Debug)]
pub(crate) struct RecordedRequest {
    /// The request line and the headers.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl RecordedRequest {
    pub(crate) fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or(Value::Null)
    }
}

/// The reply to a request.
pub(crate) enum ScriptedReply {
    /// Status line, content type, further header lines, and the body.
    Complete(&'static str, &'static str, &'static str, String),
    /// The start of a stream, then the connection closes.
    Truncated(String),
    /// The start of a stream that stays open until the client disconnects.
    Hanging(String),
}

impl ScriptedReply {
    pub(crate) fn json(status: &'static str, body: &Value) -> Self {
        Self::Complete(status, "application/json", "", body.to_string())
    }
}

type ReplyHandler = dyn Fn(&RecordedRequest) -> ScriptedReply + Send + Sync;

/// A running server.
pub(crate) struct Service {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<RecordedRequest>>>,
    /// One message for each client that disconnected from a hanging reply.
    pub(crate) disconnects: mpsc::Receiver<()>,
}

impl Service {
    pub(crate) fn start(handler: impl Fn(&RecordedRequest) -> ScriptedReply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let requests = Arc::<Mutex<Vec<RecordedRequest>>>::default();
        let (disconnected, disconnects) = mpsc::channel();
        let (all, handler) = (Arc::clone(&requests), Arc::<ReplyHandler>::from(Box::new(handler) as Box<ReplyHandler>));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (all, handler, disconnected) = (Arc::clone(&all), Arc::clone(&handler), disconnected.clone());
                // A broken connection is the client's business.
                thread::spawn(move || serve(stream, &all, &*handler, &disconnected));
            }
        });
        Self { url, requests, disconnects }
    }

    /// All requests so far.
    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.requests.lock().expect("no panic").clone()
    }
}

/// Handles one request.
fn serve(
    mut stream: TcpStream,
    all: &Mutex<Vec<RecordedRequest>>,
    handler: &ReplyHandler,
    disconnected: &mpsc::Sender<()>,
) -> Option<()> {
    let request = read(&stream)?;
    all.lock().expect("no panic").push(request.clone());
    let open = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    match handler(&request) {
        ScriptedReply::Complete(status, kind, more, body) => {
            let length = body.len();
            write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{more}Connection: close\r\n\r\n{body}"
            )
            .ok()
        }
        ScriptedReply::Truncated(body) => write!(stream, "{open}{:x}\r\n{body}\r\n", body.len()).ok(),
        ScriptedReply::Hanging(body) => {
            write!(stream, "{open}{:x}\r\n{body}\r\n", body.len()).ok()?;
            let mut more = [0; 64];
            while matches!(stream.read(&mut more), Ok(count) if count > 0) {}
            disconnected.send(()).ok()
        }
    }
}

fn read(stream: &TcpStream) -> Option<RecordedRequest> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let lower = head.to_lowercase();
    let length = lower.split_once("content-length: ").and_then(|(_, rest)| rest.lines().next()?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(RecordedRequest { head, body: String::from_utf8_lossy(&body).into_owned() })
}
