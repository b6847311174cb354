//! HTTP routes are mounted with the access that they require.

use crate::{Tree, Violation, tree::is_test};

/// Methods that mount a handler without declaring its access.
const UNCHECKED_METHODS: &[&str] = &[".route(", ".route_service(", ".nest(", ".nest_service(", ".method_router("];

/// Sources of `baton-http` that mount a route without the operation table.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    let sources = tree.rust().filter(|(path, _)| path.starts_with("crates/baton-http/src/") && !is_test(path));
    for (path, text) in sources.filter(|(path, _)| *path != "crates/baton-http/src/routes/mod.rs") {
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if let Some(word) = UNCHECKED_METHODS.iter().find(|word| code.contains(**word)) {
                violations.push(Violation::new(
                    format!("{path}:{}", number + 1),
                    format!("mounts with {word}..) and without access; use Routes, which declares both"),
                ));
            }
        }
    }
    violations
}
