//! Resumption of runs after a crash of the process.
//!
//! A crash does not reveal its cause. A run that was active at one crash is resumed together with all others. A run
//! that was active at two crashes, at the same event, is a suspect: suspects are resumed later and in small groups, so
//! that a further crash narrows down the cause. Only a run that was resumed alone is ever blamed. In every second
//! process lifetime suspects are resumed with the others, so that they make progress even if no process lives long
//! enough for the groups.

use crate::TaskRecord;
use baton_types::{ErrorCode, FailureReason, TaskEvent};
use std::time::Duration;

/// Crashes at one event that make a run a suspect.
const SUSPECT_CRASHES: u32 = 2;

/// Maximum number of groups per rank of suspects; up to this many suspects are each resumed alone.
const MAX_GROUPS: usize = 16;

/// Minimum process age before the first suspects are resumed. Processes that are repeatedly killed from outside mostly
/// die earlier, and then no suspect is involved.
const FIRST_DELAY: Duration = Duration::from_secs(5);

/// Same for suspects that were resumed alone before.
const NEXT_DELAY: Duration = Duration::from_secs(15);

/// How long later groups wait for a group, unless it was resumed alone before.
const FIRST_WINDOW: Duration = Duration::from_secs(20);

/// Maximum number of doublings of the window.
const MAX_DOUBLINGS: u32 = 10;

/// Resumption decision for a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResumeDecision {
    /// No run was in progress; continue with [`crate::next_step`].
    Continue,
    /// Record the resumption, then continue.
    Go(TaskEvent),
    /// The run may have crashed the process: fail it if [`is_to_blame`], or resume it according to [`resume_groups`].
    Suspect(CrashSuspect),
}

/// A run that was active at several consecutive crashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrashSuspect {
    /// Number of crashes, all at the same event.
    pub crashes: u32,
    /// Number of these crashes at which it was the only resumed suspect.
    pub alone: u32,
}

/// Suspects that are resumed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResumeGroup {
    /// Indexes in the given list.
    pub members: Vec<usize>,
    /// Minimum age of the process.
    pub delay: Duration,
    /// How long the next group waits for all members to make progress.
    pub window: Duration,
}

/// Decides for a task that was active when its process died.
pub fn decide_resume(task: &TaskRecord) -> ResumeDecision {
    let Some(run) = &task.run else { return ResumeDecision::Continue };
    let suspect = CrashSuspect { crashes: run.crashes.saturating_add(1), alone: run.alone };
    match resumption_event(task, false) {
        Some(event) if suspect.crashes < SUSPECT_CRASHES || !has_own_work(task) => ResumeDecision::Go(event),
        Some(_) => ResumeDecision::Suspect(suspect),
        None => ResumeDecision::Continue,
    }
}

/// Event that resumes the run in progress.
pub fn resumption_event(task: &TaskRecord, isolated: bool) -> Option<TaskEvent> {
    let run = task.run.as_ref()?;
    Some(TaskEvent::RunResumed { run: run.id.clone(), after: run.last_progress, isolated })
}

/// Whether a run in progress does work of its own: a run that only waits for another agent cannot have crashed the
/// process.
pub fn has_own_work(task: &TaskRecord) -> bool {
    let Some(run) = &task.run else { return false };
    let handed_off = task.open_calls().next().is_some() && task.open_calls().all(|state| state.stage.is_handed_off());
    !handed_off && run.asked.is_none()
}

/// Whether the suspect crashed the process: it was resumed alone, and either no other run was active, or this happened
/// before and every other suspect has fewer crashes.
pub fn is_to_blame(suspect: CrashSuspect, others: &[CrashSuspect], is_only_run: bool) -> bool {
    let is_foremost = others.iter().all(|other| other.crashes < suspect.crashes);
    suspect.alone >= 1 && (is_only_run || suspect.alone >= 2 && is_foremost)
}

/// Whether a suspect waits for its group in this process lifetime; it alternates, because each process takes over a
/// task under the next epoch.
pub fn waits_for_group(epoch: u64) -> bool {
    !epoch.is_multiple_of(2)
}

/// Failure reason of a blamed run.
pub fn crash_reason(task: &TaskRecord, suspect: CrashSuspect) -> FailureReason {
    let event = task.run.as_ref().map_or(0, |run| run.last_progress);
    let detail = format!(
        "the process died {} times while the run was at event {event}, the last time with no other run that could be \
         the cause",
        suspect.crashes
    );
    FailureReason::new(ErrorCode::CRASH_LOOP.code, detail)
}

/// Resumption order of suspects: most crashes first, and a limited number of groups per rank, so that waiting times
/// stay short and every crash reduces the number of candidates.
pub fn resume_groups(suspects: &[CrashSuspect]) -> Vec<ResumeGroup> {
    let mut indexes: Vec<usize> = (0..suspects.len()).collect();
    indexes.sort_by_key(|at| std::cmp::Reverse(suspects[*at].crashes));
    let mut groups = Vec::new();
    for rank in indexes.chunk_by(|left, right| suspects[*left].crashes == suspects[*right].crashes) {
        for members in rank.chunks(rank.len().div_ceil(MAX_GROUPS)) {
            let isolated_count = members.iter().map(|at| suspects[*at].alone).max().unwrap_or(0);
            let delay = if isolated_count == 0 { FIRST_DELAY } else { NEXT_DELAY };
            let window = FIRST_WINDOW.saturating_mul(1 << isolated_count.min(MAX_DOUBLINGS));
            groups.push(ResumeGroup { members: members.to_vec(), delay, window });
        }
    }
    groups
}
