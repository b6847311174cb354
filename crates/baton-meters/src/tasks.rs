//! Open tasks by state: loaded from the journal once, then updated by commits.

use baton_ports::StoredEvent;
use baton_types::{JournalEvent, StreamId, TaskEvent, TaskId, TaskState};
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Maximum number of tracked tasks; further tasks are not counted.
pub(crate) const MAX_TRACKED_TASKS: usize = 131_072;

/// Open tasks by state. Tracking starts with the first read.
#[derive(Debug, Default)]
pub struct OpenTasks {
    tracked: Mutex<TrackedTasks>,
}

#[derive(Debug, Default)]
struct TrackedTasks {
    /// An ended task is kept as `None` until the journal is loaded.
    states: HashMap<TaskId, Option<Cow<'static, str>>>,
    stage: TrackingStage,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TrackingStage {
    /// Not tracking.
    #[default]
    Idle,
    /// Commits are tracked, and the journal is being loaded.
    Loading,
    /// Complete.
    Complete,
}

impl OpenTasks {
    /// Applies committed events.
    pub fn apply(&self, events: &[Arc<StoredEvent>]) {
        let mut known = self.tracked();
        if known.stage == TrackingStage::Idle {
            return;
        }
        for event in events {
            let (StreamId::Task(task), JournalEvent::Task(fact)) = (&event.stream, &event.fact) else { continue };
            let state = match fact {
                TaskEvent::Submitted { .. } => TaskState::Submitted,
                TaskEvent::StatusChanged { state, .. } => *state,
                _ => continue,
            };
            known.set_state(task, state);
        }
    }

    /// Starts tracking; returns whether the journal must be loaded for earlier tasks.
    pub(crate) fn start_tracking(&self) -> bool {
        let mut known = self.tracked();
        if known.stage == TrackingStage::Idle {
            known.stage = TrackingStage::Loading;
        }
        known.stage != TrackingStage::Complete
    }

    /// Adds the tasks from the journal; states from commits are newer and take precedence.
    pub(crate) fn load(&self, tasks: Vec<(TaskId, String)>) {
        let mut known = self.tracked();
        // A concurrent caller may have loaded it.
        if known.stage == TrackingStage::Complete {
            return;
        }
        for (task, state) in tasks {
            if known.states.len() >= MAX_TRACKED_TASKS {
                break;
            }
            known.states.entry(task).or_insert(Some(Cow::Owned(state)));
        }
        known.stage = TrackingStage::Complete;
        known.states.retain(|_, state| state.is_some());
    }

    pub(crate) fn counts(&self) -> BTreeMap<Cow<'static, str>, u64> {
        let mut counts = BTreeMap::from(ALWAYS_REPORTED_STATES.map(|state| (Cow::Borrowed(state.as_str()), 0)));
        for state in self.tracked().states.values().flatten() {
            match counts.get_mut(state) {
                Some(count) => *count += 1,
                None => {
                    counts.insert(state.clone(), 1);
                }
            }
        }
        counts
    }

    fn tracked(&self) -> MutexGuard<'_, TrackedTasks> {
        self.tracked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// States that are reported even without tasks.
const ALWAYS_REPORTED_STATES: [TaskState; 3] = [TaskState::Submitted, TaskState::Working, TaskState::InputRequired];

impl TrackedTasks {
    fn set_state(&mut self, task: &TaskId, state: TaskState) {
        if state.is_terminal() && self.stage == TrackingStage::Complete {
            self.states.remove(task);
            return;
        }
        let state = (!state.is_terminal()).then_some(Cow::Borrowed(state.as_str()));
        if let Some(known) = self.states.get_mut(task) {
            *known = state;
        } else if self.states.len() < MAX_TRACKED_TASKS {
            self.states.insert(task.clone(), state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_types::Timestamp;

    fn status_changed(task: &str, state: TaskState) -> Arc<StoredEvent> {
        Arc::new(StoredEvent {
            seq: 1,
            stream: StreamId::Task(task.into()),
            number: 1,
            run: None,
            epoch: 1,
            at: Timestamp::from_millis(0),
            subject: "somebody".into(),
            trace: None,
            fact: JournalEvent::Task(TaskEvent::StatusChanged { state, message: None, reason: None }),
        })
    }

    fn counted(tasks: &OpenTasks) -> Vec<(String, u64)> {
        tasks.counts().into_iter().filter(|(_, count)| *count > 0).map(|(state, count)| (state.into(), count)).collect()
    }

    #[test]
    fn commits_during_a_journal_read_win() {
        let tasks = OpenTasks::default();
        tasks.apply(&[status_changed("before", TaskState::Working)]);
        assert!(tasks.start_tracking(), "tracking has already started");
        tasks.apply(&[status_changed("ended", TaskState::Completed), status_changed("asks", TaskState::InputRequired)]);
        let read = ["before", "ended", "asks"].map(|task| (TaskId::from(task), "working".to_owned()));
        tasks.load(read.to_vec());
        let expect = [("input_required".to_owned(), 1), ("working".to_owned(), 1)];
        assert_eq!(counted(&tasks), expect);
        assert!(!tasks.start_tracking(), "all are known");
        tasks.apply(&[status_changed("before", TaskState::Failed)]);
        // A concurrent load returns older states.
        tasks.load(read.to_vec());
        assert_eq!(counted(&tasks), expect[..1]);
    }
}
