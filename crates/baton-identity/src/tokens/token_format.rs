//! Token format: `btn_`, id, `_`, secret.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use baton_types::Digest;
use std::fmt::Write as _;
use subtle::ConstantTimeEq as _;

/// Prefix of every token issued here, so that people and secret scanners recognize it.
pub(crate) const PREFIX: &str = "btn_";

/// Parts of a token.
pub(super) struct TokenParts<'a> {
    pub(super) id: &'a str,
    pub(super) secret: &'a str,
}

/// Splits a token. Ids contain no underscore; secrets may.
pub(super) fn split_token(token: &str) -> Option<TokenParts<'_>> {
    let (id, secret) = token.strip_prefix(PREFIX)?.split_once('_')?;
    let fits = !id.is_empty() && !secret.is_empty();
    fits.then_some(TokenParts { id, secret })
}

/// Formats a token.
pub(super) fn format_token(id: &str, secret: &str) -> String {
    format!("{PREFIX}{id}_{secret}")
}

/// Generates a short id, which is not a secret.
pub(super) fn fresh_id() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 5];
    getrandom::fill(&mut bytes)?;
    let mut id = String::with_capacity(10);
    for byte in bytes {
        let _ = write!(id, "{byte:02x}");
    }
    Ok(id)
}

/// Generates a secret with enough entropy that its plain digest is safe to store.
pub(super) fn fresh_secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

/// Compares two digests in constant time.
pub(crate) fn constant_time_eq(one: &Digest, other: &Digest) -> bool {
    one.as_str().as_bytes().ct_eq(other.as_str().as_bytes()).into()
}
