//! Event ids of a peer: those already received, and whether a stream can resume from them.

use baton_wire::a2a::v1::StreamResponse;
use std::{
    collections::VecDeque,
    hash::{DefaultHasher, Hash, Hasher},
};

/// Maximum number of event ids remembered for deduplication.
const MAX_CURSORS: usize = 1024;

/// Maximum length of an event id in bytes; longer ones are ignored, because ids are stored.
const MAX_CURSOR_LEN: usize = 256;

/// Larger numbers are timestamps, not sequence numbers.
const MAX_SEQUENCE_NUMBER: u64 = 1_000_000_000;

/// Event ids already received.
///
/// Servers number events per task (and can resume from a number), per response, by timestamp, or not at all, without
/// declaring it. An id with two different events proves that the ids are meaningless; from then on they are ignored.
#[derive(Clone, Debug, Default)]
pub(super) struct EventCursors {
    last: Option<String>,
    received: VecDeque<(String, u64)>,
    meaningless: bool,
}

/// Conclusion from an event id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventNovelty {
    /// The event was already received.
    Repeated,
    /// The event is certainly new.
    New,
    /// Undecided.
    Unknown,
}

impl EventCursors {
    /// The id to resume from.
    pub(super) fn last(&self) -> Option<&str> {
        self.last.as_deref()
    }

    /// Records an event.
    pub(super) fn record(&mut self, cursor: Option<&str>, item: &StreamResponse<'_>) -> EventNovelty {
        let Some(cursor) = cursor.filter(|cursor| (1..=MAX_CURSOR_LEN).contains(&cursor.len()) && !self.meaningless)
        else {
            return EventNovelty::Unknown;
        };
        let content = fingerprint(item);
        match self.received.iter().rev().find(|(name, _)| name == cursor) {
            Some((_, before)) if *before == content => return EventNovelty::Repeated,
            // The full task is generated for each subscriber, under the id of its last event.
            Some(_) if item.task.is_some() => return EventNovelty::Unknown,
            Some(_) => {
                self.clear();
                self.meaningless = true;
                return EventNovelty::Unknown;
            }
            None => {}
        }
        let known = match (number(cursor), self.last.as_deref().and_then(number)) {
            (Some(now), Some(before)) if now <= before => return EventNovelty::Repeated,
            (Some(_), _) => EventNovelty::New,
            (None, _) => EventNovelty::Unknown,
        };
        if self.received.len() == MAX_CURSORS {
            self.received.pop_front();
        }
        self.received.push_back((cursor.to_owned(), content));
        self.last = Some(cursor.to_owned());
        known
    }

    /// Whether the first event of a new connection proves that the peer resumed at the last event. Sequence numbers 0
    /// and 1 prove nothing: a server that numbers per response repeats them.
    pub(super) fn resumes_from(&self, cursor: Option<&str>) -> bool {
        self.has_task_sequence() && cursor == self.last()
    }

    /// Whether the last id is a sequence number within the task, so that later events are new. Servers that number per
    /// response start with 0 or 1.
    pub(super) fn has_task_sequence(&self) -> bool {
        self.last.as_deref().and_then(number).is_some_and(|number| number > 1)
    }

    /// Forgets all ids, because the peer did not resume from one: its ids are per response.
    pub(super) fn clear(&mut self) {
        self.last = None;
        self.received.clear();
    }
}

fn number(cursor: &str) -> Option<u64> {
    cursor.parse().ok().filter(|number| *number < MAX_SEQUENCE_NUMBER)
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
    fn increasing_numbers_are_cursors_and_timestamps_are_not() {
        let mut cursors = EventCursors::default();
        assert_eq!(cursors.record(Some("1"), &item("a")), EventNovelty::New);
        assert_eq!(cursors.record(Some("4"), &item("b")), EventNovelty::New);
        assert_eq!(cursors.record(Some("4"), &item("b")), EventNovelty::Repeated);
        assert_eq!(cursors.record(Some("2"), &item("never heard")), EventNovelty::Repeated);
        assert_eq!(cursors.record(None, &item("c")), EventNovelty::Unknown);
        assert!(cursors.resumes_from(Some("4")) && !cursors.resumes_from(Some("5")));
        for first in ["0", "1"] {
            let mut one = EventCursors::default();
            assert_eq!(one.record(Some(first), &item("a")), EventNovelty::New);
            assert!(!one.resumes_from(Some(first)), "{first} may be the first id of every response");
        }

        let mut clock = EventCursors::default();
        assert_eq!(clock.record(Some("1763250000000"), &item("a")), EventNovelty::Unknown);
        assert_eq!(clock.record(Some("1763250000000"), &item("b")), EventNovelty::Unknown);
        assert_eq!(clock.last(), None, "an id shared by two events cannot be resumed from");

        let mut long = EventCursors::default();
        assert_eq!(long.record(Some(&"x".repeat(MAX_CURSOR_LEN + 1)), &item("a")), EventNovelty::Unknown);
        assert_eq!((long.last(), long.received.len()), (None, 0), "long ids are not stored");
    }
}
