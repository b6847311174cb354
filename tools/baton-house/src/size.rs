//! Upper bounds of file lengths.

use crate::{Tree, Violation, tree::is_test};
use std::collections::BTreeMap;

/// Maximum lines of a source file without its test module.
pub const MAX_SOURCE_LINES: usize = 500;
/// Maximum lines of a `main.rs`.
pub const MAX_MAIN_LINES: usize = 150;
/// Maximum lines of a test file.
pub const MAX_TEST_LINES: usize = 1500;

/// Files over their limit without an exception, and exceptions that are no longer needed.
///
/// An exception is a line `path: reason`; `#` starts a comment.
pub fn check(tree: &Tree, exceptions: &str) -> Vec<Violation> {
    let mut open: BTreeMap<&str, &str> = BTreeMap::new();
    let mut violations = Vec::new();
    for line in exceptions.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.split_once(": ") {
            Some((path, reason)) if reason.trim().len() >= 10 => {
                open.insert(path, reason);
            }
            _ => violations.push(Violation::new(line, "an exception is a path, a colon and a real reason")),
        }
    }
    for (path, text) in tree.rust() {
        let (lines, limit) = measure(path, text);
        if lines > limit && open.remove(path).is_none() {
            let rule = format!("{lines} lines, {limit} are allowed; split it by verb");
            violations.push(Violation::new(path, rule));
        }
    }
    violations.extend(open.into_keys().map(|path| Violation::new(path, "needs no exception any more; remove it")));
    violations
}

fn measure(path: &str, text: &str) -> (usize, usize) {
    if is_test(path) {
        (text.lines().count(), MAX_TEST_LINES)
    } else if path.ends_with("/main.rs") {
        (source_lines(text), MAX_MAIN_LINES)
    } else {
        (source_lines(text), MAX_SOURCE_LINES)
    }
}

/// Lines before an inline test module at the end of the file.
fn source_lines(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    lines
        .windows(2)
        .position(|pair| pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{'))
        .unwrap_or(lines.len())
}
