//! Runs one program for one call.

use super::{
    failed,
    group::CommandProcessGroup,
    output::{CapturedOutput, capture_head, capture_tail},
};
use baton_agentdir::expand;
use baton_ports::ToolOutput;
use baton_types::{AgentSpec, CommandTool, Json, ToolCall};
use std::{
    process::{ExitStatus, Stdio},
    time::Duration,
};
use tokio::{
    io::AsyncWriteExt as _,
    process::{Child, ChildStdin, Command},
    time::error::Elapsed,
};

/// Environment variables passed to a program; all others are withheld.
const INHERITED_VARIABLES: [&str; 3] = ["PATH", "HOME", "LANG"];
const MAX_STDERR: usize = 4 << 10;
/// Maximum wait for open pipes after the program has exited: its output is already in the pipe, and only a child
/// outside the process group can keep it open.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(250);

/// Runs the program until it exits; dropping the future kills it and its child processes.
pub(super) async fn run(agent: &AgentSpec, tool: &CommandTool, call: &ToolCall) -> ToolOutput {
    let name = &call.name;
    let arguments = match call.arguments.read::<serde_json::Map<String, serde_json::Value>>() {
        Ok(arguments) => arguments,
        Err(_) => return failed(format!("{name} was not run: its arguments are not a JSON object; send an object")),
    };
    let argv = match expand(&tool.argv, &arguments) {
        Ok(argv) => argv,
        Err(error) => return failed(format!("{name} was not run: {error}; call it again with that argument")),
    };
    let mut child = match spawn(agent, tool, call, &argv) {
        Ok(child) => child,
        Err(error) => {
            let program = argv.first().map(String::as_str).unwrap_or_default();
            return failed(format!(
                "{name} was not run: the program '{program}' could not be started: {error}\nWhat to do: tell the user \
                 that the tool is not set up; its author has to install the program or correct `command` in agent.yaml."
            ));
        }
    };
    let mut group = CommandProcessGroup::from_leader(child.id());
    let (mut stdout, mut stderr) = (CapturedOutput::default(), CapturedOutput::default());
    let finished = wait_for_exit(&mut child, &mut group, call, tool, &mut stdout, &mut stderr).await;
    match finished {
        Ok(Ok(status)) if status.success() => succeeded(&stdout, tool.max_output),
        Ok(Ok(status)) => {
            let summary = match status.code() {
                Some(code) => format!("{name} failed with exit code {code}"),
                None => format!("{name} failed: {status}"),
            };
            failed(failure_text(&summary, &stdout, &stderr, tool.max_output))
        }
        Ok(Err(error)) => failed(format!("{name} failed: waiting for its exit failed: {error}")),
        Err(_) => {
            // Reaps the killed leader, so that no zombie remains.
            let _ = child.wait().await;
            let summary = format!("{name} was stopped after its timeout of {:?}", tool.timeout);
            failed(failure_text(&summary, &stdout, &stderr, tool.max_output))
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the command runner that bounds time and output")]
fn spawn(agent: &AgentSpec, tool: &CommandTool, call: &ToolCall, argv: &[String]) -> std::io::Result<Child> {
    let (program, arguments) = argv.split_first().ok_or(std::io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&tool.directory)
        .env_clear()
        .envs(INHERITED_VARIABLES.iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
        .env("BATON_AGENT", agent.name.as_str())
        .env("BATON_CALL_ID", call.id.as_str())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    command.spawn()
}

/// Waits for the program within its timeout, and for its output; kills the process group afterwards.
async fn wait_for_exit(
    child: &mut Child,
    group: &mut CommandProcessGroup,
    call: &ToolCall,
    tool: &CommandTool,
    stdout: &mut CapturedOutput,
    stderr: &mut CapturedOutput,
) -> Result<std::io::Result<ExitStatus>, Elapsed> {
    let (input, out, err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let pipes = async {
        tokio::join!(
            write_arguments(input, &call.arguments),
            capture_head(out, tool.max_output, stdout),
            capture_tail(err, MAX_STDERR, stderr)
        )
    };
    tokio::pin!(pipes);
    let mut drained = false;
    let end = async {
        tokio::select! {
            status = child.wait() => status,
            _ = &mut pipes => {
                drained = true;
                child.wait().await
            }
        }
    };
    let finished = tokio::time::timeout(tool.timeout, end).await;
    // Remaining child processes would keep the output open.
    group.kill();
    if finished.is_ok() && !drained {
        // The program has exited, so everything read by then is its output.
        let _ = tokio::time::timeout(DRAIN_TIMEOUT, pipes).await;
    }
    finished
}

/// Writes the arguments as JSON to stdin; a closed pipe is not an error, because a program may ignore its input.
async fn write_arguments(input: Option<ChildStdin>, arguments: &Json) {
    if let Some(mut input) = input {
        let _ = input.write_all(arguments.as_str().as_bytes()).await;
        let _ = input.shutdown().await;
    }
}

fn succeeded(stdout: &CapturedOutput, limit: usize) -> ToolOutput {
    if stdout.is_cut() {
        return ToolOutput { output: Json::string(&output_text(stdout, limit)), is_error: false };
    }
    let text = stdout.text();
    let output = Json::parse(text.trim()).unwrap_or_else(|_| Json::string(&text));
    ToolOutput { output, is_error: false }
}

fn output_text(captured: &CapturedOutput, limit: usize) -> String {
    let text = captured.text();
    if captured.is_cut() {
        format!("{text}\n[output cut: the first {limit} of {} bytes are shown]", captured.total)
    } else {
        text
    }
}

fn failure_text(summary: &str, stdout: &CapturedOutput, stderr: &CapturedOutput, limit: usize) -> String {
    let mut text = summary.to_owned();
    let errors = stderr.text();
    if !errors.trim().is_empty() {
        let note = if stderr.is_cut() { " (its end)" } else { "" };
        text.push_str(&format!("\nstderr{note}: {}", errors.trim()));
    }
    let output = output_text(stdout, limit);
    if !output.trim().is_empty() {
        text.push_str(&format!("\nstdout: {output}"));
    }
    text.push_str("\nWhat to do: check the arguments and call it again, or tell the user what went wrong.");
    text
}
