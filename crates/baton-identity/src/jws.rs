//! Detached JSON Web Signatures: base64url, protected headers, and what is signed.

use crate::keys::CardAlgorithm;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Deserializer, Serialize, de::IgnoredAny};

/// Base64url without padding, as every part of a JWS is written.
pub(crate) fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The bytes of base64url; there is one spelling of every value.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

/// The bytes that a signature is made over.
pub(crate) fn signing_input(protected: &str, payload: &[u8]) -> String {
    format!("{protected}.{}", encode(payload))
}

/// A protected header of ours, encoded.
pub(crate) fn protected(algorithm: CardAlgorithm, kid: &str, jku: &str) -> Result<String, String> {
    #[derive(Serialize)]
    struct Written<'a> {
        alg: &'a str,
        kid: &'a str,
        typ: &'a str,
        jku: &'a str,
    }
    let header = Written { alg: algorithm.name(), kid, typ: "JOSE", jku };
    serde_json::to_vec(&header).map(|bytes| encode(&bytes)).map_err(|error| error.to_string())
}

/// What a signature says of itself; true only if the signature holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureHeader {
    /// What it was made with.
    pub alg: String,
    /// Which key it was made with.
    pub kid: String,
    /// Where its maker publishes that key; to be asked only if that place is trusted already.
    pub jku: Option<String>,
}

impl SignatureHeader {
    /// Reads a protected header; one that asks for more than is understood here is refused.
    pub(crate) fn read(protected: &str) -> Result<Self, &'static str> {
        #[derive(Deserialize)]
        struct Read {
            alg: String,
            kid: Option<String>,
            jku: Option<String>,
            #[serde(default, deserialize_with = "is_there")]
            crit: bool,
            b64: Option<bool>,
        }
        let bytes = decode(protected).ok_or("its header is not base64url")?;
        // Derived readers would take a list of values as well.
        if !bytes.trim_ascii_start().starts_with(b"{") {
            return Err("its header is no object");
        }
        let header: Read = serde_json::from_slice(&bytes).map_err(|_| "its header cannot be read")?;
        if header.crit {
            return Err("its header demands extensions ('crit')");
        }
        if header.b64 == Some(false) {
            return Err("its payload is not encoded ('b64')");
        }
        let kid = header.kid.ok_or("its header names no key ('kid')")?;
        Ok(Self { alg: header.alg, kid, jku: header.jku })
    }
}

/// Whatever it is.
fn is_there<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| true)
}
