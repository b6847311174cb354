//! Identifiers forbidden in the sources of a layer, and entries required in manifests.

use crate::{Tree, Violation, layers::LAYERS, tree::is_test};

/// APIs for I/O, time and randomness that layers 0 and 1 must not use.
const IMPURE_APIS: &[&str] = &[
    "std::fs",
    "std::net",
    "std::process",
    "std::thread",
    "std::env::var",
    "SystemTime::now",
    "Instant::now",
    "Timestamp::now",
    "Zoned::now",
    "thread_rng",
    "rand::",
    "tokio::",
];

/// Layer 0 and 1 sources that use the disk, the network, the clock or randomness.
pub fn check_sources(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (path, text) in tree.rust().filter(|(path, _)| is_pure(path) && !is_test(path)) {
        for (number, line) in text.lines().enumerate() {
            if line.trim() == "#[cfg(test)]" {
                break;
            }
            let code = line.split("//").next().unwrap_or_default();
            if let Some(word) = IMPURE_APIS.iter().find(|word| mentions(code, word)) {
                violations.push(Violation::new(
                    format!("{path}:{}", number + 1),
                    format!("uses {word} below layer 2; take a port or a value instead"),
                ));
            }
        }
    }
    violations
}

/// Whether the code contains `word` as a whole word, not as the end of a longer one.
fn mentions(code: &str, word: &str) -> bool {
    let in_word = |character: char| character.is_alphanumeric() || character == '_';
    code.match_indices(word).any(|(at, _)| !code[..at].ends_with(in_word))
}

/// Crates that do not inherit the workspace's lints.
pub fn check_lints(tree: &Tree) -> Vec<Violation> {
    tree.files()
        .filter(|(path, _)| path.ends_with("/Cargo.toml") && !path.starts_with("bench/"))
        .filter(|(_, text)| !text.replace("\r\n", "\n").contains("[lints]\nworkspace = true"))
        .map(|(path, _)| Violation::new(path, "does not inherit the workspace's lints; add [lints] workspace = true"))
        .collect()
}

fn is_pure(path: &str) -> bool {
    LAYERS.iter().any(|(name, layer, _)| *layer <= 1 && path.starts_with(&format!("crates/{name}/src/")))
}
