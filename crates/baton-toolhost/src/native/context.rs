//! Context of a call, for the function.

use baton_ports::{ToolInvocation, ToolProgress};
use baton_types::{AgentName, CallId, Principal, TaskId};
use parking_lot::Mutex;
use std::{collections::VecDeque, mem, sync::Arc};
use tokio::sync::Notify;

/// Maximum buffered progress reports; more are dropped.
const MAX_BUFFERED_REPORTS: usize = 64;

/// Caller, task and progress channel of a call.
#[derive(Clone, Debug)]
pub struct ToolContext {
    /// Principal on whose behalf the agent acts.
    pub principal: Principal,
    /// Agent that owns the tool.
    pub agent: AgentName,
    /// The call id. A call repeated after a crash has the same id, so it serves as idempotency key.
    pub call: CallId,
    /// The task, if the call is part of one.
    pub task: Option<TaskId>,
    /// W3C trace context to propagate.
    pub trace: Option<String>,
    progress_buffer: Arc<ProgressBuffer>,
}

/// Progress reports not yet consumed. Cheaper than a channel with its preallocated buffer, since most functions report
/// nothing.
#[derive(Debug, Default)]
pub(super) struct ProgressBuffer {
    reports: Mutex<VecDeque<ToolProgress>>,
    report_added: Notify,
}

impl ProgressBuffer {
    /// Waits for reports and takes them.
    pub(super) async fn recv(&self) -> VecDeque<ToolProgress> {
        self.report_added.notified().await;
        self.drain()
    }

    /// Takes the buffered reports.
    pub(super) fn drain(&self) -> VecDeque<ToolProgress> {
        mem::take(&mut self.reports.lock())
    }
}

impl ToolContext {
    pub(super) fn from_run(run: &ToolInvocation<'_>) -> (Self, Arc<ProgressBuffer>) {
        let progress_buffer = Arc::new(ProgressBuffer::default());
        let context = Self {
            principal: run.principal.clone(),
            agent: run.agent.name.clone(),
            call: run.call.id.clone(),
            task: run.task.cloned(),
            trace: run.trace.map(str::to_owned),
            progress_buffer: Arc::clone(&progress_buffer),
        };
        (context, progress_buffer)
    }

    /// Reports progress; never blocks.
    pub fn progress(&self, done: f64, total: Option<f64>, message: impl Into<String>) {
        let message = Some(message.into()).filter(|message: &String| !message.is_empty());
        let mut reports = self.progress_buffer.reports.lock();
        // Excess reports are dropped; a later one is sent.
        if reports.len() < MAX_BUFFERED_REPORTS {
            reports.push_back(ToolProgress { done, total, message });
            self.progress_buffer.report_added.notify_one();
        }
    }
}
