//! Term indexes of rules and references, built once per definition.

use super::{RelevanceCandidate, entry};
use baton_relevance::RelevanceEntry;
use baton_types::{AgentSpec, Digest, InclusionMode, ItemKind};
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc};

/// Maximum cached definitions; the cache is cleared when full.
const MAX_CACHED_DEFINITIONS: usize = 128;

/// Cache of term indexes by definition digest.
#[derive(Default)]
pub(crate) struct DefinitionTextCache {
    cache: Mutex<HashMap<Digest, Arc<DefinitionTexts>>>,
}

/// Term indexes of the selectable rules and references of one definition.
#[derive(Default)]
pub(crate) struct DefinitionTexts {
    items: HashMap<(ItemKind, String), Arc<RelevanceEntry>>,
}

impl DefinitionTextCache {
    /// Term indexes of a definition, by the digest pinned by the run.
    pub(crate) fn get_or_build(&self, spec: &AgentSpec, digest: &Digest) -> Arc<DefinitionTexts> {
        if let Some(texts) = self.cache.lock().get(digest) {
            return Arc::clone(texts);
        }
        let texts = Arc::new(DefinitionTexts::read(spec));
        let mut cache = self.cache.lock();
        if cache.len() >= MAX_CACHED_DEFINITIONS {
            cache.clear();
        }
        cache.insert(digest.clone(), Arc::clone(&texts));
        texts
    }
}

impl DefinitionTexts {
    fn read(spec: &AgentSpec) -> Self {
        let kinds = [ItemKind::Rule, ItemKind::Reference];
        let items = kinds.into_iter().flat_map(|kind| spec.knowledge.items(kind).iter().map(move |item| (kind, item)));
        let items = items.filter(|(_, item)| item.include == InclusionMode::Agent).map(|(kind, item)| {
            ((kind, item.name.clone()), Arc::new(entry(RelevanceCandidate::Item(kind, item).text())))
        });
        Self { items: items.collect() }
    }

    /// Term index of a candidate. Tools are not cached: their texts are short and change with their servers.
    pub(super) fn entry(&self, candidate: &RelevanceCandidate<'_>) -> Arc<RelevanceEntry> {
        let cached = match candidate {
            RelevanceCandidate::Tool(_) => None,
            RelevanceCandidate::Item(kind, item) => self.items.get(&(*kind, item.name.clone())),
        };
        cached.map_or_else(|| Arc::new(entry(candidate.text())), Arc::clone)
    }
}
