//! Term indexes of rules and references, built once per definition.

use super::{Candidate, entry};
use baton_relevance::Entry;
use baton_types::{AgentSpec, Digest, Include, ItemKind};
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc};

/// Maximum cached definitions; the cache is cleared when full.
const KNOWN: usize = 128;

/// Cache of term indexes by definition digest.
#[derive(Default)]
pub(crate) struct Texts {
    known: Mutex<HashMap<Digest, Arc<TextsOf>>>,
}

/// Term indexes of the selectable rules and references of one definition.
#[derive(Default)]
pub(crate) struct TextsOf {
    items: HashMap<(ItemKind, String), Arc<Entry>>,
}

impl Texts {
    /// Term indexes of a definition, by the digest pinned by the run.
    pub(crate) fn of(&self, spec: &AgentSpec, digest: &Digest) -> Arc<TextsOf> {
        if let Some(texts) = self.known.lock().get(digest) {
            return Arc::clone(texts);
        }
        let texts = Arc::new(TextsOf::read(spec));
        let mut known = self.known.lock();
        if known.len() >= KNOWN {
            known.clear();
        }
        known.insert(digest.clone(), Arc::clone(&texts));
        texts
    }
}

impl TextsOf {
    fn read(spec: &AgentSpec) -> Self {
        let kinds = [ItemKind::Rule, ItemKind::Reference];
        let items = kinds.into_iter().flat_map(|kind| spec.knowledge.items(kind).iter().map(move |item| (kind, item)));
        let items = items
            .filter(|(_, item)| item.include == Include::Agent)
            .map(|(kind, item)| ((kind, item.name.clone()), Arc::new(entry(Candidate::Item(kind, item).text()))));
        Self { items: items.collect() }
    }

    /// Term index of a candidate. Tools are not cached: their texts are short and change with their servers.
    pub(super) fn entry(&self, candidate: &Candidate<'_>) -> Arc<Entry> {
        let known = match candidate {
            Candidate::Tool(_) => None,
            Candidate::Item(kind, item) => self.items.get(&(*kind, item.name.clone())),
        };
        known.map_or_else(|| Arc::new(entry(candidate.text())), Arc::clone)
    }
}
