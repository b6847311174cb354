//! The binary as a child process.

use anyhow::{Context as _, Result, bail};
use baton_client::Client;
use serde::Deserialize;
use std::{
    fs::OpenOptions,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, ChildStdout, Command},
};

/// Longer than any start or orderly stop may take, on a machine with other things to do.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is started, again and again, on the same data directory.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The `baton` program.
    pub binary: PathBuf,
    /// Agent directories.
    pub agents: Vec<PathBuf>,
    /// The data directory; its parent is the server's working directory.
    pub data: PathBuf,
    /// Where the server's stderr goes, one start after the other.
    pub log: PathBuf,
    /// Where it listens; 0 takes any free port at each start.
    pub port: u16,
    /// Further arguments of `baton up`.
    pub arguments: Vec<String>,
}

impl ServerOptions {
    /// Serves `agents` with data and log inside `directory`.
    pub fn new(binary: impl Into<PathBuf>, agents: Vec<PathBuf>, directory: &Path) -> Self {
        Self {
            binary: binary.into(),
            agents,
            data: directory.join("data"),
            log: directory.join("server.log"),
            port: 0,
            arguments: Vec::new(),
        }
    }

    /// Starts the program without waiting for it.
    #[expect(clippy::disallowed_methods, reason = "the child is the server under test, not a tool")]
    pub fn spawn(&self) -> Result<Starting> {
        let log = OpenOptions::new().create(true).append(true).open(&self.log);
        let log = log.with_context(|| format!("cannot write {}", self.log.display()))?;
        let mut command = Command::new(&self.binary);
        command.arg("up").args(&self.agents).args(["--json", "--data"]).arg(&self.data);
        command.args(["--port", &self.port.to_string()]);
        command.args(&self.arguments);
        // Settings of whoever runs the tests are not settings of the server under test.
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("BATON_")) {
            command.env_remove(name);
        }
        // Nor are its models those that happen to be on this machine.
        command.env("BATON_DETECT", "off");
        if let Some(directory) = self.data.parent() {
            command.current_dir(directory);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).kill_on_drop(true);
        let mut child = command.spawn().with_context(|| format!("cannot start {}", self.binary.display()))?;
        let stdout = child.stdout.take().context("the child has no stdout")?;
        Ok(Starting { child, stdout, log: self.log.clone() })
    }

    /// Starts the program and waits until it takes work.
    pub async fn start(&self) -> Result<Server> {
        self.spawn()?.ready().await
    }

    /// The end of the server's log.
    pub fn log_tail(&self) -> String {
        tail(&self.log)
    }
}

/// A server that may not yet answer.
#[derive(Debug)]
pub struct Starting {
    child: Child,
    stdout: ChildStdout,
    log: PathBuf,
}

/// What `baton up --json` prints when it answers.
#[derive(Deserialize)]
struct Announcement {
    url: String,
    pid: u32,
}

impl Starting {
    /// The process.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits until the server takes work.
    pub async fn ready(self) -> Result<Server> {
        let log = self.log.clone();
        match tokio::time::timeout(PATIENCE, self.announced()).await {
            Ok(Ok(server)) => Ok(server),
            Ok(Err(error)) => Err(error.context(format!("the server did not start; its log ends:\n{}", tail(&log)))),
            Err(_) => bail!("the server was not ready within {PATIENCE:?}; its log ends:\n{}", tail(&log)),
        }
    }

    async fn announced(self) -> Result<Server> {
        let Self { child, stdout, .. } = self;
        let mut lines = BufReader::new(stdout).lines();
        let line = lines.next_line().await?.context("it ended without saying where it answers")?;
        let Announcement { url, pid } = serde_json::from_str(&line).with_context(|| format!("it said: {line}"))?;
        let client = Client::tcp(&url)?;
        client.ready().await?;
        // Kept open: a server whose reader has gone may not be the one that people run.
        let stdout = lines.into_inner().into_inner();
        Ok(Server { child, pid, url, client, _stdout: stdout })
    }

    /// Ends the process as a power cut would, wherever it is.
    pub async fn kill(mut self) -> Result<()> {
        self.child.kill().await.context("the server cannot be killed")
    }
}

/// A server that takes work; killed when dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
    pid: u32,
    url: String,
    client: Client,
    _stdout: ChildStdout,
}

impl Server {
    /// Where it answers.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// A client of it.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Ends the process with SIGKILL and waits until it is gone.
    pub async fn kill(mut self) -> Result<()> {
        self.child.kill().await.context("the server cannot be killed")
    }

    /// Asks the process to stop in order and waits until it has.
    pub async fn stop(mut self) -> Result<ExitStatus> {
        self.ask_to_stop()?;
        let ended = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        Ok(ended.with_context(|| format!("the server did not stop within {PATIENCE:?}"))??)
    }

    #[cfg(unix)]
    fn ask_to_stop(&mut self) -> Result<()> {
        use rustix::process::{Pid, Signal, kill_process};
        let pid = i32::try_from(self.pid).ok().and_then(Pid::from_raw).context("the server has no process id")?;
        Ok(kill_process(pid, Signal::TERM)?)
    }

    #[cfg(not(unix))]
    fn ask_to_stop(&mut self) -> Result<()> {
        Ok(self.child.start_kill()?)
    }
}

fn tail(log: &Path) -> String {
    const LINES: usize = 40;
    let text = std::fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
