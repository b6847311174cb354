//! Text with placeholders for arguments: `{name}` is a placeholder, `{{` is a literal brace.

/// Names of all placeholders, with repetitions; `None` if a `{` is not closed or encloses an invalid name.
pub(crate) fn placeholders(text: &str) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let inner = &rest[at + 1..];
        if let Some(behind) = inner.strip_prefix('{') {
            rest = behind;
            continue;
        }
        let (name, behind) = inner.split_once('}')?;
        let allowed = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        if name.is_empty() || !name.chars().all(allowed) {
            return None;
        }
        names.push(name);
        rest = behind;
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholder_names_are_found() {
        for (text, expect) in [
            ("", Some(&[][..])),
            ("In {city}, {city}!", Some(&["city", "city"])),
            ("{{city} {{{zip.code}", Some(&["zip.code"])),
            ("a } b }}", Some(&[])),
            ("{", None),
            ("{}", None),
            ("{ \"a\": 1 }", None),
        ] {
            assert_eq!(placeholders(text).as_deref(), expect, "{text}");
        }
    }
}
