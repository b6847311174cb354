//! What a function may know about its call.

use baton_ports::{ToolProgress, ToolRun};
use baton_types::{AgentName, CallId, Principal, TaskId};
use parking_lot::Mutex;
use std::{collections::VecDeque, mem, sync::Arc};
use tokio::sync::Notify;

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
    told: Arc<Told>,
}

/// What a function told and nobody has heard yet. Most functions tell nothing, and then it costs next to nothing, which
/// a channel with its room for messages does not.
#[derive(Debug, Default)]
pub(super) struct Told {
    unheard: Mutex<VecDeque<ToolProgress>>,
    news: Notify,
}

impl Told {
    /// Waits for news.
    pub(super) async fn heard(&self) -> VecDeque<ToolProgress> {
        self.news.notified().await;
        self.rest()
    }

    /// What is there now.
    pub(super) fn rest(&self) -> VecDeque<ToolProgress> {
        mem::take(&mut self.unheard.lock())
    }
}

impl ToolContext {
    pub(super) fn of(run: &ToolRun<'_>) -> (Self, Arc<Told>) {
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

    /// Tells how far the call got; never waits.
    pub fn progress(&self, done: f64, total: Option<f64>, message: impl Into<String>) {
        let message = Some(message.into()).filter(|message: &String| !message.is_empty());
        let mut unheard = self.told.unheard.lock();
        // Whoever is not heard now is heard next time.
        if unheard.len() < UNHEARD {
            unheard.push_back(ToolProgress { done, total, message });
            self.told.news.notify_one();
        }
    }
}
