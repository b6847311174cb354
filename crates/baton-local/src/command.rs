//! Programs as tools: one process per call, bounded in time and output, ended with everything it started.

mod group;
mod output;
mod run;

use baton_ports::{BoxFuture, ToolHost, ToolInvocation, ToolOutcome, ToolOutput};
use baton_types::{Json, ToolRunner};
use tokio::sync::Semaphore;

const MAX_PROCESSES: usize = 64;

/// Runs command tools; at most 64 programs at a time, further calls wait their turn.
#[derive(Debug)]
pub struct CommandTools {
    turns: Semaphore,
}

impl CommandTools {
    /// With no program running.
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
            // The semaphore is never closed; were it, running unbounded by it is the lesser evil.
            let _turn = self.turns.acquire().await.ok();
            ToolOutcome::Done(run::run(agent, command, call).await)
        })
    }
}

/// A failure as the model reads it.
fn failed(text: impl AsRef<str>) -> ToolOutput {
    ToolOutput { output: Json::string(text.as_ref()), is_error: true }
}
