//! Context of a call, for the function.

use baton_ports::{ToolInvocation, ToolProgress};
use baton_types::{AgentName, CallId, Principal, TaskId};
use parking_lot::Mutex;
use std::{collections::VecDeque, mem, sync::Arc};
use tokio::sync::Notify;

/// Maximum buffered progress reports; more are dropped.
const UNHEARD: usize = 64;

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
    told: Arc<Told>,
}

/// Progress reports not yet consumed. Cheaper than a channel with its preallocated buffer, since most functions report
/// nothing.
#[derive(Debug, Default)]
pub(super) struct Told {
    unheard: Mutex<VecDeque<ToolProgress>>,
    news: Notify,
}

impl Told {
    /// Waits for reports and takes them.
    pub(super) async fn heard(&self) -> VecDeque<ToolProgress> {
        self.news.notified().await;
        self.rest()
    }

    /// Takes the buffered reports.
    pub(super) fn rest(&self) -> VecDeque<ToolProgress> {
        mem::take(&mut self.unheard.lock())
    }
}

impl ToolContext {
    pub(super) fn of(run: &ToolInvocation<'_>) -> (Self, Arc<Told>) {
        let told = Arc::new(Told::default());
        let context = Self {
            principal: run.principal.clone(),
            agent: run.agent.name.clone(),
            call: run.call.id.clone(),
            task: run.task.cloned(),
            trace: run.trace.map(str::to_owned),
            told: Arc::clone(&told),
        };
        (context, told)
    }

    /// Reports progress; never blocks.
    pub fn progress(&self, done: f64, total: Option<f64>, message: impl Into<String>) {
        let message = Some(message.into()).filter(|message: &String| !message.is_empty());
        let mut unheard = self.told.unheard.lock();
        // Excess reports are dropped; a later one is sent.
        if unheard.len() < UNHEARD {
            unheard.push_back(ToolProgress { done, total, message });
            self.told.news.notify_one();
        }
    }
}
