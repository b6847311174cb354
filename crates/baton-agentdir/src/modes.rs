//! MIME types that an agent accepts as input.

use crate::resolve::check_unique;
use baton_document::{DocumentReader, LocatedValue};
use baton_types::AgentSpec;
use std::collections::BTreeSet;

const HINT: &str = "write a MIME type such as text/plain, image/* or */*, without parameters";

/// The types in lower case; the defaults if the key is missing.
pub(crate) fn resolve(reader: &mut DocumentReader, written: Option<Vec<LocatedValue<String>>>) -> Vec<String> {
    let Some(written) = written else { return AgentSpec::DEFAULT_INPUT_MODES.map(str::to_owned).to_vec() };
    let mut seen = BTreeSet::new();
    let mut modes = Vec::with_capacity(written.len());
    for mode in written {
        let name = mode.value.to_ascii_lowercase();
        if is_mime_type(&name) {
            check_unique(reader, &mut seen, "input mode", &name, mode.location);
            modes.push(name);
        } else {
            reader.error(mode.location, format!("{:?} is not a MIME type", shortened(&mode.value)), HINT);
        }
    }
    modes
}

/// Whether this is `type/subtype`, where the subtype or both may be `*`.
fn is_mime_type(text: &str) -> bool {
    let name = |name: &str| {
        let allowed = |c: char| c.is_ascii_alphanumeric() || "!#$&-^_.+".contains(c);
        (1..=127).contains(&name.len())
            && name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(allowed)
    };
    match text.split_once('/') {
        Some(("*", "*")) => true,
        Some((kind, "*")) => name(kind),
        Some((kind, subtype)) => name(kind) && name(subtype),
        None => false,
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mime_types_are_checked() {
        for good in ["text/plain", "image/*", "*/*", "application/vnd.api+json", "image/svg+xml", "audio/3gpp2"] {
            assert!(is_mime_type(good), "{good}");
        }
        for bad in ["", "text", "/", "text/", "/plain", "*/plain", "*", "a/b/c", "text/plain; charset=utf-8", "te xt/x"]
        {
            assert!(!is_mime_type(bad), "{bad}");
        }
    }
}
