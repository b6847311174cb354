//! A service of models that tells everybody what it was sent.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

/// It answers as OpenAI does, and refuses whoever asks it to, with all that it was sent.
pub(crate) struct Provider {
    pub(crate) url: String,
    heard: Arc<Mutex<String>>,
}

impl Provider {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let heard = Arc::<Mutex<String>>::default();
        let all = Arc::clone(&heard);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let all = Arc::clone(&all);
                thread::spawn(move || answer(stream, &all));
            }
        });
        Self { url, heard }
    }

    /// Everything that was sent so far.
    pub(crate) fn seen(&self) -> String {
        self.heard.lock().expect("no panic").clone()
    }
}

/// One request, one answer; a connection that breaks is the client's business.
fn answer(stream: TcpStream, heard: &Mutex<String>) -> Option<()> {
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
    let body = String::from_utf8_lossy(&body).into_owned();
    heard.lock().expect("no panic").push_str(&head);
    let path = head.split(' ').nth(1)?.to_owned();
    let (status, kind, text) = if path == "/api/tags" {
        let model = |name: &str| serde_json::json!({ "name": name, "model": name });
        let tags = serde_json::json!({ "models": [model("phi3:mini"), model("qwen3:8b")] });
        ("200 OK", "application/json", tags.to_string())
    } else if path.contains("/models") && !path.contains("enerateContent") {
        ("200 OK", "application/json", r#"{"object":"list","data":[{"id":"echo","object":"model"}]}"#.to_owned())
    } else if path.contains("/chat/completions") && !body.contains("refuse") {
        ("200 OK", "text/event-stream", streamed())
    } else {
        let all = serde_json::json!({ "error": { "type": "authentication_error", "message": format!("wrong key in {head}") } });
        ("401 Unauthorized", "application/json", all.to_string())
    };
    let length = text.len();
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}"
    )
    .ok()
}

fn streamed() -> String {
    let chunk = |delta: &str, finish: &str| {
        format!(
            "data: {{\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"echo\",\
             \"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
        )
    };
    let words = chunk("{\"role\":\"assistant\",\"content\":\"Heard you.\"}", "null");
    format!("{words}{}data: [DONE]\n\n", chunk("{}", "\"stop\""))
}
