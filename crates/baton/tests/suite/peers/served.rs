//! Servers that others wrote, as programs of their own.

use crate::foreign::{Interpreter, command};
use serde::Deserialize;
use std::{process::Stdio, time::Duration};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader, Lines},
    process::{Child, ChildStdout, Command},
};

/// Longer than any server takes to start or to send what it owes.
const PATIENCE: Duration = Duration::from_secs(30);

/// Who wrote a server, and what its card says; `tests/python/words.py` tells what its agent does.
pub(super) struct Kind {
    pub(super) interpreter: Interpreter,
    pub(super) script: &'static str,
    pub(super) name: &'static str,
    /// The version of A2A that is spoken with it.
    pub(super) version: &'static str,
}

/// Whether a server streams.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    Streaming,
    Quiet,
}

/// A server that answers; it ends with this value, and when the test is killed.
pub(super) struct Served {
    _child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    pub(super) url: String,
}

/// A line that a server tells.
#[derive(Deserialize)]
struct Line {
    url: Option<String>,
    notified: Option<String>,
    status: Option<u16>,
}

impl Kind {
    pub(super) async fn serve(&self, binding: &str, manner: Manner) -> Served {
        let mut command = command(self.interpreter.path());
        command.args([self.script, binding]);
        if manner == Manner::Quiet {
            command.arg("quiet");
        }
        let mut command = Command::from(command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().expect("the server starts");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let url = next(&mut lines).await.url.expect("first it tells where it serves");
        Served { _child: child, lines, url }
    }
}

impl Served {
    /// Waits until the server has sent a notification; gives its path, and how it was answered.
    pub(super) async fn notified(&mut self) -> (String, u16) {
        let line = next(&mut self.lines).await;
        let url = line.notified.expect("a notification");
        let path = url.splitn(4, '/').nth(3).unwrap_or_default();
        (format!("/{path}"), line.status.expect("an answer"))
    }
}

async fn next(lines: &mut Lines<BufReader<ChildStdout>>) -> Line {
    let line = tokio::time::timeout(PATIENCE, lines.next_line()).await.expect("it tells in time");
    let line = line.expect("UTF-8").expect("the server goes on");
    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
}
