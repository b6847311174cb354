//! Whether and how a run goes on after its process died.
//!
//! A crash does not say who caused it. A run that was going on at one crash is resumed with all the others. One that was
//! going on at two, at the same event, is a suspect: suspects are resumed in small groups, later, so that a further
//! crash says which of them caused it. Only a run that was going on alone is ever blamed. So that a process which never
//! gets old enough for that still does its work, a suspect goes on with the others in every second life.

use crate::Task;
use baton_types::{ErrorCode, Reason, TaskEvent};
use std::time::Duration;

/// Crashes at one event that make a run a suspect.
const SUSPECT_CRASHES: u32 = 2;

/// Groups in which suspects of one rank are resumed: up to so many of them each go on alone.
const MAX_GROUPS: usize = 16;

/// How long a process has to live before the first suspects go on. Processes that somebody else kills again and again
/// mostly live shorter, and then no suspect has part in it.
const FIRST_DELAY: Duration = Duration::from_secs(5);

/// The same for suspects that went on alone before.
const NEXT_DELAY: Duration = Duration::from_secs(15);

/// How long the groups behind one wait for it at most, unless it went on alone before.
const FIRST_WINDOW: Duration = Duration::from_secs(20);

/// How often the window doubles at most.
const MAX_DOUBLINGS: u32 = 10;

/// What to write when a process takes a task up again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resume {
    /// No run was in progress; [`crate::next_step`] says the rest.
    Continue,
    /// Record the resumption, then go on.
    Go(TaskEvent),
    /// The run may have brought the process down: [`blame`] it, or resume it as [`resume_groups`] says.
    Suspect(Suspect),
}

/// A run that was going on at several crashes in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// At how many, all of them at the same event.
    pub crashes: u32,
    /// At how many of them it was the only suspect that went on.
    pub alone: u32,
}

/// Suspects that are resumed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResumeGroup {
    /// Their places in the list that was given.
    pub members: Vec<usize>,
    /// How old the process has to be.
    pub delay: Duration,
    /// How long the next group waits for all of them to make progress.
    pub window: Duration,
}

/// Decides for a task that was active when its process died.
pub fn resume(task: &Task) -> Resume {
    let Some(run) = &task.run else { return Resume::Continue };
    let suspect = Suspect { crashes: run.crashes.saturating_add(1), alone: run.alone };
    match resumption(task, false) {
        Some(event) if suspect.crashes < SUSPECT_CRASHES || !works(task) => Resume::Go(event),
        Some(_) => Resume::Suspect(suspect),
        None => Resume::Continue,
    }
}

/// The event with which the run in progress goes on.
pub fn resumption(task: &Task, alone: bool) -> Option<TaskEvent> {
    let run = task.run.as_ref()?;
    Some(TaskEvent::RunResumed { run: run.id.clone(), after: run.last_progress, alone })
}

/// Whether a run is in progress that does something itself: one that only waits for another agent cannot have brought
/// the process down.
pub fn works(task: &Task) -> bool {
    let Some(run) = &task.run else { return false };
    let handed_off = task.open_calls().next().is_some() && task.open_calls().all(|state| state.stage.is_handed_off());
    !handed_off && run.asked.is_none()
}

/// Whether the suspect brought the process down: it went on alone when the process died, and either nothing else was
/// going on at all, or the same happened before and no other suspect was there at as many crashes.
pub fn blame(suspect: Suspect, others: &[Suspect], is_only_run: bool) -> bool {
    let is_foremost = others.iter().all(|other| other.crashes < suspect.crashes);
    suspect.alone >= 1 && (is_only_run || suspect.alone >= 2 && is_foremost)
}

/// Whether a suspect waits for its group in this life of the process; in the next one it does not. Each life takes a task
/// over under the next epoch.
pub fn waits_for_group(epoch: u64) -> bool {
    !epoch.is_multiple_of(2)
}

/// Why a run that is to blame is given up.
pub fn crash_reason(task: &Task, suspect: Suspect) -> Reason {
    let event = task.run.as_ref().map_or(0, |run| run.last_progress);
    let detail = format!(
        "the process died {} times while the run was at event {event}, at last while it was the only one that could be \
         the cause",
        suspect.crashes
    );
    Reason::new(ErrorCode::CRASH_LOOP.code, detail)
}

/// The order in which suspects are resumed: those that were there at most crashes first, and each rank in a limited
/// number of groups, so that few wait long and every crash leaves fewer to choose from.
pub fn resume_groups(suspects: &[Suspect]) -> Vec<ResumeGroup> {
    let mut order: Vec<usize> = (0..suspects.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(suspects[*at].crashes));
    let mut groups = Vec::new();
    for rank in order.chunk_by(|left, right| suspects[*left].crashes == suspects[*right].crashes) {
        for members in rank.chunks(rank.len().div_ceil(MAX_GROUPS)) {
            let alone = members.iter().map(|at| suspects[*at].alone).max().unwrap_or(0);
            let delay = if alone == 0 { FIRST_DELAY } else { NEXT_DELAY };
            let window = FIRST_WINDOW.saturating_mul(1 << alone.min(MAX_DOUBLINGS));
            groups.push(ResumeGroup { members: members.to_vec(), delay, window });
        }
    }
    groups
}
