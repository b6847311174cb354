//! What a function may know about its call.

use baton_ports::{ToolProgress, ToolRun};
use baton_types::{AgentName, CallId, Principal, TaskId};
use tokio::sync::mpsc;

/// Progress that is told faster than it is heard is dropped beyond this many.
const UNHEARD: usize = 64;

/// Who called, for what, and somebody to tell how far it got.
#[derive(Clone, Debug)]
pub struct ToolContext {
    /// For whom the agent works.
    pub principal: Principal,
    /// Whose tool it is.
    pub agent: AgentName,
    /// The call; the same when a call is repeated after a crash, so it makes a good idempotency key.
    pub call: CallId,
    /// The task, when the call is part of one.
    pub task: Option<TaskId>,
    /// W3C trace context, to be passed on.
    pub trace: Option<String>,
    progress: mpsc::Sender<ToolProgress>,
}

impl ToolContext {
    pub(super) fn of(run: &ToolRun<'_>) -> (Self, mpsc::Receiver<ToolProgress>) {
        let (progress, told) = mpsc::channel(UNHEARD);
        let context = Self {
            principal: run.principal.clone(),
            agent: run.agent.name.clone(),
            call: run.call.id.clone(),
            task: run.task.cloned(),
            trace: run.trace.map(str::to_owned),
            progress,
        };
        (context, told)
    }

    /// Tells how far the call got; never waits.
    pub fn progress(&self, done: f64, total: Option<f64>, message: impl Into<String>) {
        let message = Some(message.into()).filter(|message: &String| !message.is_empty());
        // Whoever is not heard now is heard next time.
        let _ = self.progress.try_send(ToolProgress { done, total, message });
    }
}
