//! Servers that begin to listen for a caller before they read the task: what happens in between is told twice to us, and
//! once to whoever listens to us.

use crate::fake::{Fold, Script, chunk, status};
use baton_peers::{BindingEvent, TaskTracker};
use baton_wire::a2a::v1::{StreamResponse, Task, TaskState};
use proptest::prelude::*;

/// What one event does.
#[derive(Clone, Copy, Debug)]
enum Does {
    Writes { output: usize, word: usize },
    Says,
}

const OUTPUTS: [&str; 2] = ["a", "b"];
const WORDS: [&str; 3] = ["ha ", "ha", "ho "];

fn does() -> impl Strategy<Value = Does> {
    prop_oneof![
        5 => (0..OUTPUTS.len(), 0..WORDS.len()).prop_map(|(output, word)| Does::Writes { output, word }),
        1 => Just(Does::Says),
    ]
}

/// The events; every piece of text is another one if they are `distinct`.
fn script(does: &[Does], distinct: bool) -> Script {
    let mut begun = [false; OUTPUTS.len()];
    let items = does.iter().enumerate().map(|(number, does)| match *does {
        Does::Says => status(number, TaskState::Working, Some("still at it")),
        Does::Writes { output, word } => {
            let text = if distinct { format!("<{number}>") } else { WORDS[word].to_owned() };
            let append = std::mem::replace(&mut begun[output], true);
            chunk(OUTPUTS[output], &text, append)
        }
    });
    Script::of(items.collect())
}

fn task(script: &Script, count: usize) -> Task<'static> {
    let mut task = script.snapshot(count, false);
    if task.status.state == TaskState::Submitted {
        task.status.state = TaskState::Working;
    }
    Task { id: "t".into(), context_id: "c".into(), ..task }
}

fn named(mut item: StreamResponse<'static>) -> BindingEvent {
    if let Some(update) = &mut item.status_update {
        (update.task_id, update.context_id) = ("t".into(), "c".into());
    }
    if let Some(update) = &mut item.artifact_update {
        (update.task_id, update.context_id) = ("t".into(), "c".into());
    }
    BindingEvent { cursor: None, item }
}

/// Whoever listens to us.
#[derive(Default)]
struct Listener {
    fold: Fold,
    replaced: usize,
    messages: Vec<String>,
}

impl Listener {
    fn hear(&mut self, news: &[StreamResponse<'static>]) {
        for item in news {
            if let Some(update) = &item.artifact_update {
                let known = self.fold.artifacts.iter().any(|(id, _)| *id == update.artifact.artifact_id);
                self.replaced += usize::from(known && !update.append);
            }
            let said = item.status_update.as_ref().and_then(|update| update.status.message.as_ref());
            self.messages.extend(said.map(|message| message.message_id.to_string()));
            self.fold.take(item);
        }
    }
}

fn is_part_of(told: &str, truth: &str) -> bool {
    let mut truth = truth.chars();
    told.chars().all(|letter| truth.any(|known| known == letter))
}

/// Where the first connection breaks, where the task is read, and how many events before that the stream begins.
#[derive(Clone, Copy, Debug)]
struct Break {
    heard: usize,
    read: usize,
    twice: usize,
}

fn check(script: &Script, broken: Break, distinct: bool, knows: bool) -> Result<(), TestCaseError> {
    let all = script.events.len();
    let Break { heard, read, twice } = broken;
    let mut listener = Listener::default();
    let mut seen = if knows { TaskTracker::new(None) } else { TaskTracker::for_task("t", None) };
    if knows {
        listener.hear(&seen.take(BindingEvent { cursor: None, item: task(script, 0).into() }));
        for event in &script.events[..heard] {
            listener.hear(&seen.take(named(event.item.clone())));
        }
        seen.reconnected();
    }
    listener.hear(&seen.take(BindingEvent { cursor: None, item: task(script, read).into() }));
    for count in read - twice + 1..=all {
        listener.hear(&seen.take(named(script.events[count - 1].item.clone())));
        let truth = Fold::of(&[task(script, count.max(read)).into()]);
        for (id, text) in &listener.fold.artifacts {
            let known = truth.artifacts.iter().find(|(known, _)| known == id).map_or("", |(_, text)| text);
            prop_assert!(is_part_of(text, known), "after {count}: {text:?} of {known:?}");
        }
        if distinct && count > read {
            prop_assert_eq!(listener.fold.outputs(), truth.outputs(), "after {}", count);
        }
    }
    let mut end = task(script, all);
    end.status.state = TaskState::Completed;
    end.status.message = None;
    end.status.timestamp = None;
    listener.hear(&seen.take(BindingEvent { cursor: None, item: end.clone().into() }));
    let truth = Fold::of(&[end.into()]);
    prop_assert_eq!(listener.fold.outputs(), truth.outputs());
    prop_assert_eq!(listener.fold.state, TaskState::Completed);
    if distinct {
        prop_assert_eq!(listener.replaced, 0, "nothing is taken back");
    }
    let mut told = listener.messages.clone();
    told.dedup();
    prop_assert_eq!(&told, &listener.messages, "nothing is said twice");
    prop_assert!(listener.messages.is_sorted_by_key(|id| id[1..].parse::<usize>().ok()), "nor in another order");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_comes_twice_is_told_once(
        does in prop::collection::vec(does(), 1..24),
        places in (any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        distinct in any::<bool>(),
        knows in any::<bool>(),
    ) {
        let script = script(&does, distinct);
        let read = places.0.index(does.len() + 1);
        let broken = Break { heard: places.1.index(read + 1), read, twice: places.2.index(read + 1) };
        check(&script, broken, distinct, knows)?;
    }
}

#[test]
fn what_may_be_a_repetition_waits_for_what_follows_it() {
    let script = Script::of(vec![chunk("a", "one ", false), chunk("a", "two ", true), chunk("a", "three ", true)]);
    let begun = || {
        let mut seen = TaskTracker::for_task("t", None);
        seen.take(BindingEvent { cursor: None, item: task(&script, 3).into() });
        assert!(seen.take(named(chunk("a", "two ", true))).is_empty());
        assert!(seen.holds_back());
        seen
    };
    let mut seen = begun();
    assert!(seen.take(named(chunk("a", "three ", true))).is_empty(), "these were two of the three");
    assert!(!seen.holds_back());
    assert_eq!(seen.take(named(chunk("a", "two ", true))).len(), 1);

    let mut seen = begun();
    assert_eq!(seen.take(named(chunk("a", "four ", true))).len(), 2, "it was no repetition");
    let mut seen = begun();
    assert_eq!(seen.release().len(), 1, "nothing followed");
    assert!(!seen.holds_back());
    let mut seen = begun();
    seen.reconnected();
    assert!(!seen.holds_back(), "the next connection begins with the task");
}
