//! An entry that can be selected, tokenized once.

use crate::{
    pieces::pieces,
    tokenizer::{words, words_of_name},
};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The terms of a rule, a reference or a tool, by piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RelevanceEntry {
    pub(crate) pieces: Vec<TermCounts>,
}

/// Term counts of a piece; each piece includes the terms of its item's name and description.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TermCounts {
    /// Sorted by term.
    counts: Vec<(TermHash, u32)>,
    pub(crate) length: u32,
}

/// Hash of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TermHash(u64);

impl TermHash {
    pub(crate) fn from_term(term: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        term.hash(&mut hasher);
        Self(hasher.finish())
    }
}

impl RelevanceEntry {
    /// Tokenizes an item; tools have no text.
    pub fn new(name: &str, description: &str, text: &str) -> Self {
        let mut title = words_of_name(name);
        title.extend(words(description));
        let bodies = pieces("", "", text).into_iter().skip(1);
        let bodies = bodies.map(|body| words(&body)).filter(|words| !words.is_empty());
        let mut pieces: Vec<TermCounts> =
            bodies.map(|words| TermCounts::from_terms(words.iter().chain(&title))).collect();
        if pieces.is_empty() {
            pieces.push(TermCounts::from_terms(&title));
        }
        Self { pieces }
    }

    pub(crate) fn contains(&self, term: TermHash) -> bool {
        self.pieces.iter().any(|piece| piece.count(term) > 0)
    }
}

impl TermCounts {
    fn from_terms<'a>(terms: impl IntoIterator<Item = &'a String>) -> Self {
        let mut hashes: Vec<TermHash> = terms.into_iter().map(|term| TermHash::from_term(term)).collect();
        hashes.sort_unstable();
        let mut counts: Vec<(TermHash, u32)> = Vec::new();
        for hash in &hashes {
            match counts.last_mut() {
                Some((last, count)) if last == hash => *count += 1,
                _ => counts.push((*hash, 1)),
            }
        }
        Self { counts, length: u32::try_from(hashes.len()).unwrap_or(u32::MAX) }
    }

    pub(crate) fn count(&self, term: TermHash) -> u32 {
        self.counts.binary_search_by_key(&term, |(term, _)| *term).map_or(0, |at| self.counts[at].1)
    }
}
