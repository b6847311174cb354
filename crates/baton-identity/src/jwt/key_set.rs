//! Key set of an issuer.

use super::{
    compact::CompactJwt,
    key::{PublicKey, PublishedKey},
};
use serde::Deserialize;

/// Maximum keys in a set.
const MAX_KEYS: usize = 64;

/// The usable published keys of an issuer.
pub(crate) struct KeySet {
    keys: Vec<PublicKey>,
}

#[derive(Deserialize)]
struct PublishedKeys {
    keys: Vec<serde_json::Value>,
}

impl KeySet {
    /// Parses a JWK set; unusable keys are skipped.
    pub(crate) fn parse(document: &[u8]) -> Result<Self, String> {
        let published: PublishedKeys =
            serde_json::from_slice(document).map_err(|error| format!("the key set cannot be read: {error}"))?;
        if published.keys.len() > MAX_KEYS {
            return Err(format!("the key set has {} keys; at most {MAX_KEYS} are accepted", published.keys.len()));
        }
        let usable = |key| PublishedKey::deserialize(key).ok().and_then(PublicKey::from_published);
        Ok(Self { keys: published.keys.into_iter().filter_map(usable).collect() })
    }

    /// Whether the set contains the key that the token names or, if it names none, a key that verifies it.
    pub(crate) fn has_key_for(&self, token: &CompactJwt<'_>) -> bool {
        match token.key_id() {
            Some(id) => self.keys.iter().any(|key| key.id.as_deref() == Some(id)),
            None => self.verifies(token),
        }
    }

    /// Whether a key of this set verifies the token: the key that it names, or any key if it names none.
    pub(crate) fn verifies(&self, token: &CompactJwt<'_>) -> bool {
        let named = |key: &&PublicKey| token.key_id().is_none_or(|id| key.id.as_deref() == Some(id));
        let mut candidates = self.keys.iter().filter(named);
        candidates.any(|key| key.verifies(token.algorithm, token.message.as_bytes(), &token.signature))
    }
}
