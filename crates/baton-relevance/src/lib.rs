//! What of an agent's knowledge has to do with what is asked: rules, references and tools that come with a request only
//! when they are about it.
//!
//! This crate must never do I/O or call a model: texts and vectors come in, what to choose comes out, and the same
//! input always gives the same choice.
//!
//! Scores are from 0 to 1, so that one limit has a meaning whatever they come from. By words ([`by_words`]), a score is
//! the share of what a sentence asks for that one piece of an item speaks of, each word weighted by how telling it is
//! (BM25, divided by what a piece with all the words would have): at 0.7 nearly every telling word of the sentence is
//! there. By vectors ([`by_vectors`]), it is the cosine of the angle between both.
//!
//! Read first: [`Entry`] (something that can be chosen), [`find`] (the whole way), [`choose`] (what is taken).

mod choose;
mod entry;
mod lexical;
mod pieces;
mod stem;
mod stop;
mod vectors;
mod words;

pub use choose::{Chosen, Match, choose};
pub use entry::Entry;
pub use lexical::by_words;
pub use pieces::{pieces, sentences};
pub use vectors::by_vectors;

use baton_types::RelevanceLimits;

/// Chooses by words alone: which of the entries have to do with a question, the most relevant first.
pub fn find(question: &str, entries: &[&Entry], limits: RelevanceLimits) -> Vec<Chosen> {
    choose(by_words(question, entries), limits)
}
