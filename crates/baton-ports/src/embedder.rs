//! Text embeddings.

use crate::BoxFuture;

/// Embeds texts; without an embedder, relevance uses lexical search only.
pub trait Embedder: Send + Sync + 'static {
    /// A name that changes when new vectors are no longer comparable with earlier ones.
    fn model(&self) -> String;

    /// One vector per text, all of the same dimension and normalized to length 1. The error is a readable reason.
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, String>>;
}
