//! An HTTP service of a test: it keeps what it hears, and answers as it was told to.

use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, mpsc},
    thread,
};

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    /// The request line and the headers.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Heard {
    pub(crate) fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or(Value::Null)
    }
}

/// What becomes of a request.
pub(crate) enum Answer {
    /// Status line, type, more headers as lines, and the body.
    Whole(&'static str, &'static str, &'static str, String),
    /// The beginning of a stream, and then nothing more: the connection breaks.
    Cut(String),
    /// The beginning of a stream, and then nothing more until the client leaves.
    Hanging(String),
}

impl Answer {
    pub(crate) fn json(status: &'static str, body: &Value) -> Self {
        Self::Whole(status, "application/json", "", body.to_string())
    }
}

type Answering = dyn Fn(&Heard) -> Answer + Send + Sync;

/// A running service.
pub(crate) struct Service {
    pub(crate) url: String,
    heard: Arc<Mutex<Vec<Heard>>>,
    /// One message for each client that left an answer that hangs.
    pub(crate) left: mpsc::Receiver<()>,
}

impl Service {
    pub(crate) fn start(answering: impl Fn(&Heard) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let heard = Arc::<Mutex<Vec<Heard>>>::default();
        let (leaves, left) = mpsc::channel();
        let (all, answering) = (Arc::clone(&heard), Arc::<Answering>::from(Box::new(answering) as Box<Answering>));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (all, answering, leaves) = (Arc::clone(&all), Arc::clone(&answering), leaves.clone());
                // A connection that breaks is the client's business.
                thread::spawn(move || serve(stream, &all, &*answering, &leaves));
            }
        });
        Self { url, heard, left }
    }

    /// All requests so far.
    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.heard.lock().expect("no panic").clone()
    }
}

/// One request, one answer.
fn serve(
    mut stream: TcpStream,
    all: &Mutex<Vec<Heard>>,
    answering: &Answering,
    leaves: &mpsc::Sender<()>,
) -> Option<()> {
    let heard = read(&stream)?;
    all.lock().expect("no panic").push(heard.clone());
    let open = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    match answering(&heard) {
        Answer::Whole(status, kind, more, body) => {
            let length = body.len();
            write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{more}Connection: close\r\n\r\n{body}"
            )
            .ok()
        }
        Answer::Cut(body) => write!(stream, "{open}{:x}\r\n{body}\r\n", body.len()).ok(),
        Answer::Hanging(body) => {
            write!(stream, "{open}{:x}\r\n{body}\r\n", body.len()).ok()?;
            let mut more = [0; 64];
            while matches!(stream.read(&mut more), Ok(count) if count > 0) {}
            leaves.send(()).ok()
        }
    }
}

fn read(stream: &TcpStream) -> Option<Heard> {
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
    Some(Heard { head, body: String::from_utf8_lossy(&body).into_owned() })
}
