//! Detached JSON Web Signatures: base64url, protected headers and signing input.

use crate::keys::CardAlgorithm;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Deserializer, Serialize, de::IgnoredAny};

/// Encodes base64url without padding, as in every part of a JWS.
pub(crate) fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Decodes base64url; every value has exactly one encoding.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

/// Signing input of a signature.
pub(crate) fn signing_input(protected: &str, payload: &[u8]) -> String {
    format!("{protected}.{}", encode(payload))
}

/// Encodes a protected header for a new signature.
pub(crate) fn protected(algorithm: CardAlgorithm, kid: &str, jku: &str) -> Result<String, String> {
    #[derive(Serialize)]
    struct JwsProtectedHeader<'a> {
        alg: &'a str,
        kid: &'a str,
        typ: &'a str,
        jku: &'a str,
    }
    let header = JwsProtectedHeader { alg: algorithm.name(), kid, typ: "JOSE", jku };
    serde_json::to_vec(&header).map(|bytes| encode(&bytes)).map_err(|error| error.to_string())
}

/// Protected header of a signature; untrusted until the signature is verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureHeader {
    /// Algorithm.
    pub alg: String,
    /// Key id.
    pub kid: String,
    /// URL of the published key; only to be fetched if that URL is already trusted.
    pub jku: Option<String>,
}

impl SignatureHeader {
    /// Parses a protected header; rejects one with unsupported requirements.
    pub(crate) fn read(protected: &str) -> Result<Self, &'static str> {
        #[derive(Deserialize)]
        struct JwsHeaderFields {
            alg: String,
            kid: Option<String>,
            jku: Option<String>,
            #[serde(default, deserialize_with = "is_there")]
            crit: bool,
            b64: Option<bool>,
        }
        let bytes = decode(protected).ok_or("its header is not base64url")?;
        // A derived deserializer would also accept an array.
        if !bytes.trim_ascii_start().starts_with(b"{") {
            return Err("its header is not an object");
        }
        let header: JwsHeaderFields = serde_json::from_slice(&bytes).map_err(|_| "its header cannot be read")?;
        if header.crit {
            return Err("its header requires extensions ('crit')");
        }
        if header.b64 == Some(false) {
            return Err("its payload is not encoded ('b64')");
        }
        let kid = header.kid.ok_or("its header names no key ('kid')")?;
        Ok(Self { alg: header.alg, kid, jku: header.jku })
    }
}

/// True for any present value.
fn is_there<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| true)
}
