//! Trusted keys for card signatures.

use super::{KeySetError, PublicKey};
use baton_types::Json;
use std::collections::BTreeSet;

/// Allow-list of keys, provided by the caller: no card, and no URL in a card, adds to it.
#[derive(Clone, Debug, Default)]
pub struct TrustedKeys {
    /// Keys with the ids from their set.
    keys: Vec<(Option<String>, PublicKey)>,
    thumbprints: BTreeSet<String>,
}

impl TrustedKeys {
    /// Trusts every key of a set from a trusted source, such as an operator's file.
    pub fn from_jwks(set: &Json) -> Result<Self, KeySetError> {
        let mut trusted = Self::default();
        trusted.trust_jwks(set)?;
        Ok(trusted)
    }

    /// Trusts the keys with these RFC 7638 thumbprints, once [`TrustedKeys::admit`] supplies them.
    pub fn from_thumbprints<T: Into<String>>(thumbprints: impl IntoIterator<Item = T>) -> Self {
        Self { keys: Vec::new(), thumbprints: thumbprints.into_iter().map(Into::into).collect() }
    }

    /// Trusts every key of another set, or another single key.
    pub fn trust_jwks(&mut self, set: &Json) -> Result<(), KeySetError> {
        for (id, key) in PublicKey::read_set(set)? {
            self.add(id, key);
        }
        Ok(())
    }

    /// Adds the keys of an untrusted set whose thumbprints are trusted; returns their number.
    pub fn admit(&mut self, set: &Json) -> Result<usize, KeySetError> {
        let mut admitted = 0;
        for (id, key) in PublicKey::read_set(set)? {
            if self.thumbprints.contains(&key.thumbprint()) {
                self.add(id, key);
                admitted += 1;
            }
        }
        Ok(admitted)
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Keys with an id, which is the one from their set or their thumbprint.
    pub(crate) fn find(&self, kid: &str) -> impl Iterator<Item = &PublicKey> {
        let named = move |id: &Option<String>, key: &PublicKey| id.as_deref() == Some(kid) || key.thumbprint() == kid;
        self.keys.iter().filter(move |(id, key)| named(id, key)).map(|(_, key)| key)
    }

    fn add(&mut self, id: Option<String>, key: PublicKey) {
        let one = (id, key);
        if !self.keys.contains(&one) {
            self.keys.push(one);
        }
    }
}
