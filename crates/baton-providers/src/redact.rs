//! Redaction of secrets in texts of services, some of which repeat a rejected key.

use crate::Secret;

/// Replacement for a secret.
const SECRET_REPLACEMENT: &str = "[hidden]";
/// Maximum length of external text in characters.
const MAX_EXTERNAL_CHARS: usize = 600;
/// Shorter values are not redacted: they would match parts of ordinary words.
const MIN_SECRET_LEN: usize = 6;

/// The text with all secrets redacted, truncated to the maximum length.
pub(crate) fn redact_secrets<'a>(text: &str, secrets: impl Iterator<Item = &'a Secret>) -> String {
    let mut text = text.trim().to_owned();
    for secret in secrets.map(Secret::reveal) {
        // A header value may consist of a scheme and the secret.
        for part in secret.split_whitespace().chain([secret]) {
            if part.len() >= MIN_SECRET_LEN && !part.eq_ignore_ascii_case("bearer") {
                text = text.replace(part, SECRET_REPLACEMENT);
            }
        }
    }
    match text.char_indices().nth(MAX_EXTERNAL_CHARS) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_redacted_and_other_text_stays() {
        let secrets = [Secret::new("sk-planted-1234"), Secret::new("Bearer tok-planted-5678"), Secret::new("abc")];
        let said = redact_secrets(" Wrong key sk-planted-1234 (tok-planted-5678), abc? ", secrets.iter());
        assert_eq!(said, "Wrong key [hidden] ([hidden]), abc?");
        assert_eq!(redact_secrets(&"ä".repeat(700), [].iter()).chars().count(), MAX_EXTERNAL_CHARS + 1);
    }
}
