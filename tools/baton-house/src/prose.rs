//! Comments in technical English: the rate of words that stand for persons and things without naming them.

use crate::{Tree, source::SourceFile, tree::is_test};
use std::fmt;

/// Words that hide the subject of a sentence.
pub const VAGUE_WORDS: [&str; 5] = ["what", "who", "nobody", "somebody", "whoever"];

/// Upper bound on vague words per 1,000 words of comments.
pub const MAX_VAGUE_RATE: f64 = 3.0;

/// Word counts of comments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProseFigures {
    /// Words of all comments.
    pub words: usize,
    /// Occurrences of each of [`VAGUE_WORDS`].
    pub vague: [usize; VAGUE_WORDS.len()],
}

impl ProseFigures {
    /// Vague words per 1,000 words.
    pub fn vague_rate(&self) -> f64 {
        1000.0 * self.vague.iter().sum::<usize>() as f64 / self.words.max(1) as f64
    }
}

impl fmt::Display for ProseFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "words of comments: {}; per 1,000:", self.words)?;
        for (word, count) in VAGUE_WORDS.iter().zip(self.vague) {
            write!(f, " {word} {:.2}", 1000.0 * count as f64 / self.words.max(1) as f64)?;
        }
        write!(f, "; together {:.2}", self.vague_rate())
    }
}

/// Counts the words of all comments in production code.
pub fn measure_production(tree: &Tree) -> ProseFigures {
    measure(tree, |path| !is_test(path))
}

/// Counts the words of all comments in tests.
pub fn measure_tests(tree: &Tree) -> ProseFigures {
    measure(tree, is_test)
}

fn measure(tree: &Tree, is_selected: impl Fn(&str) -> bool) -> ProseFigures {
    let mut figures = ProseFigures::default();
    for (_, text) in tree.rust().filter(|(path, _)| is_selected(path)) {
        for comment in SourceFile::parse(text).comments {
            let is_separator = |character: char| !character.is_ascii_alphabetic() && character != '\'';
            for word in comment.split(is_separator).filter(|word| !word.is_empty()) {
                figures.words += 1;
                if let Some(index) = VAGUE_WORDS.iter().position(|vague| vague.eq_ignore_ascii_case(word)) {
                    figures.vague[index] += 1;
                }
            }
        }
    }
    figures
}
