//! Selects the knowledge of an agent that is relevant to a question: rules, references and tools that are part of a
//! request only if they match.
//!
//! This crate must never do I/O or call a model: texts and vectors are the input, a selection is the output, and the
//! same input always gives the same selection.
//!
//! Scores are from 0 to 1, so that one limit works for all methods. The lexical score ([`by_words`]) is the share of a
//! sentence's terms that one piece of an item contains, weighted by inverse document frequency (BM25, divided by the
//! score of a piece with all terms): at 0.7 nearly every significant term of the sentence is present. The vector score
//! ([`by_vectors`]) is the cosine similarity.
//!
//! Read first: [`RelevanceEntry`] (an item that can be selected), [`find`] (the whole process), [`choose`] (the
//! selection).

mod choose;
mod entry;
mod lexical;
mod pieces;
mod stem;
mod stop_words;
mod tokenizer;
mod vectors;

pub use choose::{RelevanceMatch, SelectedEntry, choose};
pub use entry::RelevanceEntry;
pub use lexical::by_words;
pub use pieces::{pieces, sentences};
pub use vectors::by_vectors;

use baton_types::RelevanceLimits;

/// Selects relevant entries by lexical score only, most relevant first.
pub fn find(question: &str, entries: &[&RelevanceEntry], limits: RelevanceLimits) -> Vec<SelectedEntry> {
    choose(by_words(question, entries), limits)
}
