//! A token taken apart; nothing in it can be trusted yet.

use super::{algorithm::Algorithm, claims::Claims};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use baton_ports::Unidentified;
use serde::{Deserialize, Deserializer, de::IgnoredAny};

/// The longest token that is read, in bytes.
pub(crate) const MAX_TOKEN: usize = 16 * 1024;

/// A token of three parts whose header is acceptable.
pub(crate) struct Compact<'a> {
    pub(crate) algorithm: Algorithm,
    key_id: Option<String>,
    /// What was signed.
    pub(crate) message: &'a str,
    pub(crate) signature: Vec<u8>,
    /// What the token says of itself, true only if the signature holds.
    pub(crate) claims: Claims,
}

#[derive(Deserialize)]
struct Header {
    alg: Option<String>,
    kid: Option<String>,
    typ: Option<String>,
    #[serde(default, deserialize_with = "present")]
    crit: bool,
}

impl<'a> Compact<'a> {
    /// Takes a token apart.
    pub(crate) fn parse(token: &'a str) -> Result<Self, Unidentified> {
        if token.len() > MAX_TOKEN || token.matches('.').count() != 2 {
            return Err(Unidentified::Malformed);
        }
        let (message, signature) = token.rsplit_once('.').ok_or(Unidentified::Malformed)?;
        let (header, payload) = message.split_once('.').ok_or(Unidentified::Malformed)?;
        let header: Header = serde_json::from_slice(&decoded(header)?).map_err(|_| Unidentified::Malformed)?;
        let algorithm = header.alg.as_deref().and_then(Algorithm::parse).ok_or(Unidentified::Algorithm)?;
        // Whoever marks a member as critical wants tokens refused by those who do not know it, and none is known here.
        if header.crit || !header.typ.as_deref().is_none_or(is_access_token) {
            return Err(Unidentified::Malformed);
        }
        let (claims, signature) = (Claims::parse(&decoded(payload)?)?, decoded(signature)?);
        Ok(Self { algorithm, key_id: header.kid, message, signature, claims })
    }

    /// The key that the token names.
    pub(crate) fn key_id(&self) -> Option<&str> {
        self.key_id.as_deref()
    }
}

/// Strict: without padding and without stray bits, so that one token has one spelling.
fn decoded(part: &str) -> Result<Vec<u8>, Unidentified> {
    BASE64_URL_SAFE_NO_PAD.decode(part).map_err(|_| Unidentified::Malformed)
}

/// Issuers also sign other things (logout notices, events) that must not pass for a login.
fn is_access_token(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    matches!(kind.strip_prefix("application/").unwrap_or(&kind), "jwt" | "at+jwt" | "jose")
}

/// Whether a member is there, whatever it says.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| true)
}
