//! Parsing of a token. The result is untrusted until its signature is verified.

use super::{algorithm::Algorithm, claims::Claims};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use baton_ports::TokenRejection;
use serde::{Deserialize, Deserializer, de::IgnoredAny};

/// Maximum token size in bytes.
pub(crate) const MAX_TOKEN: usize = 16 * 1024;

/// A parsed token with an acceptable header.
pub(crate) struct CompactJwt<'a> {
    pub(crate) algorithm: Algorithm,
    key_id: Option<String>,
    /// Signing input.
    pub(crate) message: &'a str,
    pub(crate) signature: Vec<u8>,
    /// Claims; untrusted until the signature is verified.
    pub(crate) claims: Claims,
}

#[derive(Deserialize)]
struct JwtHeader {
    alg: Option<String>,
    kid: Option<String>,
    typ: Option<String>,
    #[serde(default, deserialize_with = "present")]
    crit: bool,
}

impl<'a> CompactJwt<'a> {
    /// Parses a token.
    pub(crate) fn parse(token: &'a str) -> Result<Self, TokenRejection> {
        if token.len() > MAX_TOKEN || token.matches('.').count() != 2 {
            return Err(TokenRejection::Malformed);
        }
        let (message, signature) = token.rsplit_once('.').ok_or(TokenRejection::Malformed)?;
        let (header, payload) = message.split_once('.').ok_or(TokenRejection::Malformed)?;
        let header: JwtHeader = serde_json::from_slice(&decode_part(header)?).map_err(|_| TokenRejection::Malformed)?;
        let algorithm = header.alg.as_deref().and_then(Algorithm::parse).ok_or(TokenRejection::Algorithm)?;
        // A token with critical members must be rejected by recipients that do not know them; none are supported here.
        if header.crit || !header.typ.as_deref().is_none_or(is_access_token) {
            return Err(TokenRejection::Malformed);
        }
        let (claims, signature) = (Claims::parse(&decode_part(payload)?)?, decode_part(signature)?);
        Ok(Self { algorithm, key_id: header.kid, message, signature, claims })
    }

    /// `kid` of the header.
    pub(crate) fn key_id(&self) -> Option<&str> {
        self.key_id.as_deref()
    }
}

/// Strict: without padding and trailing bits, so that every token has exactly one encoding.
fn decode_part(part: &str) -> Result<Vec<u8>, TokenRejection> {
    BASE64_URL_SAFE_NO_PAD.decode(part).map_err(|_| TokenRejection::Malformed)
}

/// Issuers also sign other documents (logout notices, events), which must not be accepted as access tokens.
fn is_access_token(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    matches!(kind.strip_prefix("application/").unwrap_or(&kind), "jwt" | "at+jwt" | "jose")
}

/// True for any present value.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| true)
}
