//! Keys that sign tokens like an issuer.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use ring::{
    rand::SystemRandom,
    rsa,
    signature::{self, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RsaKeyPair},
};
use serde_json::{Value, json};

/// RSA keys cannot be generated at run time; this one signs in tests only.
const RSA: &[u8] = include_bytes!("../fixtures/rsa-2048.pk8");

pub(crate) struct Signer {
    pub(crate) id: &'static str,
    key: Key,
}

enum Key {
    Rsa(Box<RsaKeyPair>),
    P256(EcdsaKeyPair),
    P384(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

pub(crate) fn base64(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

impl Signer {
    pub(crate) fn rsa(id: &'static str) -> Self {
        Self { id, key: Key::Rsa(Box::new(RsaKeyPair::from_pkcs8(RSA).unwrap())) }
    }

    pub(crate) fn p256(id: &'static str) -> Self {
        Self { id, key: Key::P256(ecdsa(&signature::ECDSA_P256_SHA256_FIXED_SIGNING)) }
    }

    pub(crate) fn p384(id: &'static str) -> Self {
        Self { id, key: Key::P384(ecdsa(&signature::ECDSA_P384_SHA384_FIXED_SIGNING)) }
    }

    pub(crate) fn ed25519(id: &'static str) -> Self {
        let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self { id, key: Key::Ed25519(Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).unwrap()) }
    }

    /// The public key bytes.
    pub(crate) fn public(&self) -> Vec<u8> {
        match &self.key {
            Key::Rsa(key) => key.public_key().as_ref().to_vec(),
            Key::P256(key) | Key::P384(key) => key.public_key().as_ref().to_vec(),
            Key::Ed25519(key) => key.public_key().as_ref().to_vec(),
        }
    }

    /// The public key as a JWK, with the members of `more`.
    pub(crate) fn public_jwk(&self, more: &Value) -> Value {
        let point = self.public();
        let mut key = match &self.key {
            Key::Rsa(key) => {
                let parts: rsa::PublicKeyComponents<Vec<u8>> = key.public().into();
                json!({"kty": "RSA", "n": base64(parts.n), "e": base64(parts.e)})
            }
            Key::P256(_) => json!({"kty": "EC", "crv": "P-256", "x": base64(&point[1..33]), "y": base64(&point[33..])}),
            Key::P384(_) => json!({"kty": "EC", "crv": "P-384", "x": base64(&point[1..49]), "y": base64(&point[49..])}),
            Key::Ed25519(_) => json!({"kty": "OKP", "crv": "Ed25519", "x": base64(point)}),
        };
        key["kid"] = self.id.into();
        for (name, value) in more.as_object().into_iter().flatten() {
            key[name] = value.clone();
        }
        key
    }

    /// A token with this header and these claims, as text; `algorithm` selects the signature.
    pub(crate) fn sign_raw(&self, algorithm: &str, header: &str, claims: &str) -> String {
        let message = format!("{}.{}", base64(header), base64(claims));
        let random = SystemRandom::new();
        let bytes = message.as_bytes();
        let signature = match &self.key {
            Key::P256(key) | Key::P384(key) => key.sign(&random, bytes).unwrap().as_ref().to_vec(),
            Key::Ed25519(key) => key.sign(bytes).as_ref().to_vec(),
            Key::Rsa(key) => {
                let padding: &dyn signature::RsaEncoding = match algorithm {
                    "RS256" => &signature::RSA_PKCS1_SHA256,
                    "RS384" => &signature::RSA_PKCS1_SHA384,
                    "RS512" => &signature::RSA_PKCS1_SHA512,
                    "PS256" => &signature::RSA_PSS_SHA256,
                    "PS384" => &signature::RSA_PSS_SHA384,
                    _ => &signature::RSA_PSS_SHA512,
                };
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(padding, &random, bytes, &mut signature).unwrap();
                signature
            }
        };
        format!("{message}.{}", base64(signature))
    }

    /// A token signed with the default algorithm of the key.
    pub(crate) fn sign(&self, claims: &Value) -> String {
        self.sign_as(self.algorithm(), claims)
    }

    pub(crate) fn sign_as(&self, algorithm: &str, claims: &Value) -> String {
        let header = json!({"typ": "JWT", "alg": algorithm, "kid": self.id});
        self.sign_raw(algorithm, &header.to_string(), &claims.to_string())
    }

    pub(crate) fn algorithm(&self) -> &'static str {
        match self.key {
            Key::Rsa(_) => "RS256",
            Key::P256(_) => "ES256",
            Key::P384(_) => "ES384",
            Key::Ed25519(_) => "EdDSA",
        }
    }
}

fn ecdsa(algorithm: &'static signature::EcdsaSigningAlgorithm) -> EcdsaKeyPair {
    let random = SystemRandom::new();
    let pkcs8 = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
    EcdsaKeyPair::from_pkcs8(algorithm, pkcs8.as_ref(), &random).unwrap()
}
