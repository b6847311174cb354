//! References to secrets; never the secrets themselves.

use baton_document::{DocumentReader, Fields, LocatedValue};
use baton_peers::SecretRef;
use std::path::Path;

const HINT: &str = "write env://NAME or file://PATH and store the secret there";

/// Reads a required reference from a map.
pub(super) fn required(reader: &mut DocumentReader, fields: &mut Fields, key: &'static str) -> Option<SecretRef> {
    let text = fields.required_text(reader, key, HINT)?;
    read(reader, key, &text)
}

/// Parses a reference. The error does not repeat the text, which may be a secret.
pub(super) fn read(reader: &mut DocumentReader, key: &str, text: &LocatedValue<String>) -> Option<SecretRef> {
    let parsed = text.value.parse().ok();
    if parsed.is_none() {
        reader.error(text.location, format!("{key} must be a reference to a secret, not the secret itself"), HINT);
    }
    parsed
}

/// The reference with a relative path resolved against `base`.
pub(crate) fn resolve_secret_path(secret: &SecretRef, base: &Path) -> SecretRef {
    let moved = secret.to_string().strip_prefix("file://").map(|path| format!("file://{}", base.join(path).display()));
    moved.and_then(|moved| moved.parse().ok()).unwrap_or_else(|| secret.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_files_are_resolved_next_to_the_configuration() {
        for (written, expect) in [
            ("file://token.txt", "file://etc/token.txt"),
            ("file:///run/token", "file:///run/token"),
            ("env://TOKEN", "env://TOKEN"),
        ] {
            let secret = written.parse().expect("a reference");
            assert_eq!(resolve_secret_path(&secret, Path::new("etc")).to_string(), expect);
        }
    }
}
