//! A server that answers requests one after another with scripted bytes.

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::mpsc,
};

/// A received request.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) line: String,
    pub(crate) headers: String,
    /// The body as received.
    pub(crate) raw: String,
    pub(crate) body: Value,
}

/// A scripted reply.
#[derive(Clone)]
pub(crate) enum Reply {
    /// Sends the bytes and closes.
    Whole(Vec<u8>),
    /// Sends these bytes and then breaks the connection.
    Broken(Vec<u8>),
    /// Sends these bytes and then waits for the client to disconnect.
    Hanging(Vec<u8>),
}

impl Reply {
    pub(crate) fn json(status: &str, body: &Value) -> Self {
        Self::Whole(whole(status, "application/json", body.to_string().as_bytes()))
    }

    pub(crate) fn text(answer: &str) -> Self {
        Self::Whole(answer.as_bytes().to_vec())
    }

    pub(crate) fn events(body: &str) -> Self {
        Self::stream("text/event-stream", body.as_bytes())
    }

    /// A complete stream, sent at once.
    pub(crate) fn stream(kind: &str, body: &[u8]) -> Self {
        Self::Whole(whole("200 OK", kind, body))
    }

    /// The beginning of a stream that then breaks.
    pub(crate) fn cut(kind: &str, body: &[u8]) -> Self {
        Self::Broken(begun(kind, body))
    }

    /// The beginning of a stream that then stalls.
    pub(crate) fn hanging(kind: &str, body: &[u8]) -> Self {
        Self::Hanging(begun(kind, body))
    }
}

fn whole(status: &str, kind: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
    [head.as_bytes(), body].concat()
}

fn begun(kind: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n");
    if body.is_empty() {
        // The final chunk is missing.
        return head.into_bytes();
    }
    [head.as_bytes(), format!("{:x}\r\n", body.len()).as_bytes(), body, b"\r\n"].concat()
}

/// A running server.
pub(crate) struct ScriptedServer {
    pub(crate) url: String,
    /// Requests in order of arrival.
    pub(crate) requests: mpsc::Receiver<Request>,
    /// One message for each client that left a stalled reply.
    pub(crate) left: mpsc::Receiver<()>,
}

impl ScriptedServer {
    /// A server that gives every request the same reply.
    pub(crate) async fn new(reply: Reply) -> Self {
        Self::in_turn(vec![reply]).await
    }

    /// A server that gives these replies in order and repeats the last one.
    pub(crate) async fn in_turn(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let (heard, requests) = mpsc::channel(64);
        let (leaves, left) = mpsc::channel(64);
        tokio::spawn(async move {
            let mut replies = replies.into_iter().peekable();
            while let Ok((stream, _)) = listener.accept().await {
                let Some(reply) = replies.next() else { return };
                if replies.peek().is_none() {
                    replies = vec![reply.clone()].into_iter().peekable();
                }
                tokio::spawn(serve(stream, reply, heard.clone(), leaves.clone()));
            }
        });
        Self { url, requests, left }
    }

    pub(crate) async fn request(&mut self) -> Request {
        self.requests.recv().await.expect("a request")
    }

    /// Number of received requests that the test has not read.
    pub(crate) fn count(&mut self) -> usize {
        std::iter::from_fn(|| self.requests.try_recv().ok()).count()
    }
}

async fn serve(mut stream: TcpStream, reply: Reply, heard: mpsc::Sender<Request>, leaves: mpsc::Sender<()>) {
    let Some(request) = read(&mut stream).await else { return };
    heard.send(request).await.expect("the test receives");
    match reply {
        Reply::Whole(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Reply::Broken(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.flush().await;
        }
        Reply::Hanging(bytes) => {
            let _ = stream.write_all(&bytes).await;
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
                let raw = body.to_owned();
                let body = serde_json::from_str(body).unwrap_or(Value::Null);
                return Some(Request { line: line.to_owned(), headers: headers.to_owned(), raw, body });
            }
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}
