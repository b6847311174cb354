//! One public key of an issuer.

use super::algorithm::{Algorithm, Method};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use ring::signature::{RsaPublicKeyComponents, UnparsedPublicKey};
use serde::Deserialize;

/// A key as published (RFC 7517), with the members that matter here.
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

/// A key that can check signatures.
pub(super) struct PublicKey {
    pub(super) id: Option<String>,
    /// The one algorithm that the issuer uses it with, when it says so.
    only: Option<Algorithm>,
    material: Material,
}

enum Material {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

impl PublicKey {
    /// The key, or `None` when it is for something else or of a kind that is not accepted: sets may hold such keys, and
    /// those who cannot use one pass it over.
    pub(super) fn of(published: PublishedKey) -> Option<Self> {
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
        let material = Material::of(&published)?;
        Some(Self { id: published.kid, only, material })
    }

    /// Whether signatures of this algorithm can be checked with it: the kind of the key decides, never the token alone.
    pub(super) fn fits(&self, algorithm: Algorithm) -> bool {
        let kind = matches!(
            (&self.material, algorithm.method()),
            (Material::Rsa { .. }, Method::Rsa(_))
                | (Material::P256(_), Method::P256(_))
                | (Material::P384(_), Method::P384(_))
                | (Material::Ed25519(_), Method::Ed25519(_))
        );
        kind && self.only.is_none_or(|only| only == algorithm)
    }

    /// Whether the signature is this key's over the message.
    pub(super) fn verifies(&self, algorithm: Algorithm, message: &[u8], signature: &[u8]) -> bool {
        if !self.fits(algorithm) {
            return false;
        }
        let verified = match (&self.material, algorithm.method()) {
            (Material::Rsa { n, e }, Method::Rsa(parameters)) => {
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
            }
            (Material::P256(point), Method::P256(curve)) | (Material::P384(point), Method::P384(curve)) => {
                UnparsedPublicKey::new(curve, point).verify(message, signature)
            }
            (Material::Ed25519(point), Method::Ed25519(curve)) => {
                UnparsedPublicKey::new(curve, point).verify(message, signature)
            }
            _ => return false,
        };
        verified.is_ok()
    }
}

impl Material {
    fn of(published: &PublishedKey) -> Option<Self> {
        match (published.kty.as_str(), published.crv.as_deref()) {
            ("RSA", _) => {
                // The algorithms themselves refuse a modulus below 2048 bits.
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

/// A number without leading zeros, which some issuers write.
fn number(text: &str) -> Option<Vec<u8>> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
    let start = bytes.iter().position(|byte| *byte != 0)?;
    Some(bytes[start..].to_vec())
}
