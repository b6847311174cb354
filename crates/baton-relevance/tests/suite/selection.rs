//! Number of selected entries.

use baton_relevance::{RelevanceMatch, by_vectors, choose};
use baton_types::{RelevanceLimits, Thousandths};
use proptest::prelude::*;

fn matched(entry: usize, score: f64) -> RelevanceMatch {
    RelevanceMatch { entry, score, strength: score }
}

fn named(matches: Vec<RelevanceMatch>, top_k: u16, top_n: u16, include_score: u16) -> Vec<(usize, u16)> {
    let limits = RelevanceLimits { top_k, top_n, include_score: Thousandths(include_score) };
    choose(matches, limits).into_iter().map(|chosen| (chosen.entry, chosen.score.0)).collect()
}

#[test]
fn all_above_the_score_are_selected_then_up_to_top_k() {
    let matches =
        || vec![matched(0, 0.2), matched(1, 0.9), matched(2, 0.75), matched(1, 0.8), matched(3, 0.7), matched(4, 0.5)];
    // `top_k` does not limit matches above the score, and the score does not apply to the first `top_k`.
    assert_eq!(named(matches(), 20, 1, 700), [(1, 900), (2, 750), (3, 700)]);
    assert_eq!(named(matches(), 20, 4, 700), [(1, 900), (2, 750), (3, 700), (4, 500)]);
    assert_eq!(named(matches(), 20, 9, 700), [(1, 900), (2, 750), (3, 700), (4, 500), (0, 200)]);
    // Both matches of entry 1 count toward `top_n`.
    assert_eq!(named(matches(), 3, 9, 0), [(1, 900), (2, 750)]);
    assert_eq!(named(vec![matched(0, 0.0), matched(1, -0.3)], 9, 9, 0), []);
}

#[test]
fn vectors_are_compared_by_cosine_with_the_best_sentence() {
    let question = [vec![1.0, 0.0], vec![0.6, 0.8]];
    let pieces: [&[f32]; 5] = [&[0.0, 1.0], &[1.0, 0.0], &[-1.0, 0.0], &[1.0, 0.0, 0.0], &[f32::NAN, 0.0]];
    let found = by_vectors(&question, pieces.into_iter().enumerate());
    let rounded: Vec<(usize, i64)> =
        found.iter().map(|found| (found.entry, (found.score * 1000.0).round() as i64)).collect();
    assert_eq!(rounded, [(0, 800), (1, 1000)]);
}

proptest! {
    #[test]
    fn best_matches_come_first_and_once(
        scores in proptest::collection::vec((0_usize..12, 0.0..1.0_f64), 0..60),
        top_k in 0_u16..40, top_n in 0_u16..10, include in 0_u16..1001,
    ) {
        let matches: Vec<RelevanceMatch> = scores.iter().map(|(entry, score)| matched(*entry, *score)).collect();
        let chosen = named(matches.clone(), top_k, top_n, include);
        prop_assert!(chosen.windows(2).all(|pair| pair[0].1 >= pair[1].1), "{chosen:?}");
        let mut entries: Vec<usize> = chosen.iter().map(|(entry, _)| *entry).collect();
        entries.sort_unstable();
        entries.dedup();
        prop_assert_eq!(entries.len(), chosen.len());
        let sure = chosen.iter().filter(|(_, score)| *score >= include).count();
        prop_assert!(chosen.len() <= sure.max(usize::from(top_n)).min(usize::from(top_k)));
        // The order of the matches decides ties only.
        let mut turned = matches;
        turned.reverse();
        let scores = |list: &[(usize, u16)]| list.iter().map(|(_, score)| *score).collect::<Vec<_>>();
        prop_assert_eq!(scores(&named(turned, top_k, top_n, include)), scores(&chosen));
    }
}
