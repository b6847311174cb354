//! Event ids of a peer: those already received, and whether a stream can resume from them.

use baton_wire::a2a::v1::StreamResponse;
use std::{
    collections::VecDeque,
    hash::{DefaultHasher, Hash, Hasher},
};

/// Maximum number of event ids remembered for deduplication.
const REMEMBERED: usize = 1024;

/// Maximum length of an event id in bytes; longer ones are ignored, because ids are stored.
const LONGEST: usize = 256;

/// Larger numbers are timestamps, not sequence numbers.
const MOST: u64 = 1_000_000_000;

/// Event ids already received.
///
/// Servers number events per task (and can resume from a number), per response, by timestamp, or not at all, without
/// declaring it. An id with two different events proves that the ids are meaningless; from then on they are ignored.
#[derive(Clone, Debug, Default)]
pub(super) struct Cursors {
    last: Option<String>,
    heard: VecDeque<(String, u64)>,
    meaningless: bool,
}

/// Conclusion from an event id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// The event was already received.
    Repeated,
    /// The event is certainly new.
    New,
    /// Undecided.
    Unknown,
}

impl Cursors {
    /// The id to resume from.
    pub(super) fn last(&self) -> Option<&str> {
        self.last.as_deref()
    }

    /// Records an event.
    pub(super) fn note(&mut self, cursor: Option<&str>, item: &StreamResponse<'_>) -> Told {
        let Some(cursor) = cursor.filter(|cursor| (1..=LONGEST).contains(&cursor.len()) && !self.meaningless)
        else {
            return Told::Unknown;
        };
        let content = fingerprint(item);
        match self.heard.iter().rev().find(|(name, _)| name == cursor) {
            Some((_, before)) if *before == content => return Told::Repeated,
            // The full task is generated for each subscriber, under the id of its last event.
            Some(_) if item.task.is_some() => return Told::Unknown,
            Some(_) => {
                self.forget();
                self.meaningless = true;
                return Told::Unknown;
            }
            None => {}
        }
        let known = match (number(cursor), self.last.as_deref().and_then(number)) {
            (Some(now), Some(before)) if now <= before => return Told::Repeated,
            (Some(_), _) => Told::New,
            (None, _) => Told::Unknown,
        };
        if self.heard.len() == REMEMBERED {
            self.heard.pop_front();
        }
        self.heard.push_back((cursor.to_owned(), content));
        self.last = Some(cursor.to_owned());
        known
    }

    /// Whether the first event of a new connection proves that the peer resumed at the last event. Sequence numbers 0
    /// and 1 prove nothing: a server that numbers per response repeats them.
    pub(super) fn goes_on(&self, cursor: Option<&str>) -> bool {
        self.counts_the_task() && cursor == self.last()
    }

    /// Whether the last id is a sequence number within the task, so that later events are new. Servers that number per
    /// response start with 0 or 1.
    pub(super) fn counts_the_task(&self) -> bool {
        self.last.as_deref().and_then(number).is_some_and(|number| number > 1)
    }

    /// Forgets all ids, because the peer did not resume from one: its ids are per response.
    pub(super) fn forget(&mut self) {
        self.last = None;
        self.heard.clear();
    }
}

fn number(cursor: &str) -> Option<u64> {
    cursor.parse().ok().filter(|number| *number < MOST)
}

fn fingerprint(item: &StreamResponse<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    serde_json::to_string(item).unwrap_or_default().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_wire::a2a::v1::TaskStatusUpdateEvent;

    fn item(text: &'static str) -> StreamResponse<'static> {
        TaskStatusUpdateEvent { task_id: text.into(), ..TaskStatusUpdateEvent::default() }.into()
    }

    #[test]
    fn numbers_tell_new_from_old_and_clocks_tell_nothing() {
        let mut cursors = Cursors::default();
        assert_eq!(cursors.note(Some("1"), &item("a")), Told::New);
        assert_eq!(cursors.note(Some("4"), &item("b")), Told::New);
        assert_eq!(cursors.note(Some("4"), &item("b")), Told::Repeated);
        assert_eq!(cursors.note(Some("2"), &item("never heard")), Told::Repeated);
        assert_eq!(cursors.note(None, &item("c")), Told::Unknown);
        assert!(cursors.goes_on(Some("4")) && !cursors.goes_on(Some("5")));
        for first in ["0", "1"] {
            let mut one = Cursors::default();
            assert_eq!(one.note(Some(first), &item("a")), Told::New);
            assert!(!one.goes_on(Some(first)), "every response may begin with {first}");
        }

        let mut clock = Cursors::default();
        assert_eq!(clock.note(Some("1763250000000"), &item("a")), Told::Unknown);
        assert_eq!(clock.note(Some("1763250000000"), &item("b")), Told::Unknown);
        assert_eq!(clock.last(), None, "a name of two events is no place to go on from");

        let mut long = Cursors::default();
        assert_eq!(long.note(Some(&"x".repeat(LONGEST + 1)), &item("a")), Told::Unknown);
        assert_eq!((long.last(), long.heard.len()), (None, 0), "nobody makes us remember long names");
    }
}
