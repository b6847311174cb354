//! Programs as tools: one process per call, limited in time and output, killed together with its child processes.

mod group;
mod output;
mod run;

use baton_ports::{BoxFuture, ToolHost, ToolInvocation, ToolOutcome, ToolOutput};
use baton_types::{Json, ToolRunner};
use tokio::sync::Semaphore;

const MAX_PROCESSES: usize = 64;

/// Runs command tools; at most 64 programs at a time, further calls wait.
#[derive(Debug)]
pub struct CommandTools {
    turns: Semaphore,
}

impl CommandTools {
    /// Creates a host without running programs.
    pub fn new() -> Self {
        Self { turns: Semaphore::new(MAX_PROCESSES) }
    }
}

impl Default for CommandTools {
    fn default() -> Self {
        Self::new()
    }
}

impl ToolHost for CommandTools {
    fn call<'a>(&'a self, run: ToolInvocation<'a>) -> BoxFuture<'a, ToolOutcome> {
        let ToolInvocation { agent, tool, call, .. } = run;
        Box::pin(async move {
            let ToolRunner::Command(command) = &tool.runner else {
                return ToolOutcome::Done(failed(format!("the tool {} has no program", tool.name)));
            };
            // The semaphore is never closed; if it were, running without the limit is preferable to failing.
            let _turn = self.turns.acquire().await.ok();
            ToolOutcome::Done(run::run(agent, command, call).await)
        })
    }
}

/// A failure message for the model.
fn failed(text: impl AsRef<str>) -> ToolOutput {
    ToolOutput { output: Json::string(text.as_ref()), is_error: true }
}
