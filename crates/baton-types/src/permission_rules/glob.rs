//! Glob matching for names and arguments.

use simplematch::dowild;

/// Whether a name matches a glob; `*` matches any sequence of characters, `?` any single one.
pub fn glob_matches(glob: &str, name: &str) -> bool {
    // Bytes give the same result as characters, unless `?` meets a character of several bytes.
    if name.is_ascii() || !glob.contains('?') {
        return dowild(glob.as_bytes(), name.as_bytes());
    }
    let characters = |text: &str| text.chars().collect::<Vec<_>>();
    dowild(&characters(glob), &characters(name))
}
