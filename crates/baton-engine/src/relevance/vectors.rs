//! Embeddings of texts, computed once and cached per agent.

use baton_ports::{CachedVectors, Embedder, EmbeddingCache};
use baton_relevance::{SelectedEntry, by_vectors, choose, sentences};
use baton_types::{AgentName, Digest, RelevanceLimits};
use parking_lot::Mutex;
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};

/// Texts per embedding request.
const EMBEDDING_BATCH_LEN: usize = 64;

/// Maximum embedded pieces per agent.
const MAX_PIECES_PER_AGENT: usize = 20_000;

/// Maximum agents with embeddings in memory.
const MAX_CACHED_AGENTS: usize = 64;

/// Timeout of a request for embeddings.
const EMBEDDING_TIMEOUT: Duration = Duration::from_secs(30);

/// Embedding search with an in-memory cache over the persistent one.
pub(crate) struct Vectors {
    embedder: Arc<dyn Embedder>,
    cache: Arc<dyn EmbeddingCache>,
    known: Mutex<HashMap<AgentName, AgentVectors>>,
}

/// Embeddings of one agent's texts for one embedding model.
struct AgentVectors {
    model: String,
    vectors: Arc<Mutex<CachedVectors>>,
}

impl Vectors {
    pub(super) fn new(embedder: Arc<dyn Embedder>, cache: Arc<dyn EmbeddingCache>) -> Self {
        Self { embedder, cache, known: Mutex::default() }
    }

    /// Selects the texts, each given in pieces, that are relevant to the question.
    pub(super) async fn choose(
        &self,
        agent: &AgentName,
        question: &str,
        texts: &[Vec<String>],
        limits: RelevanceLimits,
    ) -> Result<Vec<SelectedEntry>, String> {
        let asked = sentences(question);
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let work = async {
            let kept = self.embed_missing(agent, texts).await?;
            Ok::<_, String>((kept, self.embed(asked).await?))
        };
        let waited = tokio::time::timeout(EMBEDDING_TIMEOUT, work).await;
        let (kept, asked) = waited.map_err(|_| format!("no embeddings within {} s", EMBEDDING_TIMEOUT.as_secs()))??;
        let kept = kept.lock();
        let pieces = texts.iter().enumerate().flat_map(|(entry, pieces)| {
            let vectors = pieces.iter().filter_map(|piece| kept.get(&Digest::compute(piece.as_bytes())));
            vectors.map(move |vector| (entry, vector.as_slice()))
        });
        Ok(choose(by_vectors(&asked, pieces), limits))
    }

    /// Embeds all pieces without an embedding and writes them to the cache. Finished batches are kept on failure, so
    /// that a long text does not restart with every request.
    async fn embed_missing(
        &self,
        agent: &AgentName,
        texts: &[Vec<String>],
    ) -> Result<Arc<Mutex<CachedVectors>>, String> {
        let model = self.embedder.model();
        let kept = self.cached_vectors(agent, &model).await;
        let mut wanted: BTreeMap<Digest, &str> = BTreeMap::new();
        wanted.extend(texts.iter().flatten().map(|piece| (Digest::compute(piece.as_bytes()), piece.as_str())));
        if wanted.len() > MAX_PIECES_PER_AGENT {
            return Err(format!("the agent's texts have more than {MAX_PIECES_PER_AGENT} pieces"));
        }
        let missing: Vec<(&Digest, &str)> = {
            let mut kept = kept.lock();
            // The tool set changes with its servers, so unused embeddings are kept while there is room.
            if kept.len() + wanted.len() > MAX_PIECES_PER_AGENT {
                kept.retain(|digest, _| wanted.contains_key(digest));
            }
            wanted
                .iter()
                .filter(|(digest, _)| !kept.contains_key(digest))
                .map(|(digest, text)| (digest, *text))
                .collect()
        };
        for some in missing.chunks(EMBEDDING_BATCH_LEN) {
            let vectors = self.embed(some.iter().map(|(_, text)| (*text).to_owned()).collect()).await?;
            kept.lock().extend(some.iter().map(|(digest, _)| (*digest).clone()).zip(vectors));
        }
        if !missing.is_empty() {
            let all = Arc::new(kept.lock().clone());
            if let Err(reason) = self.cache.write(agent, &model, all).await {
                tracing::warn!(%agent, reason, "embeddings could not be cached and will be computed again");
            }
        }
        Ok(kept)
    }

    async fn cached_vectors(&self, agent: &AgentName, model: &str) -> Arc<Mutex<CachedVectors>> {
        let held = |held: &AgentVectors| (held.model == model).then(|| Arc::clone(&held.vectors));
        if let Some(kept) = self.known.lock().get(agent).and_then(held) {
            return kept;
        }
        let read = Arc::new(Mutex::new(self.cache.read(agent, model).await));
        let mut known = self.known.lock();
        if known.len() >= MAX_CACHED_AGENTS && !known.contains_key(agent) {
            known.clear();
        }
        match known.get(agent).and_then(held) {
            Some(kept) => kept,
            None => {
                known.insert(agent.clone(), AgentVectors { model: model.to_owned(), vectors: Arc::clone(&read) });
                read
            }
        }
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, String> {
        let count = texts.len();
        let vectors = self.embedder.embed(texts).await?;
        match vectors.len() == count {
            true => Ok(vectors),
            false => Err(format!("{} vectors for {count} texts", vectors.len())),
        }
    }
}
