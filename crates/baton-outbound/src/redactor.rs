//! Redaction of secrets that servers echo in their replies.

use http::HeaderMap;
use std::{borrow::Cow, collections::HashSet, fmt};

/// Minimum length of a secret; shorter values would match ordinary text.
const MIN_SECRET_LEN: usize = 6;

/// Any fragment of a secret with this many bytes is secret.
const SECRET_FRAGMENT_LEN: usize = 16;

/// Replacement of a secret.
const REDACTION_MARK: &str = "[hidden]";

/// Maximum number of reply bytes examined.
const MAX_EXAMINED_BYTES: usize = 64 * 1024;

/// Secret header values of a request, to be redacted from the reply.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SecretRedactor(Vec<Vec<u8>>);

impl SecretRedactor {
    /// The values of these headers; for `Bearer TOKEN` also the token alone.
    pub fn from_headers(headers: &HeaderMap) -> Self {
        Self::from_bytes(headers.values().map(http::HeaderValue::as_bytes))
    }

    /// These values; for `Bearer TOKEN` also the token alone.
    pub fn from_values<'v>(values: impl IntoIterator<Item = &'v str>) -> Self {
        Self::from_bytes(values.into_iter().map(str::as_bytes))
    }

    /// Whether there are no secrets.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn from_bytes<'v>(values: impl Iterator<Item = &'v [u8]>) -> Self {
        let both = values.flat_map(|value| [value, value.rsplit(|byte| *byte == b' ').next().unwrap_or_default()]);
        let long = both.filter(|secret| secret.len() >= MIN_SECRET_LEN);
        Self(long.map(<[u8]>::to_vec).collect::<HashSet<_>>().into_iter().collect())
    }

    /// The first characters of a reply as one line of text, with secrets redacted. Redaction precedes truncation,
    /// because part of a secret is secret.
    pub fn excerpt(&self, bytes: &[u8], characters: usize) -> String {
        let line = one_line(&bytes[..bytes.len().min(MAX_EXAMINED_BYTES)]);
        first(&self.redact(&line), characters).to_owned()
    }

    /// Redacts a text: whole secrets, long fragments, and the start of a secret at the end of the text.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let bytes = text.as_bytes();
        let mut secret = vec![false; bytes.len()];
        for shown in &self.0 {
            mark_secret(&mut secret, bytes, shown);
        }
        if !secret.contains(&true) {
            return Cow::Borrowed(text);
        }
        let (mut redacted, mut rest) = (Vec::with_capacity(bytes.len()), bytes);
        for run in secret.chunk_by(|one, next| one == next) {
            let (part, behind) = rest.split_at(run.len());
            redacted.extend_from_slice(if run[0] { REDACTION_MARK.as_bytes() } else { part });
            rest = behind;
        }
        Cow::Owned(String::from_utf8_lossy(&redacted).into_owned())
    }
}

/// Marks the bytes of `said` that belong to the secret.
fn mark_secret(secret: &mut [bool], bytes: &[u8], shown: &[u8]) {
    let length = shown.len().min(SECRET_FRAGMENT_LEN);
    let pieces: HashSet<&[u8]> = shown.windows(length).collect();
    for (at, found) in bytes.windows(length).enumerate() {
        if pieces.contains(found) {
            secret[at..at + length].fill(true);
        }
    }
    let cut = (MIN_SECRET_LEN..length).rev().find(|end| bytes.ends_with(&shown[..*end]));
    if let Some(end) = cut {
        secret[bytes.len() - end..].fill(true);
    }
}

/// Text on one line, without control characters.
fn one_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// The first characters of a text.
fn first(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}

/// Omits the secrets.
impl fmt::Debug for SecretRedactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretRedactor({} values)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redactor(headers: &[(&'static str, &str)]) -> SecretRedactor {
        let pairs =
            headers.iter().map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value")));
        SecretRedactor::from_headers(&pairs.collect())
    }

    #[test]
    fn shown_secrets_are_redacted() {
        let redactor = redactor(&[("authorization", "Bearer s3cret-token"), ("x-tenant", "a")]);
        for (said, told) in [
            ("401: no", "401: no"),
            ("401: Bearer s3cret-token is not known", "401: [hidden] is not known"),
            ("401:\r\nBearer\ts3cret-token ü", "401: [hidden] ü"),
            ("401: s3cret-token, s3cret-token!", "401: [hidden], [hidden]!"),
            ("401: who is s3cret-", "401: who is [hidden]"),
            ("401: Bearer s3", "401: [hidden]"),
            ("401: s3c", "401: s3c"),
        ] {
            assert_eq!(redactor.excerpt(said.as_bytes(), 200), told);
        }
        assert_eq!(format!("{redactor:?}"), "SecretRedactor(2 values)");
    }

    #[test]
    fn no_fragment_of_a_long_secret_leaks_at_any_cut() {
        // Every six characters of it are unique.
        let token: String = (0..150).map(|number| format!("{number:03}x")).collect();
        let redactor = redactor(&[("authorization", &format!("Bearer {token}"))]);
        let tells = |told: &str| {
            (0..token.len() - SECRET_FRAGMENT_LEN).any(|at| told.contains(&token[at..at + SECRET_FRAGMENT_LEN]))
        };
        for before in 0..250 {
            let said = format!("{} is {token}, and nobody knows that", "é".repeat(before));
            for characters in [10, 200, 300] {
                let told = redactor.excerpt(said.as_bytes(), characters);
                assert!(told.chars().count() <= characters && !tells(&told), "{told}");
            }
            // The secret may be truncated at either end.
            for part in [&token[..before + 20], &token[before + 40..before + 80]] {
                let told = redactor.excerpt(format!("what is {part}... here?").as_bytes(), 400);
                // The space before a token is part of the value.
                assert_eq!(told.replacen("is[", "is [", 1), "what is [hidden]... here?");
            }
            let filled = [" ".repeat(MAX_EXAMINED_BYTES - 20 - before).as_bytes(), said.as_bytes()].concat();
            assert!(!tells(&redactor.excerpt(&filled, 400)));
        }
    }
}
