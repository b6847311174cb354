//! How much texts have to do with a question by the words that they share: BM25, as a share of what could be had.

use crate::{
    choose::Match,
    entry::{Entry, Piece, Word},
    pieces::sentences,
    words::words,
};
use std::collections::BTreeSet;

/// How fast a word that is said again adds less.
const SATURATION: f64 = 1.2;

/// How much longer pieces are held to say a word by chance.
const LENGTH: f64 = 0.5;

/// Texts that are taken to exist beside those of the agent, so that a word is telling even where there are few.
const BACKGROUND: f64 = 20.0;

/// What is added to all that a sentence asks for: a single word that is not rare is never the whole of a question.
const DOUBT: f64 = 1.5;

/// Telling words that are looked at together; shorter sentences are read with the next one.
const FEWEST: usize = 3;

/// A match that has less than this share of the best one's score for the same sentence shares words with it by chance.
const CHANCE: f64 = 0.5;

/// A match that scores less is none, whatever the others are like.
const LEAST: f64 = 0.1;

/// How much each piece of the entries has to do with a question: the best that any sentence of it gives.
pub fn by_words(question: &str, entries: &[&Entry]) -> Vec<Match> {
    let pieces: Vec<(usize, &Piece)> =
        entries.iter().enumerate().flat_map(|(entry, of)| of.pieces.iter().map(move |piece| (entry, piece))).collect();
    if pieces.is_empty() {
        return Vec::new();
    }
    #[expect(clippy::cast_precision_loss, reason = "there are never so many pieces")]
    let usual = pieces.iter().map(|(_, piece)| f64::from(piece.length)).sum::<f64>() / pieces.len() as f64;
    let mut best: Vec<Match> =
        pieces.iter().map(|(entry, _)| Match { entry: *entry, score: 0.0, strength: 0.0 }).collect();
    for asked in asked_together(question) {
        let weights: Vec<(Word, f64)> = asked.into_iter().map(|word| (word, weight(word, entries))).collect();
        let all = weights.iter().map(|(_, weight)| weight).sum::<f64>() + DOUBT;
        let found: Vec<(f64, f64)> = pieces.iter().map(|(_, piece)| of_piece(piece, &weights, all, usual)).collect();
        let most = found.iter().map(|(score, _)| *score).fold(0.0, f64::max);
        for (best, (score, strength)) in best.iter_mut().zip(found) {
            let counts = score >= LEAST && score >= most * CHANCE;
            if counts && (score, strength) > (best.score, best.strength) {
                (best.score, best.strength) = (score, strength);
            }
        }
    }
    best.retain(|found| found.score > 0.0);
    best
}

/// The telling words of sentences that are looked at together, each word once.
fn asked_together(question: &str) -> Vec<BTreeSet<Word>> {
    let mut units: Vec<BTreeSet<Word>> = Vec::new();
    let mut open = BTreeSet::new();
    for sentence in sentences(question) {
        open.extend(words(&sentence).iter().map(|word| Word::of(word)));
        if open.len() >= FEWEST {
            units.push(std::mem::take(&mut open));
        }
    }
    match units.last_mut() {
        Some(last) => last.extend(open),
        None => units.extend((!open.is_empty()).then_some(open)),
    }
    units
}

/// How telling a word is: the fewer entries say it, the more. One that none says counts as if one did, because what is
/// asked for and not there speaks against everything.
fn weight(word: Word, entries: &[&Entry]) -> f64 {
    let count = |count: usize| u32::try_from(count).map_or(f64::MAX, f64::from);
    let saying = count(entries.iter().filter(|entry| entry.says(word)).count()).max(1.0);
    let all = count(entries.len()) + BACKGROUND;
    (1.0 + (all - saying + 0.5) / (saying + 0.5)).ln()
}

/// The share of what is asked for that the piece has, and the plain sum of BM25, which goes on where the share is full.
fn of_piece(piece: &Piece, weights: &[(Word, f64)], all: f64, usual: f64) -> (f64, f64) {
    let stretch = SATURATION * (1.0 - LENGTH + LENGTH * f64::from(piece.length) / usual.max(1.0));
    let (mut share, mut strength) = (0.0, 0.0);
    for (word, weight) in weights {
        let count = f64::from(piece.count(*word));
        let said = count * (SATURATION + 1.0) / (count + stretch);
        share += weight * said.min(1.0);
        strength += weight * said;
    }
    (share / all, strength)
}
