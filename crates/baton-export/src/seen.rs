//! Spans that were sent a while ago: one that comes back is not sent again.

use baton_types::Span;
use std::{
    collections::HashSet,
    hash::{BuildHasher as _, RandomState},
};

/// How many are remembered at least; twice as many at most.
const REMEMBERED: usize = 128 * 1024;

/// The ids of the last spans that were sent.
#[derive(Default)]
pub(crate) struct Seen {
    newer: HashSet<u64>,
    older: HashSet<u64>,
    hasher: RandomState,
}

impl Seen {
    fn key(&self, span: &Span) -> u64 {
        self.hasher.hash_one((span.trace.0, span.id.0))
    }

    /// Drops spans that were sent, and all but the first of those that are there twice.
    pub(crate) fn without(&self, spans: &mut Vec<Span>) {
        let mut here = HashSet::with_capacity(spans.len());
        spans.retain(|span| {
            let key = self.key(span);
            !self.newer.contains(&key) && !self.older.contains(&key) && here.insert(key)
        });
    }

    /// Remembers that these were sent.
    pub(crate) fn remember(&mut self, spans: &[Span]) {
        for span in spans {
            if self.newer.len() >= REMEMBERED {
                self.older = std::mem::take(&mut self.newer);
            }
            self.newer.insert(self.key(span));
        }
    }
}
