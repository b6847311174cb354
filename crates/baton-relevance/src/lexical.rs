//! Lexical relevance: BM25, normalized by the maximum possible score.

use crate::{
    choose::RelevanceMatch,
    entry::{RelevanceEntry, TermCounts, TermHash},
    pieces::sentences,
    tokenizer::words,
};
use std::collections::BTreeSet;

/// BM25 `k1`: saturation of repeated terms.
const SATURATION: f64 = 1.2;

/// BM25 `b`: strength of length normalization.
const LENGTH_NORMALIZATION: f64 = 0.5;

/// Number of virtual background entries, so that term weights are meaningful with few entries.
const BACKGROUND_ENTRIES: f64 = 20.0;

/// Added to the total weight of a sentence, so that a single common term never is a full match.
const EXTRA_WEIGHT: f64 = 1.5;

/// Minimum terms of a unit; shorter sentences are merged with the next one.
const MIN_UNIT_TERMS: usize = 3;

/// Matches below this share of the best score for the same sentence are treated as coincidence.
const MIN_RELATIVE_SCORE: f64 = 0.5;

/// Minimum score of a match.
const MIN_SCORE: f64 = 0.1;

/// Relevance of each piece to a question: the best score over its sentences.
pub fn by_words(question: &str, entries: &[&RelevanceEntry]) -> Vec<RelevanceMatch> {
    let pieces: Vec<(usize, &TermCounts)> =
        entries.iter().enumerate().flat_map(|(entry, of)| of.pieces.iter().map(move |piece| (entry, piece))).collect();
    if pieces.is_empty() {
        return Vec::new();
    }
    #[expect(clippy::cast_precision_loss, reason = "there are never so many pieces")]
    let mean_length = pieces.iter().map(|(_, piece)| f64::from(piece.length)).sum::<f64>() / pieces.len() as f64;
    let mut best: Vec<RelevanceMatch> =
        pieces.iter().map(|(entry, _)| RelevanceMatch { entry: *entry, score: 0.0, strength: 0.0 }).collect();
    for unit in question_units(question) {
        let weights: Vec<(TermHash, f64)> = unit.into_iter().map(|term| (term, term_weight(term, entries))).collect();
        let all = weights.iter().map(|(_, weight)| weight).sum::<f64>() + EXTRA_WEIGHT;
        let found: Vec<(f64, f64)> =
            pieces.iter().map(|(_, piece)| score_piece(piece, &weights, all, mean_length)).collect();
        let best_score = found.iter().map(|(score, _)| *score).fold(0.0, f64::max);
        for (best, (score, strength)) in best.iter_mut().zip(found) {
            let counts = score >= MIN_SCORE && score >= best_score * MIN_RELATIVE_SCORE;
            if counts && (score, strength) > (best.score, best.strength) {
                (best.score, best.strength) = (score, strength);
            }
        }
    }
    best.retain(|found| found.score > 0.0);
    best
}

/// The distinct terms of each unit of sentences.
fn question_units(question: &str) -> Vec<BTreeSet<TermHash>> {
    let mut units: Vec<BTreeSet<TermHash>> = Vec::new();
    let mut open = BTreeSet::new();
    for sentence in sentences(question) {
        open.extend(words(&sentence).iter().map(|term| TermHash::from_term(term)));
        if open.len() >= MIN_UNIT_TERMS {
            units.push(std::mem::take(&mut open));
        }
    }
    match units.last_mut() {
        Some(last) => last.extend(open),
        None => units.extend((!open.is_empty()).then_some(open)),
    }
    units
}

/// Inverse document frequency of a term. A term in no entry counts as if it were in one, because terms of the question
/// that are missing lower the score of all entries.
fn term_weight(term: TermHash, entries: &[&RelevanceEntry]) -> f64 {
    let count = |count: usize| u32::try_from(count).map_or(f64::MAX, f64::from);
    let containing = count(entries.iter().filter(|entry| entry.contains(term)).count()).max(1.0);
    let all = count(entries.len()) + BACKGROUND_ENTRIES;
    (1.0 + (all - containing + 0.5) / (containing + 0.5)).ln()
}

/// The share of the total weight that the piece covers, and the plain BM25 sum, which still differs where the share is
/// saturated.
fn score_piece(piece: &TermCounts, weights: &[(TermHash, f64)], all: f64, mean_length: f64) -> (f64, f64) {
    let stretch = SATURATION
        * (1.0 - LENGTH_NORMALIZATION + LENGTH_NORMALIZATION * f64::from(piece.length) / mean_length.max(1.0));
    let (mut share, mut strength) = (0.0, 0.0);
    for (term, weight) in weights {
        let count = f64::from(piece.count(*term));
        let gain = count * (SATURATION + 1.0) / (count + stretch);
        share += weight * gain.min(1.0);
        strength += weight * gain;
    }
    (share / all, strength)
}
