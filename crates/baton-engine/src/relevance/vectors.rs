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
    agents: Mutex<HashMap<AgentName, AgentVectors>>,
}

/// Embeddings of one agent's texts for one embedding model.
struct AgentVectors {
    model: String,
    vectors: Arc<Mutex<CachedVectors>>,
}

impl Vectors {
    pub(super) fn new(embedder: Arc<dyn Embedder>, cache: Arc<dyn EmbeddingCache>) -> Self {
        Self { embedder, cache, agents: Mutex::default() }
    }

    /// Selects the texts, each given in pieces, that are relevant to the question.
    pub(super) async fn choose(
        &self,
        agent: &AgentName,
        question: &str,
        texts: &[Vec<String>],
        limits: RelevanceLimits,
    ) -> Result<Vec<SelectedEntry>, String> {
        let question_sentences = sentences(question);
        if question_sentences.is_empty() {
            return Ok(Vec::new());
        }
        let work = async {
            let cached = self.embed_missing(agent, texts).await?;
            Ok::<_, String>((cached, self.embed(question_sentences).await?))
        };
        let waited = tokio::time::timeout(EMBEDDING_TIMEOUT, work).await;
        let (cached, question_vectors) =
            waited.map_err(|_| format!("no embeddings within {} s", EMBEDDING_TIMEOUT.as_secs()))??;
        let cached = cached.lock();
        let pieces = texts.iter().enumerate().flat_map(|(entry, pieces)| {
            let vectors = pieces.iter().filter_map(|piece| cached.get(&Digest::compute(piece.as_bytes())));
            vectors.map(move |vector| (entry, vector.as_slice()))
        });
        Ok(choose(by_vectors(&question_vectors, pieces), limits))
    }

    /// Embeds all pieces without an embedding and writes them to the cache. Finished batches are kept on failure, so
    /// that a long text does not restart with every request.
    async fn embed_missing(
        &self,
        agent: &AgentName,
        texts: &[Vec<String>],
    ) -> Result<Arc<Mutex<CachedVectors>>, String> {
        let model = self.embedder.model();
        let cached = self.cached_vectors(agent, &model).await;
        let mut needed: BTreeMap<Digest, &str> = BTreeMap::new();
        needed.extend(texts.iter().flatten().map(|piece| (Digest::compute(piece.as_bytes()), piece.as_str())));
        if needed.len() > MAX_PIECES_PER_AGENT {
            return Err(format!("the agent's texts have more than {MAX_PIECES_PER_AGENT} pieces"));
        }
        let missing: Vec<(&Digest, &str)> = {
            let mut cached = cached.lock();
            // The tool set changes with its servers, so unused embeddings are kept while there is room.
            if cached.len() + needed.len() > MAX_PIECES_PER_AGENT {
                cached.retain(|digest, _| needed.contains_key(digest));
            }
            needed
                .iter()
                .filter(|(digest, _)| !cached.contains_key(digest))
                .map(|(digest, text)| (digest, *text))
                .collect()
        };
        for batch in missing.chunks(EMBEDDING_BATCH_LEN) {
            let vectors = self.embed(batch.iter().map(|(_, text)| (*text).to_owned()).collect()).await?;
            cached.lock().extend(batch.iter().map(|(digest, _)| (*digest).clone()).zip(vectors));
        }
        if !missing.is_empty() {
            let all = Arc::new(cached.lock().clone());
            if let Err(reason) = self.cache.write(agent, &model, all).await {
                tracing::warn!(%agent, reason, "embeddings could not be cached and will be computed again");
            }
        }
        Ok(cached)
    }

    async fn cached_vectors(&self, agent: &AgentName, model: &str) -> Arc<Mutex<CachedVectors>> {
        let matching =
            |agent_vectors: &AgentVectors| (agent_vectors.model == model).then(|| Arc::clone(&agent_vectors.vectors));
        if let Some(cached) = self.agents.lock().get(agent).and_then(matching) {
            return cached;
        }
        let read = Arc::new(Mutex::new(self.cache.read(agent, model).await));
        let mut agents = self.agents.lock();
        if agents.len() >= MAX_CACHED_AGENTS && !agents.contains_key(agent) {
            agents.clear();
        }
        match agents.get(agent).and_then(matching) {
            Some(cached) => cached,
            None => {
                agents.insert(agent.clone(), AgentVectors { model: model.to_owned(), vectors: Arc::clone(&read) });
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
