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

/// Upper bound of a start or an orderly stop on a loaded machine.
const START_STOP_TIMEOUT: Duration = Duration::from_secs(30);

/// Options of a server that is started repeatedly on the same data directory.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The `baton` program.
    pub binary: PathBuf,
    /// Agent directories.
    pub agents: Vec<PathBuf>,
    /// The data directory; its parent is the server's working directory.
    pub data: PathBuf,
    /// File for the server's stderr; every start appends.
    pub log: PathBuf,
    /// Listening port; 0 selects a free port at each start.
    pub port: u16,
    /// Additional arguments of `baton up`.
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

    /// Starts the program without waiting for readiness.
    #[expect(clippy::disallowed_methods, reason = "the child is the server under test, not a tool")]
    pub fn spawn(&self) -> Result<StartingServer> {
        let log = OpenOptions::new().create(true).append(true).open(&self.log);
        let log = log.with_context(|| format!("cannot write {}", self.log.display()))?;
        let mut command = Command::new(&self.binary);
        command.arg("up").args(&self.agents).args(["--json", "--data"]).arg(&self.data);
        command.args(["--port", &self.port.to_string()]);
        command.args(&self.arguments);
        // Settings in the environment of the test run must not affect the server under test.
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("BATON_")) {
            command.env_remove(name);
        }
        // Model detection would depend on the machine.
        command.env("BATON_DETECT", "off");
        if let Some(directory) = self.data.parent() {
            command.current_dir(directory);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).kill_on_drop(true);
        let mut child = command.spawn().with_context(|| format!("cannot start {}", self.binary.display()))?;
        let stdout = child.stdout.take().context("the child has no stdout")?;
        Ok(StartingServer { child, stdout, log: self.log.clone() })
    }

    /// Starts the program and waits until it is ready.
    pub async fn start(&self) -> Result<Server> {
        self.spawn()?.ready().await
    }

    /// The end of the server's log.
    pub fn log_tail(&self) -> String {
        tail(&self.log)
    }
}

/// A server process that may not be ready yet.
#[derive(Debug)]
pub struct StartingServer {
    child: Child,
    stdout: ChildStdout,
    log: PathBuf,
}

/// Output of `baton up --json` when ready.
#[derive(Deserialize)]
struct Announcement {
    url: String,
    pid: u32,
}

impl StartingServer {
    /// Process id.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits until the server is ready.
    pub async fn ready(self) -> Result<Server> {
        let log = self.log.clone();
        match tokio::time::timeout(START_STOP_TIMEOUT, self.await_announcement()).await {
            Ok(Ok(server)) => Ok(server),
            Ok(Err(error)) => Err(error.context(format!("the server did not start; end of its log:\n{}", tail(&log)))),
            Err(_) => bail!("the server was not ready within {START_STOP_TIMEOUT:?}; end of its log:\n{}", tail(&log)),
        }
    }

    async fn await_announcement(self) -> Result<Server> {
        let Self { child, stdout, .. } = self;
        let mut lines = BufReader::new(stdout).lines();
        let line = lines.next_line().await?.context("the process exited without printing its URL")?;
        let Announcement { url, pid } =
            serde_json::from_str(&line).with_context(|| format!("unexpected output: {line}"))?;
        let client = Client::tcp(&url)?;
        client.ready().await?;
        // Kept open: a closed stdout could change the server's behaviour.
        let stdout = lines.into_inner().into_inner();
        Ok(Server { child, pid, url, client, _stdout: stdout })
    }

    /// Kills the process immediately, in any state.
    pub async fn kill(mut self) -> Result<()> {
        self.child.kill().await.context("the server cannot be killed")
    }
}

/// A server that is ready; killed when dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
    pid: u32,
    url: String,
    client: Client,
    _stdout: ChildStdout,
}

impl Server {
    /// Base URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Process id.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// A client for this server.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Kills the process with SIGKILL and waits until it has exited.
    pub async fn kill(mut self) -> Result<()> {
        self.child.kill().await.context("the server cannot be killed")
    }

    /// Requests an orderly stop and waits for it.
    pub async fn stop(mut self) -> Result<ExitStatus> {
        self.request_stop()?;
        let ended = tokio::time::timeout(START_STOP_TIMEOUT, self.child.wait()).await;
        Ok(ended.with_context(|| format!("the server did not stop within {START_STOP_TIMEOUT:?}"))??)
    }

    #[cfg(unix)]
    fn request_stop(&mut self) -> Result<()> {
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
