//! How much texts have to do with a question by the direction of their vectors.

use crate::Match;

/// How much each piece has to do with a question: the best that any sentence of it gives. Vectors have length 1; those of
/// another size than the question's are passed over.
pub fn by_vectors<'a>(question: &[Vec<f32>], pieces: impl IntoIterator<Item = (usize, &'a [f32])>) -> Vec<Match> {
    let near = |piece: &[f32]| question.iter().filter_map(|sentence| cosine(sentence, piece)).fold(0.0, f64::max);
    let matches = pieces.into_iter().map(|(entry, piece)| {
        let score = near(piece).min(1.0);
        Match { entry, score, strength: score }
    });
    matches.filter(|found| found.score > 0.0).collect()
}

fn cosine(left: &[f32], right: &[f32]) -> Option<f64> {
    let sum = || left.iter().zip(right).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum::<f64>();
    (left.len() == right.len()).then(sum).filter(|product| product.is_finite())
}
