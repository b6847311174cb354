//! Open tasks by state: loaded from the journal once, then updated by commits.

use baton_ports::StoredEvent;
use baton_types::{JournalEvent, StreamId, TaskEvent, TaskId, TaskState};
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Maximum number of tracked tasks; further tasks are not counted.
pub(super) const MOST: usize = 131_072;

/// Open tasks by state. Tracking starts with the first read.
#[derive(Debug, Default)]
pub struct OpenTasks {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// An ended task is kept as `None` until the journal is loaded.
    states: HashMap<TaskId, Option<Cow<'static, str>>>,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// Not tracking.
    #[default]
    Deaf,
    /// Commits are tracked, and the journal is being loaded.
    Listening,
    /// Complete.
    Whole,
}

impl OpenTasks {
    /// Applies committed events.
    pub fn heard(&self, events: &[Arc<StoredEvent>]) {
        let mut known = self.known();
        if known.stage == Stage::Deaf {
            return;
        }
        for event in events {
            let (StreamId::Task(task), JournalEvent::Task(fact)) = (&event.stream, &event.fact) else { continue };
            let state = match fact {
                TaskEvent::Submitted { .. } => TaskState::Submitted,
                TaskEvent::StatusChanged { state, .. } => *state,
                _ => continue,
            };
            known.moved(task, state);
        }
    }

    /// Starts tracking; returns whether the journal must be loaded for earlier tasks.
    pub(super) fn listen(&self) -> bool {
        let mut known = self.known();
        if known.stage == Stage::Deaf {
            known.stage = Stage::Listening;
        }
        known.stage != Stage::Whole
    }

    /// Adds the tasks from the journal; states from commits are newer and take precedence.
    pub(super) fn read(&self, tasks: Vec<(TaskId, String)>) {
        let mut known = self.known();
        // A concurrent caller may have loaded it.
        if known.stage == Stage::Whole {
            return;
        }
        for (task, state) in tasks {
            if known.states.len() >= MOST {
                break;
            }
            known.states.entry(task).or_insert(Some(Cow::Owned(state)));
        }
        known.stage = Stage::Whole;
        known.states.retain(|_, state| state.is_some());
    }

    pub(super) fn counts(&self) -> BTreeMap<Cow<'static, str>, u64> {
        let mut counts = BTreeMap::from(SHOWN.map(|state| (Cow::Borrowed(state.as_str()), 0)));
        for state in self.known().states.values().flatten() {
            match counts.get_mut(state) {
                Some(count) => *count += 1,
                None => {
                    counts.insert(state.clone(), 1);
                }
            }
        }
        counts
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// States that are reported even without tasks.
const SHOWN: [TaskState; 3] = [TaskState::Submitted, TaskState::Working, TaskState::InputRequired];

impl Known {
    fn moved(&mut self, task: &TaskId, state: TaskState) {
        if state.is_terminal() && self.stage == Stage::Whole {
            self.states.remove(task);
            return;
        }
        let state = (!state.is_terminal()).then_some(Cow::Borrowed(state.as_str()));
        if let Some(known) = self.states.get_mut(task) {
            *known = state;
        } else if self.states.len() < MOST {
            self.states.insert(task.clone(), state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_types::Timestamp;

    fn moved(task: &str, state: TaskState) -> Arc<StoredEvent> {
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
    fn what_is_told_while_the_journal_is_read_is_newer() {
        let tasks = OpenTasks::default();
        tasks.heard(&[moved("before", TaskState::Working)]);
        assert!(tasks.listen(), "nothing was remembered");
        tasks.heard(&[moved("ended", TaskState::Completed), moved("asks", TaskState::InputRequired)]);
        let read = ["before", "ended", "asks"].map(|task| (TaskId::from(task), "working".to_owned()));
        tasks.read(read.to_vec());
        let expect = [("input_required".to_owned(), 1), ("working".to_owned(), 1)];
        assert_eq!(counted(&tasks), expect);
        assert!(!tasks.listen(), "all are known");
        tasks.heard(&[moved("before", TaskState::Failed)]);
        // A concurrent load returns older states.
        tasks.read(read.to_vec());
        assert_eq!(counted(&tasks), expect[..1]);
    }
}
