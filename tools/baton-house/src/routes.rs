//! HTTP routes are mounted with the access that they require.

use crate::{Tree, Violation, tree::is_test};

/// Methods that mount a handler without declaring its access.
const UNCHECKED_METHODS: &[&str] = &[".route(", ".route_service(", ".nest(", ".nest_service(", ".method_router("];

/// The operation table itself.
const TABLE: &str = "crates/baton-http/src/routes/mod.rs";

/// Sources of the HTTP core, the surfaces and their composition that mount a route without the operation table.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    let sources = tree.rust().filter(|(path, _)| serves_http(path) && !is_test(path) && *path != TABLE);
    for (path, text) in sources {
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

fn serves_http(path: &str) -> bool {
    ["crates/baton-http", "crates/baton-mcp/src/endpoints", "crates/baton-server/"]
        .iter()
        .any(|folder| path.starts_with(folder))
}
