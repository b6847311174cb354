//! Secrets that others repeat: what they say is told to people, what they were shown is not.

use http::HeaderMap;
use std::{borrow::Cow, collections::HashSet, fmt};

/// What is shorter is no secret, and would be found in every second word.
const SHORTEST: usize = 6;

/// So many bytes of a secret are one themselves, wherever in it they are.
const PIECE: usize = 16;

/// Stands in the place of a secret.
const HIDDEN: &str = "[hidden]";

/// Most bytes of what somebody says that are looked at.
const MOST: usize = 64 * 1024;

/// What the headers of a request showed to somebody, to be taken out of what they say.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Shown(Vec<Vec<u8>>);

impl Shown {
    /// The values of these headers; of `Bearer TOKEN` the token alone as well.
    pub fn of(headers: &HeaderMap) -> Self {
        Self::of_bytes(headers.values().map(http::HeaderValue::as_bytes))
    }

    /// These values; of `Bearer TOKEN` the token alone as well.
    pub fn of_values<'v>(values: impl IntoIterator<Item = &'v str>) -> Self {
        Self::of_bytes(values.into_iter().map(str::as_bytes))
    }

    /// Whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn of_bytes<'v>(values: impl Iterator<Item = &'v [u8]>) -> Self {
        let both = values.flat_map(|value| [value, value.rsplit(|byte| *byte == b' ').next().unwrap_or_default()]);
        let long = both.filter(|secret| secret.len() >= SHORTEST);
        Self(long.map(<[u8]>::to_vec).collect::<HashSet<_>>().into_iter().collect())
    }

    /// The first characters of what somebody said, as one line of text, without what they were shown. Nothing is cut off
    /// before it is hidden: half a secret is one.
    pub fn excerpt(&self, said: &[u8], characters: usize) -> String {
        let line = one_line(&said[..said.len().min(MOST)]);
        first(&self.hide(&line), characters).to_owned()
    }

    /// A text without what was shown: neither whole, nor a long piece of it, nor its beginning where the text breaks off.
    pub fn hide<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let said = text.as_bytes();
        let mut secret = vec![false; said.len()];
        for shown in &self.0 {
            mark(&mut secret, said, shown);
        }
        if !secret.contains(&true) {
            return Cow::Borrowed(text);
        }
        let (mut told, mut rest) = (Vec::with_capacity(said.len()), said);
        for run in secret.chunk_by(|one, next| one == next) {
            let (part, behind) = rest.split_at(run.len());
            told.extend_from_slice(if run[0] { HIDDEN.as_bytes() } else { part });
            rest = behind;
        }
        Cow::Owned(String::from_utf8_lossy(&told).into_owned())
    }
}

/// Marks what is secret in what was said.
fn mark(secret: &mut [bool], said: &[u8], shown: &[u8]) {
    let length = shown.len().min(PIECE);
    let pieces: HashSet<&[u8]> = shown.windows(length).collect();
    for (at, found) in said.windows(length).enumerate() {
        if pieces.contains(found) {
            secret[at..at + length].fill(true);
        }
    }
    let cut = (SHORTEST..length).rev().find(|end| said.ends_with(&shown[..*end]));
    if let Some(end) = cut {
        secret[said.len() - end..].fill(true);
    }
}

/// Text without line breaks and other characters that no line should have.
fn one_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// The first characters of a text.
fn first(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}

/// Without what was shown.
impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shown({} values)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(headers: &[(&'static str, &str)]) -> Shown {
        let pairs =
            headers.iter().map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value")));
        Shown::of(&pairs.collect())
    }

    #[test]
    fn what_was_shown_is_not_told() {
        let shown = shown(&[("authorization", "Bearer s3cret-token"), ("x-tenant", "a")]);
        for (said, told) in [
            ("401: no", "401: no"),
            ("401: Bearer s3cret-token is not known", "401: [hidden] is not known"),
            ("401:\r\nBearer\ts3cret-token ü", "401: [hidden] ü"),
            ("401: s3cret-token, s3cret-token!", "401: [hidden], [hidden]!"),
            ("401: who is s3cret-", "401: who is [hidden]"),
            ("401: Bearer s3", "401: [hidden]"),
            ("401: s3c", "401: s3c"),
        ] {
            assert_eq!(shown.excerpt(said.as_bytes(), 200), told);
        }
        assert_eq!(format!("{shown:?}"), "Shown(2 values)");
    }

    #[test]
    fn no_piece_of_a_long_secret_is_told_wherever_it_is_cut() {
        // No six characters of it come twice.
        let token: String = (0..150).map(|number| format!("{number:03}x")).collect();
        let shown = shown(&[("authorization", &format!("Bearer {token}"))]);
        let tells = |told: &str| (0..token.len() - PIECE).any(|at| told.contains(&token[at..at + PIECE]));
        for before in 0..250 {
            let said = format!("{} is {token}, and nobody knows that", "é".repeat(before));
            for characters in [10, 200, 300] {
                let told = shown.excerpt(said.as_bytes(), characters);
                assert!(told.chars().count() <= characters && !tells(&told), "{told}");
            }
            // Whoever says it may have cut it, or may not have been read to the end.
            for part in [&token[..before + 20], &token[before + 40..before + 80]] {
                let told = shown.excerpt(format!("what is {part}... here?").as_bytes(), 400);
                // The space before a token is part of the value.
                assert_eq!(told.replacen("is[", "is [", 1), "what is [hidden]... here?");
            }
            let filled = [" ".repeat(MOST - 20 - before).as_bytes(), said.as_bytes()].concat();
            assert!(!tells(&shown.excerpt(&filled, 400)));
        }
    }
}
