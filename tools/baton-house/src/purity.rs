//! What the sources of a layer must not mention, and manifests must.

use crate::{Tree, Violation, layers::LAYERS, tree::is_test};

/// Ways to reach the world that layers 0 and 1 do without.
const WORLD: &[&str] = &[
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

/// Layer 0 and 1 sources that touch the disk, the network, the clock or chance.
pub fn check_sources(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (path, text) in tree.rust().filter(|(path, _)| is_pure(path) && !is_test(path)) {
        for (number, line) in text.lines().enumerate() {
            if line.trim() == "#[cfg(test)]" {
                break;
            }
            let code = line.split("//").next().unwrap_or_default();
            if let Some(word) = WORLD.iter().find(|word| mentions(code, word)) {
                violations.push(Violation::new(
                    format!("{path}:{}", number + 1),
                    format!("uses {word} below layer 2; take a port or a value instead"),
                ));
            }
        }
    }
    violations
}

/// Whether the word is there by itself, and not as the end of a longer one.
fn mentions(code: &str, word: &str) -> bool {
    let in_word = |character: char| character.is_alphanumeric() || character == '_';
    code.match_indices(word).any(|(at, _)| !code[..at].ends_with(in_word))
}

/// Crates that do not take the workspace's lints.
pub fn check_lints(tree: &Tree) -> Vec<Violation> {
    tree.files()
        .filter(|(path, _)| path.ends_with("/Cargo.toml") && !path.starts_with("bench/"))
        .filter(|(_, text)| !text.replace("\r\n", "\n").contains("[lints]\nworkspace = true"))
        .map(|(path, _)| Violation::new(path, "does not inherit the workspace's lints; add [lints] workspace = true"))
        .collect()
}

/// More than one module of the binary, or of the library for people who write agents, that knows the engine: everything
/// else speaks through `baton-client`, or is told what to serve.
pub fn check_wiring(tree: &Tree) -> Vec<Violation> {
    ["crates/baton/src/", "crates/baton-sdk/src/"].iter().filter_map(|sources| wired_twice(tree, sources)).collect()
}

fn wired_twice(tree: &Tree, sources: &str) -> Option<Violation> {
    let mut modules: Vec<&str> = tree
        .rust()
        .filter(|(path, text)| !is_test(path) && text.contains("baton_engine"))
        .filter_map(|(path, _)| path.strip_prefix(sources))
        .filter_map(|path| path.split(['/', '.']).next())
        .collect();
    modules.dedup();
    let rule = format!("knows baton-engine in {}; only one wiring module may", modules.join(", "));
    (modules.len() > 1).then(|| Violation::new(sources.trim_end_matches('/'), rule))
}

fn is_pure(path: &str) -> bool {
    LAYERS.iter().any(|(name, layer)| *layer <= 1 && path.starts_with(&format!("crates/{name}/src/")))
}
