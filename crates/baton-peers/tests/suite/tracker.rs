//! The task tracker decides which stream items are new.

use crate::fake::{Fold, chunk, status, whole};
use baton_peers::{BindingEvent, TaskTracker};
use baton_types::TaskState as State;
use baton_wire::a2a::v1::{Message, Role, StreamResponse, Task, TaskState};

fn named(mut item: StreamResponse<'static>) -> StreamResponse<'static> {
    if let Some(update) = &mut item.status_update {
        (update.task_id, update.context_id) = ("t".into(), "c".into());
    }
    if let Some(update) = &mut item.artifact_update {
        (update.task_id, update.context_id) = ("t".into(), "c".into());
    }
    item
}

fn take(tracker: &mut TaskTracker, item: StreamResponse<'static>) -> Vec<StreamResponse<'static>> {
    tracker.take(BindingEvent { cursor: None, item: named(item) })
}

/// A task with the status of the update and a history of these message ids.
fn task(shown: StreamResponse<'static>, history: Option<&[&'static str]>) -> StreamResponse<'static> {
    let status = shown.status_update.map(|update| update.status).unwrap_or_default();
    let message = |id: &&'static str| Message { message_id: (*id).into(), role: Role::User, ..Message::default() };
    let history = history.map(|ids| ids.iter().map(message).collect());
    Task { id: "t".into(), context_id: "c".into(), status, history, ..Task::default() }.into()
}

#[test]
fn missing_task_is_created_from_the_first_update() {
    for first in [status(1, TaskState::Working, Some("on it")), chunk("a", "text", false)] {
        let mut tracker = TaskTracker::new(None);
        let news = take(&mut tracker, first.clone());
        assert_eq!(news.len(), 2);
        assert!(news[0].task.as_ref().is_some_and(|task| task.id == "t" && task.context_id == "c"));
        assert_eq!(news[1], named(first.clone()));
        assert_eq!((tracker.task(), tracker.context()), (Some("t"), "c"));
        assert!(take(&mut tracker, status(2, TaskState::Working, None)).iter().all(|item| item.task.is_none()));
    }
}

#[test]
fn unknown_state_is_not_terminal_and_nothing_follows_the_end() {
    let mut tracker = TaskTracker::new(None);
    take(&mut tracker, task(status(0, TaskState::Submitted, None), None));
    take(&mut tracker, status(1, TaskState::Unspecified, Some("strange")));
    assert_eq!(tracker.settled(), None);
    take(&mut tracker, status(2, TaskState::Rejected, None));
    assert_eq!(tracker.settled(), Some(State::Rejected));
    assert!(take(&mut tracker, status(3, TaskState::Working, None)).is_empty());
    assert!(take(&mut tracker, whole("late", "late")).is_empty());
    assert_eq!(tracker.settled(), Some(State::Rejected));
}

#[test]
fn question_is_old_until_the_history_shows_our_message() {
    let question = || status(5, TaskState::InputRequired, Some("which city?"));
    let next = || status(6, TaskState::InputRequired, Some("which day?"));
    let silent = || status(5, TaskState::InputRequired, None);
    for (shown, history, settled) in [
        // Our message is the last one; the question came before it, or is gone.
        (question(), Some(&["first", "m5", "ours"][..]), false),
        (silent(), Some(&["first", "ours"][..]), false),
        // A message follows ours.
        (question(), Some(&["first", "ours", "m5"][..]), true),
        (next(), Some(&["first", "m5", "ours"][..]), true),
        // There is no evidence, and the task was waiting from the start.
        (question(), None, false),
        (question(), Some(&["first"][..]), false),
    ] {
        let mut tracker = TaskTracker::new(Some("ours")).continuing();
        take(&mut tracker, task(shown.clone(), history));
        assert_eq!(tracker.settled().is_some(), settled, "{history:?}");
        if !settled {
            take(&mut tracker, task(shown, history));
            assert_eq!(tracker.settled(), None, "{history:?}: still old");
            take(&mut tracker, task(next(), None));
            assert_eq!(tracker.settled(), Some(State::InputRequired), "{history:?}: a new question");
        }
    }
    let mut tracker = TaskTracker::new(Some("ours"));
    take(&mut tracker, task(question(), None));
    assert!(tracker.settled().is_some(), "the first question of a task created by our message");
}

#[test]
fn tracked_artifacts_have_a_size_limit() {
    let mut tracker = TaskTracker::new(None);
    take(&mut tracker, task(status(0, TaskState::Working, None), None));
    for number in 0..1000 {
        take(&mut tracker, whole(&format!("a{number}"), "text"));
    }
    assert_eq!(tracker.artifacts().count(), 64);
    let much = "x".repeat(1024 * 1024);
    for _ in 0..20 {
        take(&mut tracker, chunk("a0", &much, true));
    }
    let held: usize = tracker
        .artifacts()
        .flat_map(|artifact| &artifact.parts)
        .filter_map(|part| part.text.as_deref())
        .map(str::len)
        .sum();
    assert!((3_000_000..=4 * 1024 * 1024).contains(&held), "{held}");
}

#[test]
fn repeated_artifact_is_dropped_and_longer_one_becomes_an_append() {
    let mut tracker = TaskTracker::new(None);
    let mut items = take(&mut tracker, task(status(0, TaskState::Working, None), None));
    items.extend(take(&mut tracker, chunk("a", "one ", false)));
    items.extend(take(&mut tracker, chunk("a", "two", true)));
    assert!(take(&mut tracker, chunk("a", "one two", false)).is_empty());
    let more = take(&mut tracker, chunk("a", "one two three", false));
    let update = more[0].artifact_update.as_ref().expect("an update");
    assert!(update.append && update.artifact.parts[0].text.as_deref() == Some(" three"));
    items.extend(more);
    let closing = take(&mut tracker, whole("a", "one two three"));
    assert!(closing[0].artifact_update.as_ref().is_some_and(|update| update.last_chunk), "the last-chunk flag is new");
    items.extend(closing);
    assert!(take(&mut tracker, whole("a", "one two three")).is_empty());
    items.extend(take(&mut tracker, whole("a", "else")));
    assert_eq!(Fold::of(&items).outputs(), [("a".to_owned(), "else".to_owned())]);
}

#[test]
fn oversized_ids_are_ignored() {
    let mut tracker = TaskTracker::new(None);
    let mut first = status(1, TaskState::Working, Some("on it"));
    let long = "x".repeat(100_000);
    if let Some(update) = &mut first.status_update {
        (update.task_id, update.context_id) = (long.clone().into(), long.into());
    }
    tracker.take(BindingEvent { cursor: None, item: first });
    assert_eq!((tracker.task(), tracker.context()), (None, ""));
}
