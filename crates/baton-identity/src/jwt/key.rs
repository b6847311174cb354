//! Public key of an issuer.

use super::algorithm::{Algorithm, VerificationMethod};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use ring::signature::{RsaPublicKeyComponents, UnparsedPublicKey};
use serde::Deserialize;

/// A published key (RFC 7517), with the used members only.
#[derive(Deserialize)]
pub(super) struct PublishedKey {
    kty: String,
    kid: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    key_ops: Option<Vec<String>>,
    alg: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

/// A key that can verify signatures.
pub(super) struct PublicKey {
    pub(super) id: Option<String>,
    /// The only algorithm for this key, if the issuer specifies one.
    required_algorithm: Option<Algorithm>,
    material: KeyMaterial,
}

enum KeyMaterial {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

impl PublicKey {
    /// The key, or `None` if its use or type is not supported: sets may contain such keys, and they are skipped.
    pub(super) fn from_published(published: PublishedKey) -> Option<Self> {
        if published.purpose.as_deref().is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        if published.key_ops.as_ref().is_some_and(|deeds| !deeds.iter().any(|deed| deed == "verify")) {
            return None;
        }
        let only = match &published.alg {
            Some(name) => Some(Algorithm::parse(name)?),
            None => None,
        };
        let material = KeyMaterial::from_published(&published)?;
        Some(Self { id: published.kid, required_algorithm: only, material })
    }

    /// Whether the key can verify signatures of this algorithm. The key type decides, never the token alone.
    pub(super) fn fits(&self, algorithm: Algorithm) -> bool {
        let kind = matches!(
            (&self.material, algorithm.method()),
            (KeyMaterial::Rsa { .. }, VerificationMethod::Rsa(_))
                | (KeyMaterial::P256(_), VerificationMethod::P256(_))
                | (KeyMaterial::P384(_), VerificationMethod::P384(_))
                | (KeyMaterial::Ed25519(_), VerificationMethod::Ed25519(_))
        );
        kind && self.required_algorithm.is_none_or(|only| only == algorithm)
    }

    /// Whether the signature of the message was made with this key.
    pub(super) fn verifies(&self, algorithm: Algorithm, message: &[u8], signature: &[u8]) -> bool {
        if !self.fits(algorithm) {
            return false;
        }
        let verified = match (&self.material, algorithm.method()) {
            (KeyMaterial::Rsa { n, e }, VerificationMethod::Rsa(parameters)) => {
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
            }
            (KeyMaterial::P256(point), VerificationMethod::P256(curve))
            | (KeyMaterial::P384(point), VerificationMethod::P384(curve)) => {
                UnparsedPublicKey::new(curve, point).verify(message, signature)
            }
            (KeyMaterial::Ed25519(point), VerificationMethod::Ed25519(curve)) => {
                UnparsedPublicKey::new(curve, point).verify(message, signature)
            }
            _ => return false,
        };
        verified.is_ok()
    }
}

impl KeyMaterial {
    fn from_published(published: &PublishedKey) -> Option<Self> {
        match (published.kty.as_str(), published.crv.as_deref()) {
            ("RSA", _) => {
                // The algorithms reject a modulus below 2048 bits.
                Some(Self::Rsa { n: number(published.n.as_deref()?)?, e: number(published.e.as_deref()?)? })
            }
            ("EC", Some("P-256")) => point(published, 32).map(Self::P256),
            ("EC", Some("P-384")) => point(published, 48).map(Self::P384),
            ("OKP", Some("Ed25519")) => bytes(published.x.as_deref()?, 32).map(Self::Ed25519),
            _ => None,
        }
    }
}

/// An uncompressed point from its coordinates.
fn point(published: &PublishedKey, size: usize) -> Option<Vec<u8>> {
    let (x, y) = (bytes(published.x.as_deref()?, size)?, bytes(published.y.as_deref()?, size)?);
    Some([&[4], x.as_slice(), y.as_slice()].concat())
}

fn bytes(text: &str, size: usize) -> Option<Vec<u8>> {
    BASE64_URL_SAFE_NO_PAD.decode(text).ok().filter(|bytes| bytes.len() == size)
}

/// An integer without the leading zeros that some issuers add.
fn number(text: &str) -> Option<Vec<u8>> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
    let start = bytes.iter().position(|byte| *byte != 0)?;
    Some(bytes[start..].to_vec())
}
