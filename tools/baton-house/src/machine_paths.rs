//! No file of the repository contains an absolute path of a developer's machine.

use crate::{Tree, Violation};

/// Roots of personal and work folders, split in two so that this file passes its own check.
const ROOTS: &[(&str, &str)] = &[("/ro", "ot/"), ("/ho", "me/"), ("/Use", "rs/"), ("/wo", "rk/"), ("\\Use", "rs\\")];

/// Files that contain an absolute path of a machine.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let roots: Vec<String> = ROOTS.iter().map(|(head, tail)| format!("{head}{tail}")).collect();
    let mut violations = Vec::new();
    for (path, text) in tree.files() {
        for (number, line) in text.lines().enumerate() {
            if let Some(root) = roots.iter().find(|root| begins_a_path(line, root)) {
                violations.push(Violation::new(
                    format!("{path}:{}", number + 1),
                    format!("names a machine's folder ({root}...); use a relative path or ~"),
                ));
            }
        }
    }
    violations
}

/// Whether `root` occurs where a path starts, not inside a longer path or a URL.
fn begins_a_path(line: &str, root: &str) -> bool {
    line.match_indices(root).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '}' | ')' | '~'))
    })
}
