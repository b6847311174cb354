//! Selection of matches.

use baton_types::{RelevanceLimits, Thousandths};
use std::cmp::Ordering;

/// Relevance of one piece of an entry to a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelevanceMatch {
    /// Index of the entry.
    pub entry: usize,
    /// Score from 0 to 1.
    pub score: f64,
    /// Tie-breaker for equal scores; larger comes first.
    pub strength: f64,
}

/// A selected entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectedEntry {
    /// Index of the entry.
    pub entry: usize,
    /// Relevance to the question.
    pub score: Thousandths,
}

/// Takes the `top_k` best matches, and of each entry its best one. All entries that reach `include_score` are selected,
/// and more until there are `top_n`. The most relevant come first.
pub fn choose(mut matches: Vec<RelevanceMatch>, limits: RelevanceLimits) -> Vec<SelectedEntry> {
    matches.retain(|found| found.score > 0.0);
    matches.sort_by(compare_matches);
    matches.truncate(usize::from(limits.top_k));
    let mut chosen: Vec<SelectedEntry> = Vec::new();
    for found in matches {
        let Some(score) = Thousandths::from_f64(found.score.min(1.0)).filter(|score| *score > Thousandths(0)) else {
            continue;
        };
        let is_included = score >= limits.include_score || chosen.len() < usize::from(limits.top_n);
        if is_included && chosen.iter().all(|other| other.entry != found.entry) {
            chosen.push(SelectedEntry { entry: found.entry, score });
        }
    }
    chosen
}

fn compare_matches(left: &RelevanceMatch, right: &RelevanceMatch) -> Ordering {
    let by_score = right.score.total_cmp(&left.score).then(right.strength.total_cmp(&left.strength));
    by_score.then(left.entry.cmp(&right.entry))
}
