//! The peer's names for its events: which were heard, and whether they can be gone on from.

use baton_wire::a2a::v1::StreamResponse;
use std::{
    collections::VecDeque,
    hash::{DefaultHasher, Hash, Hasher},
};

/// How many names are remembered to tell repetitions by.
const REMEMBERED: usize = 1024;

/// Longer names, in bytes, are not used: nobody needs them, and they are remembered.
const LONGEST: usize = 256;

/// Numbers above this are moments, not counts.
const MOST: u64 = 1_000_000_000;

/// What was heard under which name.
///
/// Servers number events per task (and can go on from a number), per response, by the clock, or not at all, and do not
/// say which. A name that stands for two different events proves that names mean nothing here, and from then on they
/// are not used.
#[derive(Clone, Debug, Default)]
pub(super) struct Cursors {
    last: Option<String>,
    heard: VecDeque<(String, u64)>,
    meaningless: bool,
}

/// What a name says about its event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// It was heard before.
    Repeated,
    /// It was certainly not heard before.
    New,
    /// Nothing.
    Unknown,
}

impl Cursors {
    /// What to go on from.
    pub(super) fn last(&self) -> Option<&str> {
        self.last.as_deref()
    }

    /// Notes an event.
    pub(super) fn note(&mut self, cursor: Option<&str>, item: &StreamResponse<'_>) -> Told {
        let Some(cursor) = cursor.filter(|cursor| (1..=LONGEST).contains(&cursor.len()) && !self.meaningless) else {
            return Told::Unknown;
        };
        let content = fingerprint(item);
        match self.heard.iter().rev().find(|(name, _)| name == cursor) {
            Some((_, before)) if *before == content => return Told::Repeated,
            // The task in full is made anew for each listener, under the name of the last event in it.
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

    /// Whether the first thing heard on a new connection proves that the peer went on where the old one broke off. A
    /// server that counts the events of each response says the same after a connection that broke off at its first event.
    pub(super) fn goes_on(&self, cursor: Option<&str>) -> bool {
        self.counts_the_task() && cursor == self.last()
    }

    /// Whether the last name counts the events of the task, so that what follows it is new. Servers that count the
    /// events of each response begin with 0 or 1.
    pub(super) fn counts_the_task(&self) -> bool {
        self.last.as_deref().and_then(number).is_some_and(|number| number > 1)
    }

    /// The peer did not go on from a name: its names belong to one response.
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
