//! Every crate documents its purpose first.

use crate::{Tree, Violation};

/// Crates whose `lib.rs` does not open with its purpose, its prohibitions and the types to read first.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (path, text) in tree.rust().filter(|(path, _)| path.ends_with("/src/lib.rs")) {
        let docs: String = text.lines().take_while(|line| line.starts_with("//!")).collect::<Vec<_>>().join("\n");
        if docs.is_empty() {
            violations.push(Violation::new(path, "must open with //! and the purpose of the crate"));
            continue;
        }
        if !docs.to_lowercase().contains("never") {
            violations.push(Violation::new(path, "must say what the crate never does"));
        }
        if !docs.to_lowercase().contains("read first") {
            violations.push(Violation::new(path, "must say which types to read first"));
        }
    }
    for (path, text) in tree.rust().filter(|(path, _)| path.ends_with("/src/main.rs")) {
        if !text.starts_with("//!") {
            violations.push(Violation::new(path, "must open with //! and what the program does"));
        }
    }
    violations
}
