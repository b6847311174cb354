//! Third-party servers, run as separate processes.

use crate::foreign::{Interpreter, command};
use serde::Deserialize;
use std::{process::Stdio, time::Duration};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader, Lines},
    process::{Child, ChildStdout, Command},
};

/// Timeout for a server to start or to send its next line.
const PEER_TIMEOUT: Duration = Duration::from_secs(30);

/// The implementation of a server and the expected card; its agent is in `tests/python/words.py`.
pub(super) struct ServerKind {
    pub(super) interpreter: Interpreter,
    pub(super) script: &'static str,
    pub(super) name: &'static str,
    /// The version of A2A.
    pub(super) version: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ServerMode {
    Streaming,
    NonStreaming,
}

/// A running server, killed when this value is dropped.
pub(super) struct ForeignServer {
    _child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    pub(super) url: String,
}

/// A line of the server's standard output.
#[derive(Deserialize)]
struct Line {
    url: Option<String>,
    notified: Option<String>,
    status: Option<u16>,
}

impl ServerKind {
    pub(super) async fn serve(&self, binding: &str, mode: ServerMode) -> ForeignServer {
        let mut command = command(self.interpreter.path());
        command.args([self.script, binding]);
        if mode == ServerMode::NonStreaming {
            command.arg("quiet");
        }
        let mut command = Command::from(command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().expect("the server starts");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let url = next_line(&mut lines).await.url.expect("the first line has the URL");
        ForeignServer { _child: child, lines, url }
    }
}

impl ForeignServer {
    /// Waits until the server has sent a notification; returns its path and the response status.
    pub(super) async fn next_notification(&mut self) -> (String, u16) {
        let line = next_line(&mut self.lines).await;
        let url = line.notified.expect("a notification");
        let path = url.splitn(4, '/').nth(3).unwrap_or_default();
        (format!("/{path}"), line.status.expect("an answer"))
    }
}

async fn next_line(lines: &mut Lines<BufReader<ChildStdout>>) -> Line {
    let line = tokio::time::timeout(PEER_TIMEOUT, lines.next_line()).await.expect("a line in time");
    let line = line.expect("UTF-8").expect("the server still runs");
    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
}
