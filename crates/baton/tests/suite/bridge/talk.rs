//! A client that writes lines and reads lines.

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

/// Longer than anything here may take.
const BOUND: Duration = Duration::from_secs(20);

/// What every request of the newest protocol carries.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "lines", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// `baton mcp` with somebody at its standard streams.
pub(crate) struct Talk {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: mpsc::Receiver<String>,
    stderr: thread::JoinHandle<String>,
}

impl Talk {
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

    /// A client of 2025 that has opened its session.
    pub(crate) fn legacy(home: &Home, args: &[&str]) -> Self {
        let mut talk = Self::start(home, args);
        let opened = talk.asks(json!({"id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "lines", "version": "1"},
        }}));
        assert_eq!(opened["result"]["protocolVersion"], "2025-11-25", "{opened}");
        talk.says(json!({"method": "notifications/initialized"}));
        talk
    }

    pub(crate) fn line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("open");
        writeln!(stdin, "{line}").and_then(|()| stdin.flush()).expect("written");
    }

    pub(crate) fn says(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        self.line(&message.to_string());
    }

    /// The next line, which is JSON.
    pub(crate) fn hears(&mut self) -> Value {
        let line = self.lines.recv_timeout(BOUND).expect("a line in time");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("not JSON, {error}: {line}"))
    }

    /// The next line that answers the request with this id.
    pub(crate) fn answer(&mut self, id: &Value) -> Value {
        loop {
            let heard = self.hears();
            if heard["id"] == *id && heard.get("method").is_none() {
                return heard;
            }
        }
    }

    pub(crate) fn asks(&mut self, request: Value) -> Value {
        let id = request["id"].clone();
        self.says(request);
        self.answer(&id)
    }

    /// Everything that is still said, until nothing more comes.
    pub(crate) fn rest(&mut self) -> Vec<Value> {
        let mut rest = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(BOUND) {
            rest.push(serde_json::from_str(&line).expect("JSON"));
        }
        rest
    }

    /// Says no more.
    pub(crate) fn closes(&mut self) {
        drop(self.stdin.take());
    }

    /// Waits for the end; gives how it was and what was said on stderr.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        self.closes();
        while self.lines.recv_timeout(BOUND).is_ok() {}
        let status = self.child.wait().expect("it ends");
        (status, self.stderr.join().expect("read"))
    }

    /// Ends it as a power cut would.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("it ends");
    }
}

/// Another process that lives as long as it holds a pipe open.
pub(crate) struct Alive(mpsc::Receiver<&'static str>);

impl Alive {
    /// Watches whoever opens this pipe for writing.
    pub(crate) fn watch(pipe: PathBuf) -> Self {
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            // Opening waits until somebody holds the other end, reading until nobody does.
            let mut pipe = File::open(pipe).expect("a pipe");
            let _ = tell.send("begun");
            let _ = pipe.read_to_end(&mut Vec::new());
            let _ = tell.send("ended");
        });
        Self(told)
    }

    pub(crate) fn begins(&self) {
        assert_eq!(self.0.recv_timeout(BOUND), Ok("begun"));
    }

    pub(crate) fn ends(&self) {
        assert_eq!(self.0.recv_timeout(BOUND), Ok("ended"));
    }
}

/// An agent with a tool that answers and one that waits at a gate for as long as it lives.
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

/// A call of a tool in the newest protocol.
pub(crate) fn call(id: u64, tool: &str, arguments: &Value) -> Value {
    json!({"id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments, "_meta": meta()}})
}

/// The same in a session.
pub(crate) fn session_call(id: u64, tool: &str, arguments: &Value) -> Value {
    json!({"id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

/// The text of a tool's result.
pub(crate) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"))
}
