//! Takes secrets out of what services say, since some of them repeat the key that they do not like.

use crate::Secret;

/// What stands where a secret was.
const HIDDEN: &str = "[hidden]";
/// Characters of a foreign text that are passed on.
const MAX_SHOWN: usize = 600;
/// A shorter value would tear words apart, and is no secret worth the name.
const MIN_SECRET: usize = 6;

/// The text without any of the secrets, and no longer than a message may be.
pub(crate) fn shown<'a>(text: &str, secrets: impl Iterator<Item = &'a Secret>) -> String {
    let mut text = text.trim().to_owned();
    for secret in secrets.map(Secret::reveal) {
        // A header's value may be a scheme and the secret.
        for part in secret.split_whitespace().chain([secret]) {
            if part.len() >= MIN_SECRET && !part.eq_ignore_ascii_case("bearer") {
                text = text.replace(part, HIDDEN);
            }
        }
    }
    match text.char_indices().nth(MAX_SHOWN) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_and_the_rest_stays() {
        let secrets = [Secret::new("sk-planted-1234"), Secret::new("Bearer tok-planted-5678"), Secret::new("abc")];
        let said = shown(" Wrong key sk-planted-1234 (tok-planted-5678), abc? ", secrets.iter());
        assert_eq!(said, "Wrong key [hidden] ([hidden]), abc?");
        assert_eq!(shown(&"ä".repeat(700), [].iter()).chars().count(), MAX_SHOWN + 1);
    }
}
