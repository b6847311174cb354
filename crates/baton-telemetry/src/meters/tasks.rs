//! Tasks that have not ended, by their state: those that the journal has, and what it tells from then on.

use baton_ports::StoredEvent;
use baton_types::{Fact, StreamId, TaskEvent, TaskId, TaskState};
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Tasks that are remembered; of more, some are not counted.
pub(super) const MOST: usize = 131_072;

/// Tasks that have not ended, by their state. Nothing is remembered before somebody wants to know.
#[derive(Debug, Default)]
pub struct OpenTasks {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// Those that have ended are remembered as nothing until the journal was read.
    states: HashMap<TaskId, Option<Cow<'static, str>>>,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// Nobody has asked.
    #[default]
    Deaf,
    /// What is told is remembered, and the journal is being read for the rest.
    Listening,
    /// All are known.
    Whole,
}

impl OpenTasks {
    /// Takes what the journal says.
    pub fn heard(&self, events: &[Arc<StoredEvent>]) {
        let mut known = self.known();
        if known.stage == Stage::Deaf {
            return;
        }
        for event in events {
            let (StreamId::Task(task), Fact::Task(fact)) = (&event.stream, &event.fact) else { continue };
            let state = match fact {
                TaskEvent::Submitted { .. } => TaskState::Submitted,
                TaskEvent::StatusChanged { state, .. } => *state,
                _ => continue,
            };
            known.moved(task, state);
        }
    }

    /// Remembers what is told from now on; whether the journal has to be read for what was before.
    pub(super) fn listen(&self) -> bool {
        let mut known = self.known();
        if known.stage == Stage::Deaf {
            known.stage = Stage::Listening;
        }
        known.stage != Stage::Whole
    }

    /// Takes the tasks that the journal has; what was heard meanwhile is newer.
    pub(super) fn read(&self, tasks: Vec<(TaskId, String)>) {
        let mut known = self.known();
        // Somebody else may have read at the same time.
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

/// States that are shown also when no task is in them.
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
            fact: Fact::Task(TaskEvent::StatusChanged { state, message: None, reason: None }),
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
        // Somebody who read at the same time knows less.
        tasks.read(read.to_vec());
        assert_eq!(counted(&tasks), expect[..1]);
    }
}
