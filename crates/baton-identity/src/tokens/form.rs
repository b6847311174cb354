//! How a token looks: `btn_`, its id, `_`, its secret.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use baton_types::Digest;
use std::fmt::Write as _;
use subtle::ConstantTimeEq as _;

/// What every token made here begins with, so that people and scanners know one when they see it.
pub(crate) const PREFIX: &str = "btn_";

/// The parts of a token.
pub(super) struct Parts<'a> {
    pub(super) id: &'a str,
    pub(super) secret: &'a str,
}

/// Takes a token apart; ids have no underscore, secrets may.
pub(super) fn parts(token: &str) -> Option<Parts<'_>> {
    let (id, secret) = token.strip_prefix(PREFIX)?.split_once('_')?;
    let fits = !id.is_empty() && !secret.is_empty();
    fits.then_some(Parts { id, secret })
}

/// Puts a token together.
pub(super) fn token(id: &str, secret: &str) -> String {
    format!("{PREFIX}{id}_{secret}")
}

/// An id that is short enough to be read aloud; it is no secret.
pub(super) fn fresh_id() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 5];
    getrandom::fill(&mut bytes)?;
    let mut id = String::with_capacity(10);
    for byte in bytes {
        let _ = write!(id, "{byte:02x}");
    }
    Ok(id)
}

/// A secret that nobody can guess, so that its plain digest is safe to keep.
pub(super) fn fresh_secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

/// Whether these are the same, in a time that does not tell where they differ.
pub(crate) fn same(one: &Digest, other: &Digest) -> bool {
    one.as_str().as_bytes().ct_eq(other.as_str().as_bytes()).into()
}
