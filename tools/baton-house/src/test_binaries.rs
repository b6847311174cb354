//! Test binaries of each crate: one for its integration tests, and one for its unit tests if it has any.

use crate::{Tree, Violation, test_habits::has_tests};

/// The only test binary of a crate; it contains all tests as modules.
const SUITE: &str = "tests/suite/main.rs";

/// The folders of the workspace's crates.
const WORKSPACE: &[&str] = &["crates/", "tools/", "examples/"];

/// Integration tests that cargo would link into further binaries.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (manifest, text) in tree.files() {
        let Some(folder) = manifest.strip_suffix("Cargo.toml").filter(|folder| folder.ends_with('/')) else { continue };
        violations.extend(
            tree.rust()
                .filter(|(path, _)| {
                    path.strip_prefix(folder).is_some_and(|inside| inside != SUITE && is_auto_detected(inside))
                })
                .map(|(path, _)| {
                    Violation::new(path, format!("is a test program of its own; make it a module of {SUITE}"))
                }),
        );
        if declared_paths(text).any(|path| path != Some(SUITE)) {
            violations.push(Violation::new(manifest, format!("declares a [[test]] that is not {SUITE}")));
        }
    }
    violations
}

/// Crates whose unit test binary contains no test, and unit tests without a binary.
pub fn check_unit_tests(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (manifest, text) in tree.files() {
        let Some(folder) = manifest.strip_suffix("Cargo.toml").filter(|folder| folder.ends_with('/')) else { continue };
        if !WORKSPACE.iter().any(|parent| folder.starts_with(parent)) {
            continue;
        }
        let source = format!("{folder}src/");
        let tested = tree.rust().any(|(path, text)| path.starts_with(&source) && has_tests(text));
        let disabled = text.lines().any(|line| line.trim() == "test = false");
        let rule = match (tested, disabled) {
            (true, true) => "disables the binary of its unit tests; remove `test = false`",
            (false, false) => "has no unit test to compile a second time for; add `test = false` to [lib] or [[bin]]",
            _ => continue,
        };
        violations.push(Violation::new(manifest, rule));
    }
    violations
}

/// Whether cargo detects a file of a crate as a test binary.
fn is_auto_detected(inside: &str) -> bool {
    let Some(name) = inside.strip_prefix("tests/") else { return false };
    match name.split_once('/') {
        None => true,
        Some((_, rest)) => rest == "main.rs",
    }
}

/// Paths of the `[[test]]` tables of a manifest; `None` for a table without a path.
fn declared_paths(manifest: &str) -> impl Iterator<Item = Option<&str>> {
    manifest.split("[[test]]").skip(1).map(|table| {
        let entries = table.lines().take_while(|line| !line.trim_start().starts_with('['));
        let mut pairs = entries.filter_map(|line| line.split_once('='));
        pairs.find(|(key, _)| key.trim() == "path").map(|(_, value)| value.trim().trim_matches(['"', '\'']))
    })
}
