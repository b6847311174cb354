//! Embeddings of texts, computed once and cached per agent.

use baton_ports::{Embedder, KeptVectors, VectorShelf};
use baton_relevance::{Chosen, by_vectors, choose, sentences};
use baton_types::{AgentName, Digest, RelevanceLimits};
use parking_lot::Mutex;
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};

/// Texts per embedding request.
const TOGETHER: usize = 64;

/// Maximum embedded pieces per agent.
const MOST_PIECES: usize = 20_000;

/// Maximum agents with embeddings in memory.
const KNOWN: usize = 64;

/// Timeout of a request for embeddings.
const PATIENCE: Duration = Duration::from_secs(30);

/// Embedding search with an in-memory cache over the persistent one.
pub(crate) struct Vectors {
    embedder: Arc<dyn Embedder>,
    shelf: Arc<dyn VectorShelf>,
    known: Mutex<HashMap<AgentName, Held>>,
}

/// Embeddings of one agent's texts for one embedding model.
struct Held {
    model: String,
    vectors: Arc<Mutex<KeptVectors>>,
}

impl Vectors {
    pub(super) fn new(embedder: Arc<dyn Embedder>, shelf: Arc<dyn VectorShelf>) -> Self {
        Self { embedder, shelf, known: Mutex::default() }
    }

    /// Selects the texts, each given in pieces, that are relevant to the question.
    pub(super) async fn choose(
        &self,
        agent: &AgentName,
        question: &str,
        texts: &[Vec<String>],
        limits: RelevanceLimits,
    ) -> Result<Vec<Chosen>, String> {
        let asked = sentences(question);
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let work = async {
            let kept = self.complete(agent, texts).await?;
            Ok::<_, String>((kept, self.embed(asked).await?))
        };
        let waited = tokio::time::timeout(PATIENCE, work).await;
        let (kept, asked) = waited.map_err(|_| format!("no embeddings within {} s", PATIENCE.as_secs()))??;
        let kept = kept.lock();
        let pieces = texts.iter().enumerate().flat_map(|(entry, pieces)| {
            let vectors = pieces.iter().filter_map(|piece| kept.get(&Digest::of(piece.as_bytes())));
            vectors.map(move |vector| (entry, vector.as_slice()))
        });
        Ok(choose(by_vectors(&asked, pieces), limits))
    }

    /// Embeds all pieces without an embedding and writes them to the cache. Finished batches are kept on failure, so
    /// that a long text does not restart with every request.
    async fn complete(&self, agent: &AgentName, texts: &[Vec<String>]) -> Result<Arc<Mutex<KeptVectors>>, String> {
        let model = self.embedder.model();
        let kept = self.kept(agent, &model).await;
        let mut wanted: BTreeMap<Digest, &str> = BTreeMap::new();
        wanted.extend(texts.iter().flatten().map(|piece| (Digest::of(piece.as_bytes()), piece.as_str())));
        if wanted.len() > MOST_PIECES {
            return Err(format!("the agent's texts have more than {MOST_PIECES} pieces"));
        }
        let missing: Vec<(&Digest, &str)> = {
            let mut kept = kept.lock();
            // The tool set changes with its servers, so unused embeddings are kept while there is room.
            if kept.len() + wanted.len() > MOST_PIECES {
                kept.retain(|digest, _| wanted.contains_key(digest));
            }
            wanted
                .iter()
                .filter(|(digest, _)| !kept.contains_key(digest))
                .map(|(digest, text)| (digest, *text))
                .collect()
        };
        for some in missing.chunks(TOGETHER) {
            let vectors = self.embed(some.iter().map(|(_, text)| (*text).to_owned()).collect()).await?;
            kept.lock().extend(some.iter().map(|(digest, _)| (*digest).clone()).zip(vectors));
        }
        if !missing.is_empty() {
            let all = Arc::new(kept.lock().clone());
            if let Err(reason) = self.shelf.write(agent, &model, all).await {
                tracing::warn!(%agent, reason, "embeddings could not be cached and will be computed again");
            }
        }
        Ok(kept)
    }

    async fn kept(&self, agent: &AgentName, model: &str) -> Arc<Mutex<KeptVectors>> {
        let held = |held: &Held| (held.model == model).then(|| Arc::clone(&held.vectors));
        if let Some(kept) = self.known.lock().get(agent).and_then(held) {
            return kept;
        }
        let read = Arc::new(Mutex::new(self.shelf.read(agent, model).await));
        let mut known = self.known.lock();
        if known.len() >= KNOWN && !known.contains_key(agent) {
            known.clear();
        }
        match known.get(agent).and_then(held) {
            Some(kept) => kept,
            None => {
                known.insert(agent.clone(), Held { model: model.to_owned(), vectors: Arc::clone(&read) });
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
