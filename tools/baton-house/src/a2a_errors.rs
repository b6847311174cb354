//! The error of A2A stays in the crates that speak A2A.

use crate::{Tree, Violation, tree::is_test};

/// Where the error of A2A may be named: the dialect, its gRPC form, its surface and its clients.
const A2A_SOURCES: &[&str] = &[
    "crates/baton-wire/",
    "crates/baton-proto/",
    "crates/baton-http-a2a/",
    "crates/baton-peers/",
    "crates/baton-client/src/error.rs",
];

/// Start of the module path of the dialect.
const DIALECT: &str = "a2a::v1::";

/// Type names that begin like this are parts of the error.
const ERROR_PREFIX: &str = "Error";

/// Sources outside of A2A that name its error.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let sources = tree.rust().filter(|(path, _)| path.starts_with("crates/") && !is_test(path));
    sources
        .filter(|(path, _)| !A2A_SOURCES.iter().any(|folder| path.starts_with(folder)))
        .filter(|(_, text)| names_error(text))
        .map(|(path, _)| Violation::new(path, "names the error of A2A; use the error of its own protocol or ApiError"))
        .collect()
}

fn names_error(text: &str) -> bool {
    text.match_indices(DIALECT).any(|(at, _)| {
        let rest = &text[at + DIALECT.len()..];
        match rest.strip_prefix('{') {
            Some(names) => {
                let names = names.split('}').next().unwrap_or_default();
                names.split(',').any(|name| name.trim().starts_with(ERROR_PREFIX))
            }
            None => rest.starts_with(ERROR_PREFIX),
        }
    })
}
