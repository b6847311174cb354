//! Signing keys of this server.

use super::{
    CardAlgorithm, KeyFileError, PublicKey,
    files::{self, load_or_create},
};
use crate::jws;
use baton_ports::{CardSignature, CardSigner};
use baton_types::Json;
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _},
};
use std::{fmt, path::Path};

const ES256_FILE: &str = "es256.pk8";
const ED25519_FILE: &str = "ed25519.pk8";

/// An ES256 and an Ed25519 key, so that clients that support only one of the two can verify cards.
pub struct SigningKeys {
    es256: EcdsaKeyPair,
    ed25519: Ed25519KeyPair,
    random: SystemRandom,
    /// In signing order.
    public: [PublicKey; 2],
}

impl SigningKeys {
    /// Loads the keys of a directory and creates missing ones, which are persistent.
    pub fn open(directory: &Path) -> Result<Self, KeyFileError> {
        files::create_directory(directory)?;
        let random = SystemRandom::new();
        let es256_file = directory.join(ES256_FILE);
        let bytes = load_or_create(&es256_file, |random| {
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, random)
        })?;
        let es256 = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &bytes, &random)
            .map_err(|error| unusable(&es256_file, "P-256", &error))?;
        let ed25519_file = directory.join(ED25519_FILE);
        let bytes = load_or_create(&ed25519_file, |random| Ed25519KeyPair::generate_pkcs8(random))?;
        // Other tools write Ed25519 keys without the public half; it is derived from the private one.
        let ed25519 = Ed25519KeyPair::from_pkcs8_maybe_unchecked(&bytes)
            .map_err(|error| unusable(&ed25519_file, "Ed25519", &error))?;
        let public = [
            PublicKey::new(CardAlgorithm::Es256, es256.public_key().as_ref()),
            PublicKey::new(CardAlgorithm::EdDsa, ed25519.public_key().as_ref()),
        ];
        Ok(Self { es256, ed25519, random, public })
    }

    /// Key ids in signing order: RFC 7638 thumbprints.
    pub fn thumbprints(&self) -> [String; 2] {
        [self.public[0].thumbprint(), self.public[1].thumbprint()]
    }
}

fn unusable(path: &Path, kind: &'static str, error: &ring::error::KeyRejected) -> KeyFileError {
    KeyFileError::Unusable { path: path.to_owned(), kind, reason: error.to_string() }
}

impl CardSigner for SigningKeys {
    fn sign(&self, payload: &[u8], jku: &str) -> Result<Vec<CardSignature>, String> {
        let signature = |key: &PublicKey| {
            let protected = jws::protected(key.algorithm, &key.thumbprint(), jku)?;
            let input = jws::signing_input(&protected, payload);
            let signature = match key.algorithm {
                CardAlgorithm::Es256 => {
                    let signed = self.es256.sign(&self.random, input.as_bytes());
                    jws::encode(signed.map_err(|_| "the system provides no random bytes".to_owned())?.as_ref())
                }
                CardAlgorithm::EdDsa => jws::encode(self.ed25519.sign(input.as_bytes()).as_ref()),
            };
            Ok(CardSignature { protected, signature })
        };
        self.public.iter().map(signature).collect()
    }

    fn keys(&self) -> Json {
        let keys = self.public.each_ref().map(PublicKey::jwk).join(",");
        // The set consists of base64url and names, so it is always valid JSON.
        Json::parse(&format!(r#"{{"keys":[{keys}]}}"#)).unwrap_or_else(|_| Json::string(""))
    }
}

impl fmt::Debug for SigningKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SigningKeys").field(&self.thumbprints()).finish()
    }
}
