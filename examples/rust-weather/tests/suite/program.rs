//! The program under test.

use std::process::{ExitStatus, Stdio};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader, Lines},
    process::{Child, ChildStderr, Command},
};

/// The running example program in a temporary directory; killed on drop.
pub(crate) struct Program {
    pub(crate) url: String,
    child: Child,
    log: Lines<BufReader<ChildStderr>>,
    _directory: tempfile::TempDir,
}

impl Program {
    /// Starts the program on a free port.
    pub(crate) async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts the program with these environment variables.
    pub(crate) async fn start_with(variables: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        #[expect(clippy::disallowed_methods, reason = "starts the program under test; no tool of an agent is involved")]
        let mut child = Command::new(env!("CARGO_BIN_EXE_baton-example-weather"))
            .arg("127.0.0.1:0")
            .current_dir(directory.path())
            .env("BATON_LOG_FORMAT", "json")
            .env_remove("BATON_LOG")
            .env_remove("OTEL_EXPORTER_OTLP_ENDPOINT")
            .envs(variables.iter().copied())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
        let url = loop {
            let line = log.next_line().await.unwrap().expect("a log line with the URL");
            let line: serde_json::Value = serde_json::from_str(&line).unwrap();
            if line["fields"]["message"] == "serving" {
                break line["fields"]["url"].as_str().unwrap().to_owned();
            }
        };
        Self { url, child, log, _directory: directory }
    }

    /// Sends SIGINT, like Ctrl-C, and waits until the program ends.
    pub(crate) async fn interrupt(mut self) -> ExitStatus {
        let id = self.child.id().and_then(|id| rustix::process::Pid::from_raw(id.try_into().unwrap())).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
        while self.log.next_line().await.unwrap().is_some() {}
        self.child.wait().await.unwrap()
    }
}
