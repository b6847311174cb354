//! Turning texts into vectors whose nearness means that they are about the same.

use crate::BoxFuture;

/// Embeds texts; without one, relevance goes by words alone.
pub trait Embedder: Send + Sync + 'static {
    /// A name that changes when vectors of before can no longer be compared with new ones.
    fn model(&self) -> String;

    /// One vector for each text, all of the same length and of length 1; the error says what went wrong, in words.
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, String>>;
}
