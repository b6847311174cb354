//! Signatures of the cards that are served, made once for each card.

use crate::cards::CardDocument;
use baton_ports::CardSigner;
use baton_types::Digest;
use baton_wire::a2a::v1::AgentCardSignature;
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

/// Cards whose signatures are remembered: a few for each agent, one for each form and each name that this Baton is called by.
const REMEMBERED: usize = 1024;

/// Where the keys are published, below the address of this Baton.
pub(crate) const KEYS_PATH: &str = "/.well-known/jwks.json";

/// Signs cards and remembers the signatures, so that a card that was served before costs a look-up.
pub(crate) struct Signatures {
    signer: Option<Arc<dyn CardSigner>>,
    made: Mutex<Made>,
}

#[derive(Default)]
struct Made {
    by_card: HashMap<Digest, Arc<[AgentCardSignature]>>,
    /// Oldest first.
    order: VecDeque<Digest>,
}

impl Signatures {
    pub(crate) fn new(signer: Option<Arc<dyn CardSigner>>) -> Self {
        Self { signer, made: Mutex::default() }
    }

    /// Signs a card of the Baton at `base`; without keys it stays as it is.
    pub(crate) fn sign(&self, card: &mut CardDocument, base: &str) {
        let Some(signer) = &self.signer else { return };
        match self.signatures(signer.as_ref(), card, &format!("{base}{KEYS_PATH}")) {
            Ok(signatures) => card.set_signatures(signatures.to_vec()),
            // Those who ask for signatures refuse the card; the others should not suffer.
            Err(reason) => tracing::error!(%reason, "a card could not be signed and is shown without signatures"),
        }
    }

    /// What tells versions and forms of a card apart. Signatures do not count, because they are random; the keys do.
    pub(crate) fn tag(&self, card: &CardDocument) -> String {
        let mut told = serde_json::to_vec(card).unwrap_or_default();
        told.extend_from_slice(env!("CARGO_PKG_VERSION").as_bytes());
        told.extend(self.signer.iter().flat_map(|signer| signer.keys().as_str().as_bytes().to_vec()));
        let digest = Digest::of(&told);
        let tag = &digest.as_str()[..32];
        // The same tag may stand for other random bytes after a restart.
        if self.signer.is_some() { format!("W/\"{tag}\"") } else { format!("\"{tag}\"") }
    }

    fn signatures(
        &self,
        signer: &dyn CardSigner,
        card: &CardDocument,
        jku: &str,
    ) -> Result<Arc<[AgentCardSignature]>, String> {
        let mut told = serde_json::to_vec(card).map_err(|error| error.to_string())?;
        told.extend_from_slice(jku.as_bytes());
        let digest = Digest::of(&told);
        if let Some(known) = self.made().by_card.get(&digest) {
            return Ok(Arc::clone(known));
        }
        let mut signatures = Vec::new();
        for payload in card.payloads().map_err(|error| error.to_string())? {
            let made = signer.sign(payload.as_bytes(), jku)?.into_iter();
            signatures.extend(made.map(|one| AgentCardSignature {
                protected: one.protected,
                signature: one.signature,
                header: None,
            }));
        }
        Ok(self.remember(digest, signatures.into()))
    }

    /// The signatures to show: of two requests that signed at once, both show the same.
    fn remember(&self, digest: Digest, signatures: Arc<[AgentCardSignature]>) -> Arc<[AgentCardSignature]> {
        let mut made = self.made();
        if let Some(known) = made.by_card.get(&digest) {
            return Arc::clone(known);
        }
        if made.order.len() >= REMEMBERED
            && let Some(oldest) = made.order.pop_front()
        {
            made.by_card.remove(&oldest);
        }
        made.order.push_back(digest.clone());
        made.by_card.insert(digest, Arc::clone(&signatures));
        signatures
    }

    fn made(&self) -> std::sync::MutexGuard<'_, Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
