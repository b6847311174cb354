//! A running program and its pipes.

use super::{
    group::ProcessGroup,
    lines::{MAX_LINE, MessageLineFilter},
    reaper::Reaper,
    stderr,
};
use crate::ServerLog;
use rmcp::{
    RoleClient,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::{Transport, async_rw::AsyncRwTransport},
};
use std::{
    collections::BTreeMap,
    ffi::OsString,
    io,
    path::Path,
    process::{ExitStatus, Stdio},
    sync::Arc,
    time::Duration,
};
use tokio::{
    io::BufReader,
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};
use tokio_util::task::AbortOnDropHandle;

/// Maximum time for a program to exit after its input was closed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum wait for the exit code and the remaining standard error of a program that closed its output.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

/// Command line and environment of a program.
pub(super) struct Program<'a> {
    pub(super) command: &'a str,
    pub(super) args: &'a [String],
    pub(super) directory: &'a Path,
    pub(super) variables: BTreeMap<OsString, OsString>,
}

/// A running program; dropping it kills its process group immediately.
pub(super) struct Process {
    pipes: AsyncRwTransport<RoleClient, MessageLineFilter<BufReader<ChildStdout>>, ChildStdin>,
    group: ProcessGroup,
    child: Child,
    log: ServerLog,
    stderr: Option<AbortOnDropHandle<()>>,
}

/// Starts the program.
pub(super) fn start(program: &Program<'_>, log: &ServerLog, reaper: Option<Arc<Reaper>>) -> io::Result<Process> {
    if let Some(reaper) = &reaper {
        reaper.ensure_started();
    }
    let mut child = spawn(program)?;
    let group = ProcessGroup::from_leader(child.id(), reaper);
    let broken_pipe = || io::Error::from(io::ErrorKind::BrokenPipe);
    let input = child.stdin.take().ok_or_else(broken_pipe)?;
    let output = child.stdout.take().ok_or_else(broken_pipe)?;
    let stderr =
        child.stderr.take().map(|source| AbortOnDropHandle::new(tokio::spawn(stderr::log_lines(source, log.clone()))));
    let lines = MessageLineFilter::new(BufReader::with_capacity(64 << 10, output), log.clone());
    let pipes = AsyncRwTransport::new_client(lines, input).with_max_line_length(MAX_LINE + 1);
    Ok(Process { pipes, group, child, log: log.clone(), stderr })
}

#[expect(clippy::disallowed_methods, reason = "a server lives as long as its connection, which bounds its output")]
fn spawn(program: &Program<'_>) -> io::Result<Child> {
    let mut command = Command::new(program.command);
    command
        .args(program.args)
        .current_dir(program.directory)
        .env_clear()
        .envs(&program.variables)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    command.spawn()
}

impl Process {
    /// Records the exit status and reads the remaining standard error.
    async fn record_exit(&mut self) {
        if let Ok(Ok(status)) = timeout(DRAIN_TIMEOUT, self.child.wait()).await {
            self.log.record_fault(exit_message(status));
        }
        if let Some(stderr) = self.stderr.take() {
            let _ = timeout(DRAIN_TIMEOUT, stderr).await;
        }
    }
}

fn exit_message(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("the program ended with exit code {code}"),
        None => format!("the program was ended: {status}"),
    }
}

impl Transport<RoleClient> for Process {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.pipes.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.pipes.receive().await;
        if message.is_none() {
            self.record_exit().await;
        }
        message
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        let closed = self.pipes.close().await;
        let _ = timeout(EXIT_TIMEOUT, self.child.wait()).await;
        self.group.kill();
        // Reaps the killed leader to avoid a zombie.
        let _ = timeout(EXIT_TIMEOUT, self.child.wait()).await;
        closed
    }
}
