//! A signer with arbitrary headers.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use baton_identity::TrustedKeys;
use baton_types::Json;
use baton_wire::a2a::v1::AgentCardSignature;
use ring::{
    rand::SystemRandom,
    signature::{Ed25519KeyPair, KeyPair as _},
};
use serde_json::{Value, json};

pub(crate) struct Forger(Ed25519KeyPair);

impl Forger {
    pub(crate) fn new() -> Self {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self(Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap())
    }

    pub(crate) fn sign(&self, header: &Value, payload: &str) -> AgentCardSignature {
        let protected = URL_SAFE_NO_PAD.encode(header.to_string());
        let input = format!("{protected}.{}", URL_SAFE_NO_PAD.encode(payload));
        let signature = URL_SAFE_NO_PAD.encode(self.0.sign(input.as_bytes()));
        AgentCardSignature { protected, signature, header: None }
    }

    /// An allowlist with this key only.
    pub(crate) fn trusted(&self, kid: &str) -> TrustedKeys {
        let x = URL_SAFE_NO_PAD.encode(self.0.public_key());
        let key = json!({"kty": "OKP", "crv": "Ed25519", "x": x, "kid": kid});
        TrustedKeys::from_jwks(&Json::from(key)).unwrap()
    }
}
