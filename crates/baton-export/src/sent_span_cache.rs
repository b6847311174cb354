//! Cache of recently sent spans: a repeated span is not sent again, unless it has a later end.

use baton_types::Span;
use std::{
    collections::HashMap,
    hash::{BuildHasher as _, RandomState},
};

/// Minimum number of cached spans; the maximum is twice as many.
const MIN_CACHED_SPANS: usize = 128 * 1024;

/// Ids and end times of recently sent spans. Some spans are exported at their start and again at their end; the one
/// with the latest end is complete.
#[derive(Default)]
pub(crate) struct SentSpanCache {
    newer: HashMap<u64, u64>,
    older: HashMap<u64, u64>,
    hasher: RandomState,
}

impl SentSpanCache {
    fn key(&self, span: &Span) -> u64 {
        self.hasher.hash_one((span.trace.0, span.id.0))
    }

    /// Removes spans that were already sent with the same or a later end; of duplicates, keeps the one with the latest
    /// end.
    pub(crate) fn remove_sent(&self, spans: &mut Vec<Span>) {
        let mut last: HashMap<u64, (usize, u64)> = HashMap::with_capacity(spans.len());
        for (index, span) in spans.iter().enumerate() {
            let key = self.key(span);
            let sent = self.newer.get(&key).max(self.older.get(&key));
            if sent.is_some_and(|end| span.end <= *end) {
                continue;
            }
            let known = last.entry(key).or_insert((index, span.end));
            if span.end > known.1 {
                *known = (index, span.end);
            }
        }
        let mut index = 0;
        spans.retain(|span| {
            let stays = last.get(&self.key(span)).is_some_and(|(last_index, _)| *last_index == index);
            index += 1;
            stays
        });
    }

    /// Adds sent spans.
    pub(crate) fn insert(&mut self, spans: &[Span]) {
        for span in spans {
            let key = self.key(span);
            if self.newer.len() >= MIN_CACHED_SPANS && !self.newer.contains_key(&key) {
                self.older = std::mem::take(&mut self.newer);
            }
            let end = self.newer.entry(key).or_default();
            *end = span.end.max(*end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_types::{SpanDropCounts, SpanId, SpanKind, SpanResource, SpanScope, SpanStatus, TraceId};
    use std::sync::Arc;

    fn spans(numbers: std::ops::Range<usize>) -> Vec<Span> {
        let (resource, scope) = (Arc::new(SpanResource::default()), Arc::new(SpanScope::default()));
        let span = |number: usize| Span {
            trace: TraceId([1; 16]),
            id: SpanId((number as u64).to_be_bytes()),
            parent: None,
            trace_state: String::new(),
            flags: 0,
            name: "work".into(),
            kind: SpanKind::Internal,
            start: 0,
            end: 0,
            attributes: Vec::new(),
            events: Vec::new(),
            links: Vec::new(),
            status: SpanStatus::Unset,
            status_message: String::new(),
            dropped: SpanDropCounts::default(),
            resource: Arc::clone(&resource),
            scope: Arc::clone(&scope),
        };
        numbers.map(span).collect()
    }

    #[test]
    fn cache_has_a_limit_and_forgets_the_oldest() {
        const PIECE: usize = 10_000;
        let mut seen = SentSpanCache::default();
        let all = 5 * MIN_CACHED_SPANS;
        for first in (0..all).step_by(PIECE) {
            let sent = spans(first..all.min(first + PIECE));
            seen.insert(&sent);
            // Duplicates take no space.
            seen.insert(&sent);
            assert!(seen.newer.len() <= MIN_CACHED_SPANS && seen.older.len() <= MIN_CACHED_SPANS);
        }
        // A hash table is at most twice as large as its maximum content.
        assert!(seen.newer.capacity() + seen.older.capacity() <= 4 * MIN_CACHED_SPANS);
        let mut last = spans(all - MIN_CACHED_SPANS..all);
        seen.remove_sent(&mut last);
        assert_eq!(last.len(), 0, "recent spans are known");
        let mut first = spans(0..PIECE);
        first.extend(spans(0..PIECE));
        seen.remove_sent(&mut first);
        assert_eq!(first.len(), PIECE, "forgotten spans are sent again once");
    }
}
