//! Counters of the loop.

use crate::Evidence;
use baton_types::{ErrorCode, TaskEvent, TaskState};
use std::{collections::BTreeSet, fmt, time::Duration};

/// Counters of one run of the kill loop.
#[derive(Clone, Debug, Default)]
pub struct KillLoopSummary {
    /// Seed of the random choices.
    pub seed: u64,
    /// Server processes killed while ready.
    pub cycles: u32,
    /// All kills, including those before readiness.
    pub kills: u64,
    /// Sends that were acknowledged.
    pub acknowledged: usize,
    /// Sends whose response was interrupted.
    pub unacknowledged: u64,
    /// Tasks in the journal, including children.
    pub tasks: usize,
    /// Tasks that completed.
    pub completed: usize,
    /// Runs failed as crash loops although none of them caused a crash.
    pub given_up: usize,
    /// Events in the journal.
    pub events: usize,
    /// Resumptions of runs.
    pub resumed: usize,
    /// Model calls.
    pub attempts: usize,
    /// Repeated model calls.
    pub repeated: usize,
    /// Handoffs.
    pub handoffs: usize,
    /// Reconnects of subscribers.
    pub reconnects: u64,
    /// Tool executions.
    pub executions: usize,
    /// Repeated executions of a call, as its effects allow.
    pub repeated_calls: usize,
    /// In-doubt calls that were answered.
    pub answers: u64,
    /// Registered push receivers.
    pub receivers: usize,
    /// Accepted notifications.
    pub notified: usize,
    /// Notifications not accepted.
    pub refused: usize,
    /// Messages sent with an idempotency key.
    pub keyed: usize,
    /// Repeated sends of these messages.
    pub keyed_again: usize,
    /// Duration of the loop and its checks.
    pub took: Duration,
}

impl KillLoopSummary {
    /// Adds the counters derived from the evidence.
    pub(super) fn count(&mut self, evidence: &Evidence) {
        self.acknowledged = evidence.acknowledged.len();
        self.tasks = evidence.history.tasks.len();
        self.events = evidence.history.events.len();
        self.handoffs = evidence.history.handoffs.len();
        self.executions = evidence.executions.len();
        let calls: BTreeSet<_> = evidence.executions.iter().map(|execution| &execution.call).collect();
        self.repeated_calls = evidence.executions.len() - calls.len();
        self.receivers = evidence.receivers.len();
        let attempts = evidence.receivers.iter().flat_map(|receiver| &receiver.attempts);
        let (notified, refused): (Vec<_>, Vec<_>) = attempts.partition(|attempt| attempt.accepted);
        (self.notified, self.refused) = (notified.len(), refused.len());
        self.keyed = evidence.keyed_messages.len();
        self.keyed_again = evidence.keyed_messages.iter().map(|keyed| keyed.sends.saturating_sub(1) as usize).sum();
        for (_, _, fact) in evidence.history.all_facts() {
            match fact {
                TaskEvent::RunResumed { .. } => self.resumed += 1,
                TaskEvent::AttemptStarted { attempt, .. } => {
                    self.attempts += 1;
                    self.repeated += usize::from(*attempt > 1);
                }
                TaskEvent::StatusChanged { state: TaskState::Completed, .. } => self.completed += 1,
                TaskEvent::StatusChanged { reason: Some(reason), .. } if reason.code == ErrorCode::CRASH_LOOP.code => {
                    self.given_up += 1;
                }
                _ => {}
            }
        }
    }
}

impl fmt::Display for KillLoopSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "kill loop: {} cycles, {} kills, seed {}", self.cycles, self.kills, self.seed)?;
        writeln!(f, "  sends     {} acknowledged, {} interrupted", self.acknowledged, self.unacknowledged)?;
        writeln!(f, "  tasks     {} ({} completed), {} events", self.tasks, self.completed, self.events)?;
        writeln!(f, "  runs      {} resumed, {} failed as crash loops", self.resumed, self.given_up)?;
        writeln!(f, "  models    {} calls, {} of them repeated", self.attempts, self.repeated)?;
        writeln!(f, "  handoffs  {}", self.handoffs)?;
        writeln!(f, "  streams   {} reconnects", self.reconnects)?;
        writeln!(f, "  tools     {} executions, {} of them repetitions", self.executions, self.repeated_calls)?;
        writeln!(f, "  in doubt  {} answered", self.answers)?;
        let Self { receivers, notified, refused, keyed, keyed_again, .. } = self;
        writeln!(f, "  push      {receivers} receivers, {notified} notifications accepted, {refused} refused")?;
        writeln!(f, "  keys      {keyed} messages, {keyed_again} repetitions")?;
        write!(f, "  took      {:.1} s", self.took.as_secs_f32())
    }
}
