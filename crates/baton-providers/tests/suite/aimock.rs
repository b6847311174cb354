//! The services of all providers on one port, by npm's aimock.

use crate::calls::KEY;
use std::{
    path::{Path, PathBuf},
    process::Stdio,
};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

/// A running server; stops when dropped.
pub(crate) struct Aimock {
    pub(crate) url: String,
    _child: Child,
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[expect(clippy::disallowed_methods, reason = "a test starts what it talks to")]
fn command(program: impl AsRef<Path>) -> Command {
    let mut command = Command::new(program.as_ref());
    command.current_dir(repository()).kill_on_drop(true);
    command
}

async fn node() -> PathBuf {
    if let Some(given) = std::env::var_os("BATON_TEST_NODE") {
        return given.into();
    }
    let made = command("scripts/node-env.sh").output().await.expect("scripts/node-env.sh starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    String::from_utf8_lossy(&made.stdout).trim().into()
}

impl Aimock {
    /// Starts a server with the fixtures of this crate that accepts the key of the tests only.
    pub(crate) async fn start() -> Self {
        Self::with(|command| command.env("AIMOCK_API_KEYS", KEY)).await
    }

    /// Starts a server for signed requests, which ignores the signatures.
    pub(crate) async fn open() -> Self {
        Self::with(|command| command.env_remove("AIMOCK_API_KEYS")).await
    }

    async fn with(keys: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/aimock");
        let mut command = command(node().await);
        let mut child = keys(&mut command)
            .arg("tests/js/node_modules/@copilotkit/aimock/dist/cli.js")
            .args(["--port", "0", "--strict", "--validate-on-load", "--chunk-size", "6", "--fixtures"])
            .arg(fixtures)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("aimock starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        while let Some(line) = lines.next_line().await.expect("its output") {
            if let Some((_, url)) = line.split_once("listening on ") {
                let url = url.trim().to_owned();
                // The output must be drained, or the server would block.
                tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
                return Self { url, _child: child };
            }
        }
        panic!("aimock ended before it listened");
    }

    /// The base address of one kind of provider.
    pub(crate) fn base(&self, kind: baton_types::ProviderKind) -> String {
        use baton_types::ProviderKind as Kind;
        match kind {
            Kind::OpenAi | Kind::OpenAiResponses | Kind::Anthropic | Kind::Compatible => format!("{}/v1", self.url),
            Kind::Gemini => format!("{}/v1beta", self.url),
            Kind::Ollama | Kind::Bedrock => self.url.clone(),
        }
    }
}
