//! The keys whose signatures are believed.

use super::{BadKeySet, PublicKey};
use baton_types::Json;
use std::collections::BTreeSet;

/// An allow-list of keys, made by whoever asks: no card and no address that a card names adds to it.
#[derive(Clone, Debug, Default)]
pub struct TrustedKeys {
    /// With the id that their set gives them.
    keys: Vec<(Option<String>, PublicKey)>,
    thumbprints: BTreeSet<String>,
}

impl TrustedKeys {
    /// Trusts every key of a set that came from a trusted place, such as a file of the operator's.
    pub fn of_jwks(set: &Json) -> Result<Self, BadKeySet> {
        let mut trusted = Self::default();
        trusted.trust_jwks(set)?;
        Ok(trusted)
    }

    /// Trusts the keys with these RFC 7638 thumbprints, as soon as [`TrustedKeys::admit`] brings them.
    pub fn of_thumbprints<T: Into<String>>(thumbprints: impl IntoIterator<Item = T>) -> Self {
        Self { keys: Vec::new(), thumbprints: thumbprints.into_iter().map(Into::into).collect() }
    }

    /// Trusts every key of one more set, or one more key.
    pub fn trust_jwks(&mut self, set: &Json) -> Result<(), BadKeySet> {
        for (id, key) in PublicKey::read_set(set)? {
            self.add(id, key);
        }
        Ok(())
    }

    /// Takes from a set that anybody may have written those keys whose thumbprints are trusted, and says how many.
    pub fn admit(&mut self, set: &Json) -> Result<usize, BadKeySet> {
        let mut admitted = 0;
        for (id, key) in PublicKey::read_set(set)? {
            if self.thumbprints.contains(&key.thumbprint()) {
                self.add(id, key);
                admitted += 1;
            }
        }
        Ok(admitted)
    }

    /// Whether no key can be found here.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys of an id, which is what their set says or their thumbprint.
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
