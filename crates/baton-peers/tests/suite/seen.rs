//! What is new, and what is not, one thing at a time.

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

fn take(seen: &mut TaskTracker, item: StreamResponse<'static>) -> Vec<StreamResponse<'static>> {
    seen.take(BindingEvent { cursor: None, item: named(item) })
}

/// A task as a status update shows it, with what was said in it.
fn task(shown: StreamResponse<'static>, history: Option<&[&'static str]>) -> StreamResponse<'static> {
    let status = shown.status_update.map(|update| update.status).unwrap_or_default();
    let said = |id: &&'static str| Message { message_id: (*id).into(), role: Role::User, ..Message::default() };
    let history = history.map(|ids| ids.iter().map(said).collect());
    Task { id: "t".into(), context_id: "c".into(), status, history, ..Task::default() }.into()
}

#[test]
fn a_stream_without_its_task_gets_one() {
    for first in [status(1, TaskState::Working, Some("on it")), chunk("a", "text", false)] {
        let mut seen = TaskTracker::new(None);
        let news = take(&mut seen, first.clone());
        assert_eq!(news.len(), 2);
        assert!(news[0].task.as_ref().is_some_and(|task| task.id == "t" && task.context_id == "c"));
        assert_eq!(news[1], named(first.clone()));
        assert_eq!((seen.task(), seen.context()), (Some("t"), "c"));
        assert!(take(&mut seen, status(2, TaskState::Working, None)).iter().all(|item| item.task.is_none()));
    }
}

#[test]
fn an_unknown_state_is_no_end_and_nothing_follows_the_end() {
    let mut seen = TaskTracker::new(None);
    take(&mut seen, task(status(0, TaskState::Submitted, None), None));
    take(&mut seen, status(1, TaskState::Unspecified, Some("strange")));
    assert_eq!(seen.settled(), None);
    take(&mut seen, status(2, TaskState::Rejected, None));
    assert_eq!(seen.settled(), Some(State::Rejected));
    assert!(take(&mut seen, status(3, TaskState::Working, None)).is_empty());
    assert!(take(&mut seen, whole("late", "late")).is_empty());
    assert_eq!(seen.settled(), Some(State::Rejected));
}

#[test]
fn a_question_is_old_until_the_task_shows_that_it_read_our_words() {
    let question = || status(5, TaskState::InputRequired, Some("which city?"));
    let next = || status(6, TaskState::InputRequired, Some("which day?"));
    let silent = || status(5, TaskState::InputRequired, None);
    for (shown, history, settled) in [
        // Ours is the last word, and the question came before it, or is gone.
        (question(), Some(&["first", "m5", "ours"][..]), false),
        (silent(), Some(&["first", "ours"][..]), false),
        // Something came after ours.
        (question(), Some(&["first", "ours", "m5"][..]), true),
        (next(), Some(&["first", "m5", "ours"][..]), true),
        // Nothing tells, and it waited from the start.
        (question(), None, false),
        (question(), Some(&["first"][..]), false),
    ] {
        let mut seen = TaskTracker::new(Some("ours")).continuing();
        take(&mut seen, task(shown.clone(), history));
        assert_eq!(seen.settled().is_some(), settled, "{history:?}");
        if !settled {
            take(&mut seen, task(shown, history));
            assert_eq!(seen.settled(), None, "{history:?}: it still is");
            take(&mut seen, task(next(), None));
            assert_eq!(seen.settled(), Some(State::InputRequired), "{history:?}: another question");
        }
    }
    let mut seen = TaskTracker::new(Some("ours"));
    take(&mut seen, task(question(), None));
    assert!(seen.settled().is_some(), "a task that our words began asks for the first time");
}

#[test]
fn a_peer_cannot_fill_our_memory() {
    let mut seen = TaskTracker::new(None);
    take(&mut seen, task(status(0, TaskState::Working, None), None));
    for number in 0..1000 {
        take(&mut seen, whole(&format!("a{number}"), "text"));
    }
    assert_eq!(seen.artifacts().count(), 64);
    let much = "x".repeat(1024 * 1024);
    for _ in 0..20 {
        take(&mut seen, chunk("a0", &much, true));
    }
    let held: usize = seen
        .artifacts()
        .flat_map(|artifact| &artifact.parts)
        .filter_map(|part| part.text.as_deref())
        .map(str::len)
        .sum();
    assert!((3_000_000..=4 * 1024 * 1024).contains(&held), "{held}");
}

#[test]
fn a_repeated_whole_output_is_no_news_and_a_longer_one_is_what_it_adds() {
    let mut seen = TaskTracker::new(None);
    let mut items = take(&mut seen, task(status(0, TaskState::Working, None), None));
    items.extend(take(&mut seen, chunk("a", "one ", false)));
    items.extend(take(&mut seen, chunk("a", "two", true)));
    assert!(take(&mut seen, chunk("a", "one two", false)).is_empty());
    let more = take(&mut seen, chunk("a", "one two three", false));
    let update = more[0].artifact_update.as_ref().expect("an update");
    assert!(update.append && update.artifact.parts[0].text.as_deref() == Some(" three"));
    items.extend(more);
    let closing = take(&mut seen, whole("a", "one two three"));
    assert!(closing[0].artifact_update.as_ref().is_some_and(|update| update.last_chunk), "that it is all is news");
    items.extend(closing);
    assert!(take(&mut seen, whole("a", "one two three")).is_empty());
    items.extend(take(&mut seen, whole("a", "else")));
    assert_eq!(Fold::of(&items).outputs(), [("a".to_owned(), "else".to_owned())]);
}

#[test]
fn names_that_nobody_could_keep_are_none() {
    let mut seen = TaskTracker::new(None);
    let mut first = status(1, TaskState::Working, Some("on it"));
    let long = "x".repeat(100_000);
    if let Some(update) = &mut first.status_update {
        (update.task_id, update.context_id) = (long.clone().into(), long.into());
    }
    seen.take(BindingEvent { cursor: None, item: first });
    assert_eq!((seen.task(), seen.context()), (None, ""));
}
