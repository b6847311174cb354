//! An entry that can be selected, tokenized once.

use crate::{
    pieces::pieces,
    words::{words, words_of_name},
};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The terms of a rule, a reference or a tool, by piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    pub(crate) pieces: Vec<Piece>,
}

/// Term counts of a piece; each piece includes the terms of its item's name and description.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Sorted by term.
    counts: Vec<(Word, u32)>,
    pub(crate) length: u32,
}

/// Hash of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Word(u64);

impl Word {
    pub(crate) fn of(word: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        word.hash(&mut hasher);
        Self(hasher.finish())
    }
}

impl Entry {
    /// Tokenizes an item; tools have no text.
    pub fn new(name: &str, description: &str, text: &str) -> Self {
        let mut title = words_of_name(name);
        title.extend(words(description));
        let bodies = pieces("", "", text).into_iter().skip(1);
        let bodies = bodies.map(|body| words(&body)).filter(|words| !words.is_empty());
        let mut pieces: Vec<Piece> =
            bodies.map(|words| Piece::of(words.iter().chain(&title))).collect();
        if pieces.is_empty() {
            pieces.push(Piece::of(&title));
        }
        Self { pieces }
    }

    pub(crate) fn says(&self, word: Word) -> bool {
        self.pieces.iter().any(|piece| piece.count(word) > 0)
    }
}

impl Piece {
    fn of<'a>(words: impl IntoIterator<Item = &'a String>) -> Self {
        let mut said: Vec<Word> = words.into_iter().map(|word| Word::of(word)).collect();
        said.sort_unstable();
        let mut counts: Vec<(Word, u32)> = Vec::new();
        for word in &said {
            match counts.last_mut() {
                Some((last, count)) if last == word => *count += 1,
                _ => counts.push((*word, 1)),
            }
        }
        Self { counts, length: u32::try_from(said.len()).unwrap_or(u32::MAX) }
    }

    pub(crate) fn count(&self, word: Word) -> u32 {
        self.counts.binary_search_by_key(&word, |(word, _)| *word).map_or(0, |at| self.counts[at].1)
    }
}
