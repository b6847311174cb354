//! Servers that subscribe a caller before they read the task: events in between arrive twice, and are delivered once.

use crate::fake::{Fold, Script, chunk, status};
use baton_peers::{BindingEvent, TaskTracker};
use baton_wire::a2a::v1::{StreamResponse, Task, TaskState};
use proptest::prelude::*;

/// Effect of one event.
#[derive(Clone, Copy, Debug)]
enum Step {
    Write { output: usize, word: usize },
    Message,
}

const OUTPUTS: [&str; 2] = ["a", "b"];
const WORDS: [&str; 3] = ["ha ", "ha", "ho "];

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (0..OUTPUTS.len(), 0..WORDS.len()).prop_map(|(output, word)| Step::Write { output, word }),
        1 => Just(Step::Message),
    ]
}

/// The events; if `distinct`, every text chunk is different.
fn script(step: &[Step], distinct: bool) -> Script {
    let mut begun = [false; OUTPUTS.len()];
    let items = step.iter().enumerate().map(|(number, step)| match *step {
        Step::Message => status(number, TaskState::Working, Some("still at it")),
        Step::Write { output, word } => {
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

/// The consumer of the tracker's output.
#[derive(Default)]
struct Listener {
    fold: Fold,
    replaced: usize,
    messages: Vec<String>,
}

impl Listener {
    fn apply(&mut self, news: &[StreamResponse<'static>]) {
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

/// Position of the disconnect, of the task snapshot, and number of events before the snapshot that are repeated.
#[derive(Clone, Copy, Debug)]
struct Disconnect {
    heard: usize,
    read: usize,
    twice: usize,
}

fn check(script: &Script, broken: Disconnect, distinct: bool, knows: bool) -> Result<(), TestCaseError> {
    let all = script.events.len();
    let Disconnect { heard, read, twice } = broken;
    let mut listener = Listener::default();
    let mut seen = if knows { TaskTracker::new(None) } else { TaskTracker::for_task("t", None) };
    if knows {
        listener.apply(&seen.take(BindingEvent { cursor: None, item: task(script, 0).into() }));
        for event in &script.events[..heard] {
            listener.apply(&seen.take(named(event.item.clone())));
        }
        seen.reconnected();
    }
    listener.apply(&seen.take(BindingEvent { cursor: None, item: task(script, read).into() }));
    for count in read - twice + 1..=all {
        listener.apply(&seen.take(named(script.events[count - 1].item.clone())));
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
    listener.apply(&seen.take(BindingEvent { cursor: None, item: end.clone().into() }));
    let truth = Fold::of(&[end.into()]);
    prop_assert_eq!(listener.fold.outputs(), truth.outputs());
    prop_assert_eq!(listener.fold.state, TaskState::Completed);
    if distinct {
        prop_assert_eq!(listener.replaced, 0, "nothing is replaced");
    }
    let mut told = listener.messages.clone();
    told.dedup();
    prop_assert_eq!(&told, &listener.messages, "no message is repeated");
    prop_assert!(listener.messages.is_sorted_by_key(|id| id[1..].parse::<usize>().ok()), "messages keep their order");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn repeated_events_are_delivered_once(
        step in prop::collection::vec(step(), 1..24),
        places in (any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        distinct in any::<bool>(),
        knows in any::<bool>(),
    ) {
        let script = script(&step, distinct);
        let read = places.0.index(step.len() + 1);
        let broken = Disconnect { heard: places.1.index(read + 1), read, twice: places.2.index(read + 1) };
        check(&script, broken, distinct, knows)?;
    }
}

#[test]
fn possible_repetition_is_held_back_until_the_next_event() {
    let script = Script::of(vec![chunk("a", "one ", false), chunk("a", "two ", true), chunk("a", "three ", true)]);
    let begun = || {
        let mut seen = TaskTracker::for_task("t", None);
        seen.take(BindingEvent { cursor: None, item: task(&script, 3).into() });
        assert!(seen.take(named(chunk("a", "two ", true))).is_empty());
        assert!(seen.holds_back());
        seen
    };
    let mut seen = begun();
    assert!(seen.take(named(chunk("a", "three ", true))).is_empty(), "both chunks are part of the snapshot");
    assert!(!seen.holds_back());
    assert_eq!(seen.take(named(chunk("a", "two ", true))).len(), 1);

    let mut seen = begun();
    assert_eq!(seen.take(named(chunk("a", "four ", true))).len(), 2, "it was not a repetition");
    let mut seen = begun();
    assert_eq!(seen.release().len(), 1, "held-back chunk is released");
    assert!(!seen.holds_back());
    let mut seen = begun();
    seen.reconnected();
    assert!(!seen.holds_back(), "the next connection begins with the task");
}
