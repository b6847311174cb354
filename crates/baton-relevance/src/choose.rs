//! Which matches are taken.

use baton_types::{RelevanceLimits, Thousandths};
use std::cmp::Ordering;

/// How much one piece of an entry has to do with a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    /// Which entry, by its place among those that were looked at.
    pub entry: usize,
    /// From 0 to 1.
    pub score: f64,
    /// Which of two with the same score comes first: the larger one.
    pub strength: f64,
}

/// One entry that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Which entry, by its place among those that were looked at.
    pub entry: usize,
    /// How much it has to do with the question.
    pub score: Thousandths,
}

/// Takes the `top_k` best matches, of each entry its best one; all entries that reach the score are taken, and more
/// until there are `top_n`. The most relevant come first.
pub fn choose(mut matches: Vec<Match>, limits: RelevanceLimits) -> Vec<Chosen> {
    matches.retain(|found| found.score > 0.0);
    matches.sort_by(before);
    matches.truncate(usize::from(limits.top_k));
    let mut chosen: Vec<Chosen> = Vec::new();
    for found in matches {
        let Some(score) = Thousandths::of(found.score.min(1.0)).filter(|score| *score > Thousandths(0)) else {
            continue;
        };
        let wanted = score >= limits.include_score || chosen.len() < usize::from(limits.top_n);
        if wanted && chosen.iter().all(|other| other.entry != found.entry) {
            chosen.push(Chosen { entry: found.entry, score });
        }
    }
    chosen
}

fn before(left: &Match, right: &Match) -> Ordering {
    let by_score = right.score.total_cmp(&left.score).then(right.strength.total_cmp(&left.strength));
    by_score.then(left.entry.cmp(&right.entry))
}
