//! A line-based MCP client for `baton mcp`.

use crate::binary::Home;
use serde_json::{Value, json};
use std::{
    fs::File,
    io::{BufRead, BufReader, Read, Write},
    path::PathBuf,
    process::{Child, ChildStdin, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

/// Upper bound for every step.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The `_meta` object of every request in the latest protocol.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "lines", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// `baton mcp` with pipes as its standard streams.
pub(crate) struct BridgeClient {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: mpsc::Receiver<String>,
    stderr: thread::JoinHandle<String>,
}

impl BridgeClient {
    pub(crate) fn start(home: &Home, args: &[&str]) -> Self {
        let mut command = home.baton(&[&["mcp"], args].concat());
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let (give, lines) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| give.send(line)));
        let mut errors = child.stderr.take().expect("piped");
        let stderr = thread::spawn(move || {
            let mut said = String::new();
            errors.read_to_string(&mut said).expect("UTF-8");
            said
        });
        Self { stdin: child.stdin.take(), child, lines, stderr }
    }

    /// A client of protocol version 2025-11-25 with an open session.
    pub(crate) fn legacy(home: &Home, args: &[&str]) -> Self {
        let mut client = Self::start(home, args);
        let opened = client.request(json!({"id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "lines", "version": "1"},
        }}));
        assert_eq!(opened["result"]["protocolVersion"], "2025-11-25", "{opened}");
        client.send(json!({"method": "notifications/initialized"}));
        client
    }

    pub(crate) fn send_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("open");
        writeln!(stdin, "{line}").and_then(|()| stdin.flush()).expect("written");
    }

    pub(crate) fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        self.send_line(&message.to_string());
    }

    /// The next message.
    pub(crate) fn receive(&mut self) -> Value {
        let line = self.lines.recv_timeout(TIMEOUT).expect("a line in time");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("not JSON, {error}: {line}"))
    }

    /// The next response with this id; skips other messages.
    pub(crate) fn answer(&mut self, id: &Value) -> Value {
        loop {
            let heard = self.receive();
            if heard["id"] == *id && heard.get("method").is_none() {
                return heard;
            }
        }
    }

    pub(crate) fn request(&mut self, request: Value) -> Value {
        let id = request["id"].clone();
        self.send(request);
        self.answer(&id)
    }

    /// All remaining messages.
    pub(crate) fn drain(&mut self) -> Vec<Value> {
        let mut rest = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(TIMEOUT) {
            rest.push(serde_json::from_str(&line).expect("JSON"));
        }
        rest
    }

    /// Closes stdin.
    pub(crate) fn close(&mut self) {
        drop(self.stdin.take());
    }

    /// Closes stdin and waits for the end; returns exit status and stderr.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        self.close();
        while self.lines.recv_timeout(TIMEOUT).is_ok() {}
        let status = self.child.wait().expect("it ends");
        (status, self.stderr.join().expect("read"))
    }

    /// Kills the process (SIGKILL).
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("it ends");
    }
}

/// Observes another process, which lives as long as it holds a pipe open.
pub(crate) struct ProcessProbe(mpsc::Receiver<&'static str>);

impl ProcessProbe {
    /// Watches the process that opens this pipe for writing.
    pub(crate) fn watch(pipe: PathBuf) -> Self {
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            // Opening blocks until the other end is opened, reading until it is closed.
            let mut pipe = File::open(pipe).expect("a pipe");
            let _ = tell.send("begun");
            let _ = pipe.read_to_end(&mut Vec::new());
            let _ = tell.send("ended");
        });
        Self(told)
    }

    pub(crate) fn wait_for_start(&self) {
        assert_eq!(self.0.recv_timeout(TIMEOUT), Ok("begun"));
    }

    pub(crate) fn wait_for_end(&self) {
        assert_eq!(self.0.recv_timeout(TIMEOUT), Ok("ended"));
    }
}

/// An agent with a tool that answers at once and one that blocks on a pipe.
pub(crate) fn agent(home: &Home) {
    let tools = r#"tools:
  - name: shout
    description: Says it louder.
    command: ["sh", "-c", "printf '%s!' \"$1\"", "shout", "${words}"]
    effects: read_only
    parameters:
      type: object
      properties: { words: { type: string, description: "What to shout." } }
      required: [words]
  - name: wait
    description: Waits at a gate.
    command: ["sh", "-c", "exec 3>../alive; cat ../gate"]
"#;
    home.agent("crier", tools, "rules: [{ say: \"Hear, hear.\" }]\n");
    home.pipe("alive");
    home.pipe("gate");
}

/// A tool call in the latest protocol.
pub(crate) fn call(id: u64, tool: &str, arguments: &Value) -> Value {
    json!({"id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments, "_meta": meta()}})
}

/// A tool call in a session.
pub(crate) fn session_call(id: u64, tool: &str, arguments: &Value) -> Value {
    json!({"id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

/// The text of a tool result.
pub(crate) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"))
}
