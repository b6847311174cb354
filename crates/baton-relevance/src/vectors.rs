//! Vector relevance: cosine similarity.

use crate::RelevanceMatch;

/// Relevance of each piece to a question: the best similarity over its sentences. Vectors have length 1; those of
/// another dimension than the question's are skipped.
pub fn by_vectors<'a>(
    question: &[Vec<f32>],
    pieces: impl IntoIterator<Item = (usize, &'a [f32])>,
) -> Vec<RelevanceMatch> {
    let near = |piece: &[f32]| question.iter().filter_map(|sentence| cosine(sentence, piece)).fold(0.0, f64::max);
    let matches = pieces.into_iter().map(|(entry, piece)| {
        let score = near(piece).min(1.0);
        RelevanceMatch { entry, score, strength: score }
    });
    matches.filter(|found| found.score > 0.0).collect()
}

fn cosine(left: &[f32], right: &[f32]) -> Option<f64> {
    let sum = || left.iter().zip(right).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum::<f64>();
    (left.len() == right.len()).then(sum).filter(|product| product.is_finite())
}
