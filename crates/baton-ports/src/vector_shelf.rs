//! Keeping the vectors of an agent's texts, so that each text is embedded once.

use crate::BoxFuture;
use baton_types::{AgentName, Digest};
use std::{collections::BTreeMap, sync::Arc};

/// Vectors by the digest of the text that each is of.
pub type KeptVectors = BTreeMap<Digest, Vec<f32>>;

/// Keeps vectors beside an agent, never in its definition; whatever is lost is made again.
pub trait VectorShelf: Send + Sync + 'static {
    /// What was kept for an agent under this model; none when there is nothing, or nothing that can be read.
    fn read<'a>(&'a self, agent: &'a AgentName, model: &'a str) -> BoxFuture<'a, KeptVectors>;

    /// Keeps these and no others; the error says what went wrong, in words.
    fn write<'a>(
        &'a self,
        agent: &'a AgentName,
        model: &'a str,
        vectors: Arc<KeptVectors>,
    ) -> BoxFuture<'a, Result<(), String>>;
}
