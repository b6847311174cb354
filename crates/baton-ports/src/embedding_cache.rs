//! Cache of text embeddings, so that each text is embedded once.

use crate::BoxFuture;
use baton_types::{AgentName, Digest};
use std::{collections::BTreeMap, sync::Arc};

/// Vectors by the digest of their text.
pub type CachedVectors = BTreeMap<Digest, Vec<f32>>;

/// Caches vectors per agent, outside its definition; lost entries are computed again.
pub trait EmbeddingCache: Send + Sync + 'static {
    /// The cached vectors of an agent for this model; empty if there are none or they are unreadable.
    fn read<'a>(&'a self, agent: &'a AgentName, model: &'a str) -> BoxFuture<'a, CachedVectors>;

    /// Replaces the cached vectors. The error is a readable reason.
    fn write<'a>(
        &'a self,
        agent: &'a AgentName,
        model: &'a str,
        vectors: Arc<CachedVectors>,
    ) -> BoxFuture<'a, Result<(), String>>;
}
