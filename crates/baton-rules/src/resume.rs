//! Whether a run goes on after its process died.

use crate::Task;
use baton_types::{ErrorCode, Reason, TaskEvent};

/// Deaths at the same event after which a run is given up.
const MAX_CRASHES: u32 = 3;

/// What to write when a process takes a task up again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resume {
    /// No run was in progress; [`crate::next_step`] says the rest.
    Continue,
    /// Record the resumption, then go on.
    Go(TaskEvent),
    /// The run brings the process down; end it.
    GiveUp(Reason),
}

/// Decides for a task that was active when its process died.
pub fn resume(task: &Task) -> Resume {
    let Some(run) = &task.run else { return Resume::Continue };
    // A run that only waits for another agent cannot have brought the process down.
    let handed_off = task.open_calls().next().is_some() && task.open_calls().all(|state| state.stage.is_handed_off());
    let only_waits = handed_off || run.asked.is_some();
    if run.crashes + 1 >= MAX_CRASHES && !only_waits {
        return Resume::GiveUp(Reason {
            code: ErrorCode::CRASH_LOOP.code.to_owned(),
            detail: format!("the process died {MAX_CRASHES} times at event {}", run.last_progress),
        });
    }
    Resume::Go(TaskEvent::RunResumed { run: run.id.clone(), after: run.last_progress })
}
