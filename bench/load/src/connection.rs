//! One keep-alive connection: a request, its whole response, and the check that it is right.

use crate::{
    options::{Mode, Options},
    request::{Template, expected_echo},
    response::{self, Body},
};
use memchr::memmem;
use serde_json::Value;
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// A server that takes longer than this has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// Every reply is searched for its marks; one in this many is also parsed and looked at field by field.
const PARSE_EVERY: u64 = 64;

/// A checked reply.
pub struct Outcome {
    /// Events of the stream; one for a plain reply.
    pub events: u64,
    /// Whether the connection can carry another request.
    pub reusable: bool,
}

/// A connection and its buffers.
pub struct Connection {
    stream: TcpStream,
    template: Template,
    input: Vec<u8>,
    mode: Mode,
    text: String,
    exchanges: u64,
}

impl Connection {
    /// Connects, without delay of small packets.
    pub async fn open(options: &Options) -> std::io::Result<Self> {
        let stream = TcpStream::connect(options.address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            template: Template::new(options),
            input: Vec::with_capacity(16 * 1024),
            mode: options.mode,
            text: options.text.clone(),
            exchanges: 0,
        })
    }

    /// Sends request `number` and reads its response to the end.
    pub async fn exchange(&mut self, number: u64) -> Result<Outcome, String> {
        match tokio::time::timeout(PATIENCE, self.exchange_patiently(number)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(format!("no complete answer within {} s", PATIENCE.as_secs())),
        }
    }

    async fn exchange_patiently(&mut self, number: u64) -> Result<Outcome, String> {
        self.stream.write_all(self.template.numbered(number)).await.map_err(|error| format!("write: {error}"))?;
        self.input.clear();
        let head = loop {
            if let Some(head) = response::head(&self.input)? {
                break head;
            }
            self.read_more().await?;
        };
        let mut body = Body::default();
        while !body.advance(head.framing, &self.input[head.length..])? {
            self.read_more().await?;
        }
        let content = body.content;
        if head.status != 200 {
            return Err(format!("status {}: {}", head.status, excerpt(&content)));
        }
        self.exchanges += 1;
        let thorough = self.exchanges % PARSE_EVERY == 1;
        let events =
            self.check(&content, number, thorough).map_err(|wrong| format!("{wrong}: {}", excerpt(&content)))?;
        Ok(Outcome { events, reusable: !head.close })
    }

    async fn read_more(&mut self) -> Result<(), String> {
        match self.stream.read_buf(&mut self.input).await {
            Ok(0) => Err("the server closed the connection".to_owned()),
            Ok(_) => Ok(()),
            Err(error) => Err(format!("read: {error}")),
        }
    }

    fn check(&self, content: &[u8], number: u64, thorough: bool) -> Result<u64, String> {
        if self.mode == Mode::Submit {
            let open = [&b"TASK_STATE_SUBMITTED"[..], b"TASK_STATE_WORKING"];
            return match open.iter().any(|state| memmem::find(content, state).is_some()) {
                true => Ok(1),
                false => Err("no open task in the reply".to_owned()),
            };
        }
        if memmem::find(content, b"TASK_STATE_COMPLETED").is_none() {
            return Err("no completed task in the reply".to_owned());
        }
        let echo = expected_echo(&self.text, number);
        if memmem::find(content, echo.as_bytes()).is_none() {
            return Err(format!("no '{echo}' in the reply"));
        }
        match self.mode {
            Mode::Stream => {
                let events = memmem::find_iter(content, b"data:").count() as u64;
                if thorough { check_stream(content, &echo).map(|()| events) } else { Ok(events) }
            }
            _ if thorough => check_task(content, &echo).map(|()| 1),
            _ => Ok(1),
        }
    }
}

/// A plain reply holds a completed task with the echo as artifact.
fn check_task(content: &[u8], echo: &str) -> Result<(), String> {
    let reply: Value = serde_json::from_slice(content).map_err(|error| format!("not JSON ({error})"))?;
    let task = &reply["result"]["task"];
    if task["status"]["state"] != "TASK_STATE_COMPLETED" || task["id"].as_str().is_none_or(str::is_empty) {
        return Err("the task is not completed".to_owned());
    }
    if task["artifacts"][0]["parts"][0]["text"] != echo {
        return Err("the artifact is not the echo".to_owned());
    }
    Ok(())
}

/// A stream begins with the task, carries the echo as artifact and ends completed.
fn check_stream(content: &[u8], echo: &str) -> Result<(), String> {
    let text = std::str::from_utf8(content).map_err(|_| "the stream is not text")?;
    let mut events = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("data:")) {
        let event: Value = serde_json::from_str(line).map_err(|error| format!("an event is not JSON ({error})"))?;
        events.push(event["result"].clone());
    }
    if events.first().is_none_or(|first| !first["task"].is_object()) {
        return Err("the stream does not begin with the task".to_owned());
    }
    let echoed = |event: &Value| event["artifactUpdate"]["artifact"]["parts"][0]["text"] == echo;
    let completed = |event: &Value| {
        [&event["statusUpdate"], &event["task"]].iter().any(|at| at["status"]["state"] == "TASK_STATE_COMPLETED")
    };
    if !events.iter().any(echoed) {
        return Err("no artifact of the stream is the echo".to_owned());
    }
    if !events.last().is_some_and(completed) {
        return Err("the stream does not end completed".to_owned());
    }
    Ok(())
}

fn excerpt(content: &[u8]) -> String {
    String::from_utf8_lossy(&content[..content.len().min(400)]).into_owned()
}
