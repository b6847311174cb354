//! Selects the parts of an agent's knowledge relevant to a request, by term matching or by embeddings.

mod texts;
mod vectors;

pub(crate) use texts::{DefinitionTextCache, DefinitionTexts};
pub(crate) use vectors::Vectors;

use crate::Engine;
use baton_ports::{BoxFuture, Embedder, EmbeddingCache, SearchText, TextSearch};
use baton_relevance::{RelevanceEntry, SelectedEntry, find, pieces};
use baton_types::{AgentName, ContextItem, ItemKind, RelevanceLimits, Thousandths, ToolSpec};
use std::sync::{Arc, OnceLock};

/// Relevance search with its caches.
#[derive(Default)]
pub(crate) struct Relevance {
    pub(crate) texts: DefinitionTextCache,
    /// Embedding search, if an embedder is configured; otherwise terms are matched.
    vectors: OnceLock<Vectors>,
}

/// An item that can be selected.
pub(crate) enum RelevanceCandidate<'a> {
    /// A rule or reference.
    Item(ItemKind, &'a ContextItem),
    /// A tool.
    Tool(&'a ToolSpec),
}

impl RelevanceCandidate<'_> {
    pub(crate) fn kind(&self) -> ItemKind {
        match self {
            Self::Item(kind, _) => *kind,
            Self::Tool(_) => ItemKind::Tool,
        }
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Item(_, item) => &item.name,
            Self::Tool(tool) => &tool.name,
        }
    }

    fn text(&self) -> SearchText<'_> {
        match self {
            Self::Item(_, item) => SearchText { name: &item.name, description: &item.description, text: &item.text },
            Self::Tool(tool) => SearchText { name: &tool.name, description: &tool.description, text: "" },
        }
    }
}

/// Term index of a text.
fn entry(text: SearchText<'_>) -> RelevanceEntry {
    RelevanceEntry::new(text.name, text.description, text.text)
}

/// Splits a text into pieces to embed.
fn in_pieces(text: SearchText<'_>) -> Vec<String> {
    pieces(text.name, text.description, text.text)
}

impl Relevance {
    /// Embedding search, if configured.
    pub(crate) fn vectors(&self) -> Option<&Vectors> {
        self.vectors.get()
    }

    /// Selects candidates by term matching.
    pub(crate) fn by_words(
        texts: &DefinitionTexts,
        question: &str,
        candidates: &[RelevanceCandidate<'_>],
        limits: RelevanceLimits,
    ) -> Vec<SelectedEntry> {
        let entries: Vec<Arc<RelevanceEntry>> = candidates.iter().map(|candidate| texts.entry(candidate)).collect();
        find(question, &entries.iter().map(|entry| &**entry).collect::<Vec<_>>(), limits)
    }

    /// Selects candidates by embeddings; the error is a readable message.
    pub(crate) async fn by_vectors(
        vectors: &Vectors,
        agent: &AgentName,
        question: &str,
        candidates: &[RelevanceCandidate<'_>],
        limits: RelevanceLimits,
    ) -> Result<Vec<SelectedEntry>, String> {
        let pieces: Vec<_> = candidates.iter().map(|candidate| in_pieces(candidate.text())).collect();
        vectors.choose(agent, question, &pieces, limits).await
    }
}

impl Engine {
    /// Enables selection by embeddings instead of terms; a second call has no effect. Embeddings are cached, so that
    /// each text is embedded once.
    #[must_use]
    pub fn with_embedder(self, embedder: Arc<dyn Embedder>, cache: Arc<dyn EmbeddingCache>) -> Self {
        let _ = self.inner.relevance.vectors.set(Vectors::new(embedder, cache));
        self
    }
}

impl TextSearch for Engine {
    fn search<'a>(
        &'a self,
        agent: &'a AgentName,
        question: &'a str,
        texts: &'a [SearchText<'a>],
        limits: RelevanceLimits,
    ) -> BoxFuture<'a, Result<Vec<(usize, Thousandths)>, String>> {
        Box::pin(async move {
            let chosen = match self.inner.relevance.vectors() {
                Some(vectors) => {
                    let all: Vec<_> = texts.iter().copied().map(in_pieces).collect();
                    vectors.choose(agent, question, &all, limits).await?
                }
                None => {
                    let entries: Vec<RelevanceEntry> = texts.iter().copied().map(entry).collect();
                    find(question, &entries.iter().collect::<Vec<_>>(), limits)
                }
            };
            Ok(chosen.into_iter().map(|chosen| (chosen.entry, chosen.score)).collect())
        })
    }
}
