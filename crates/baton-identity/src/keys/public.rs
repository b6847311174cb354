//! Public keys as JSON Web Keys.

use crate::jws;
use baton_types::Json;
use ring::{digest, signature};
use serde::Deserialize;
use std::fmt;

/// Signature algorithm of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CardAlgorithm {
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// Ed25519.
    EdDsa,
}

impl CardAlgorithm {
    /// Name in headers and keys.
    pub fn name(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
        }
    }

    /// The algorithm with this name. Others, such as `none`, are not supported.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Es256, Self::EdDsa].into_iter().find(|algorithm| algorithm.name() == name)
    }
}

impl fmt::Display for CardAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Error in a key set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeySetError {
    /// The document is neither a JWK nor a JWK set.
    #[error("not a JSON Web Key or a set of them: {0}")]
    Unreadable(String),
    /// The set has too many keys.
    #[error("a set of {0} keys; at most {MAX_KEYS} are read")]
    TooMany(usize),
    /// No key of the set has a supported algorithm.
    #[error("no key of the set is for ES256 or EdDSA signatures")]
    NoneUsable,
}

const MAX_KEYS: usize = 64;
const COORDINATE_LEN: usize = 32;
/// Tag byte of an uncompressed point.
const UNCOMPRESSED_POINT_TAG: u8 = 4;

/// A verification key. It fits exactly one algorithm, so a header cannot choose another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublicKey {
    pub(crate) algorithm: CardAlgorithm,
    /// The uncompressed point, or the 32 bytes of an Ed25519 key.
    bytes: Vec<u8>,
}

/// The used members of a JSON Web Key.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Jwk {
    kty: String,
    crv: String,
    x: String,
    y: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    key_ops: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
struct JwkSet {
    keys: Vec<Json>,
}

impl PublicKey {
    pub(crate) fn new(algorithm: CardAlgorithm, bytes: &[u8]) -> Self {
        Self { algorithm, bytes: bytes.to_vec() }
    }

    /// Usable keys of a set, or a single key, with their ids.
    pub(crate) fn read_set(set: &Json) -> Result<Vec<(Option<String>, Self)>, KeySetError> {
        let keys = match set.read::<JwkSet>() {
            Ok(set) => set.keys,
            Err(_) if set.read::<Jwk>().is_ok_and(|key| !key.kty.is_empty()) => vec![set.clone()],
            Err(error) => return Err(KeySetError::Unreadable(error.to_string())),
        };
        if keys.len() > MAX_KEYS {
            return Err(KeySetError::TooMany(keys.len()));
        }
        // Sets may contain keys for other purposes; those are skipped.
        let known: Vec<_> = keys.iter().filter_map(|key| Self::from_jwk(key.read().ok()?)).collect();
        if known.is_empty() { Err(KeySetError::NoneUsable) } else { Ok(known) }
    }

    fn from_jwk(jwk: Jwk) -> Option<(Option<String>, Self)> {
        let coordinate = |text: &str| jws::decode(text).filter(|bytes| bytes.len() == COORDINATE_LEN);
        let key = match (jwk.kty.as_str(), jwk.crv.as_str()) {
            ("EC", "P-256") => {
                let point = [vec![UNCOMPRESSED_POINT_TAG], coordinate(&jwk.x)?, coordinate(&jwk.y)?].concat();
                Self { algorithm: CardAlgorithm::Es256, bytes: point }
            }
            ("OKP", "Ed25519") => Self { algorithm: CardAlgorithm::EdDsa, bytes: coordinate(&jwk.x)? },
            _ => return None,
        };
        let for_it = jwk.alg.is_none_or(|alg| alg == key.algorithm.name())
            && jwk.purpose.is_none_or(|purpose| purpose == "sig")
            && jwk.key_ops.is_none_or(|ops| ops.iter().any(|op| op == "verify"));
        for_it.then_some((jwk.kid, key))
    }

    /// Required members in canonical order, as RFC 7638 digests them.
    fn members(&self) -> String {
        match self.algorithm {
            CardAlgorithm::Es256 => {
                let (x, y) = self.bytes.get(1..).unwrap_or_default().split_at(COORDINATE_LEN.min(self.bytes.len() - 1));
                format!(r#""crv":"P-256","kty":"EC","x":"{}","y":"{}""#, jws::encode(x), jws::encode(y))
            }
            CardAlgorithm::EdDsa => format!(r#""crv":"Ed25519","kty":"OKP","x":"{}""#, jws::encode(&self.bytes)),
        }
    }

    /// RFC 7638 thumbprint, used as the key id.
    pub(crate) fn thumbprint(&self) -> String {
        let members = format!("{{{}}}", self.members());
        jws::encode(digest::digest(&digest::SHA256, members.as_bytes()).as_ref())
    }

    /// The public key as JSON.
    pub(crate) fn jwk(&self) -> String {
        let (alg, kid) = (self.algorithm.name(), self.thumbprint());
        format!(r#"{{"alg":"{alg}",{},"kid":"{kid}","use":"sig"}}"#, self.members())
    }

    /// Whether the signature of the message was made with this key.
    pub(crate) fn verifies(&self, message: &[u8], signed: &[u8]) -> bool {
        let algorithm: &dyn signature::VerificationAlgorithm = match self.algorithm {
            CardAlgorithm::Es256 => &signature::ECDSA_P256_SHA256_FIXED,
            CardAlgorithm::EdDsa => &signature::ED25519,
        };
        signature::UnparsedPublicKey::new(algorithm, &self.bytes).verify(message, signed).is_ok()
    }
}
