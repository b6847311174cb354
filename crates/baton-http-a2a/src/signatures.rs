//! Signatures of served cards, computed once per card.

use crate::cards::CardDocument;
use baton_ports::CardSigner;
use baton_types::Digest;
use baton_wire::a2a::v1::AgentCardSignature;
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

/// Maximum cached cards: a few per agent, one for each format and host name.
const MAX_CACHED_CARDS: usize = 1024;

/// Path of the published keys.
pub(crate) const KEYS_PATH: &str = "/.well-known/jwks.json";

/// Signs cards and caches the signatures.
pub(crate) struct Signatures {
    signer: Option<Arc<dyn CardSigner>>,
    cache: Mutex<CardSignatureCache>,
}

#[derive(Default)]
struct CardSignatureCache {
    by_card: HashMap<Digest, Arc<[AgentCardSignature]>>,
    /// Oldest first.
    order: VecDeque<Digest>,
}

impl Signatures {
    pub(crate) fn new(signer: Option<Arc<dyn CardSigner>>) -> Self {
        Self { signer, cache: Mutex::default() }
    }

    /// Signs a card served at `base`; without keys it stays unsigned.
    pub(crate) fn sign(&self, card: &mut CardDocument, base: &str) {
        let Some(signer) = &self.signer else { return };
        match self.signatures(signer.as_ref(), card, &format!("{base}{KEYS_PATH}")) {
            Ok(signatures) => card.set_signatures(signatures.to_vec()),
            // Clients that require signatures reject the card; others can still use it.
            Err(reason) => tracing::error!(%reason, "a card could not be signed and is shown without signatures"),
        }
    }

    /// ETag of a card version and format. Signatures are excluded, because they are random; the keys are included.
    pub(crate) fn tag(&self, card: &CardDocument) -> String {
        let mut bytes = serde_json::to_vec(card).unwrap_or_default();
        bytes.extend_from_slice(env!("CARGO_PKG_VERSION").as_bytes());
        bytes.extend(self.signer.iter().flat_map(|signer| signer.keys().as_str().as_bytes().to_vec()));
        let digest = Digest::compute(&bytes);
        let tag = &digest.as_str()[..32];
        // After a restart the same tag can stand for other random bytes, so it is weak.
        if self.signer.is_some() { format!("W/\"{tag}\"") } else { format!("\"{tag}\"") }
    }

    fn signatures(
        &self,
        signer: &dyn CardSigner,
        card: &CardDocument,
        jku: &str,
    ) -> Result<Arc<[AgentCardSignature]>, String> {
        let mut bytes = serde_json::to_vec(card).map_err(|error| error.to_string())?;
        bytes.extend_from_slice(jku.as_bytes());
        let digest = Digest::compute(&bytes);
        if let Some(known) = self.lock_cache().by_card.get(&digest) {
            return Ok(Arc::clone(known));
        }
        let mut signatures = Vec::new();
        for payload in card.payloads().map_err(|error| error.to_string())? {
            let new_signatures = signer.sign(payload.as_bytes(), jku)?.into_iter();
            signatures.extend(new_signatures.map(|one| AgentCardSignature {
                protected: one.protected,
                signature: one.signature,
                header: None,
            }));
        }
        Ok(self.cache_signatures(digest, signatures.into()))
    }

    /// Caches the signatures and returns the cached ones: two concurrent requests get the same signatures.
    fn cache_signatures(&self, digest: Digest, signatures: Arc<[AgentCardSignature]>) -> Arc<[AgentCardSignature]> {
        let mut cache = self.lock_cache();
        if let Some(known) = cache.by_card.get(&digest) {
            return Arc::clone(known);
        }
        if cache.order.len() >= MAX_CACHED_CARDS
            && let Some(oldest) = cache.order.pop_front()
        {
            cache.by_card.remove(&oldest);
        }
        cache.order.push_back(digest.clone());
        cache.by_card.insert(digest, Arc::clone(&signatures));
        signatures
    }

    fn lock_cache(&self) -> std::sync::MutexGuard<'_, CardSignatureCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
