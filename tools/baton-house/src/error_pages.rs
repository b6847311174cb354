//! Every error code has a documentation page, and every page an error code.

use crate::{Tree, Violation, error_codes};
use std::collections::BTreeSet;

const FOLDER: &str = "docs/errors/";

/// Required sections of a page, besides its title.
const SECTIONS: &[&str] = &["## What it means", "## How it looks", "## What to do"];

/// Codes without a complete page, pages without a code, and gaps in the index.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    let codes = error_codes::declarations(tree);
    let index = tree.text("docs/errors/README.md").unwrap_or_default();
    for code in &codes {
        let path = format!("{FOLDER}{}.md", code.code);
        let Some(page) = tree.text(&path) else {
            violations.push(Violation::new(path, "is missing; every error code has a page"));
            continue;
        };
        let title = format!("# {}: {}", code.code, code.title);
        if page.lines().next() != Some(title.as_str()) {
            violations.push(Violation::new(&path, format!("must open with '{title}'")));
        }
        if !page.contains(code.hint) {
            violations.push(Violation::new(&path, "must give the hint that the error itself gives"));
        }
        for section in SECTIONS.iter().filter(|section| !page.lines().any(|line| line == **section)) {
            violations.push(Violation::new(&path, format!("has no section '{section}'")));
        }
        if !index.contains(&format!("| [{0}]({0}.md) | {1} |", code.code, code.title)) {
            violations.push(Violation::new("docs/errors/README.md", format!("does not list {}", code.code)));
        }
    }
    let known: BTreeSet<&str> = codes.iter().map(|code| code.code).collect();
    for (path, _) in tree.files() {
        if let Some(name) = path.strip_prefix(FOLDER).and_then(|name| name.strip_suffix(".md"))
            && name != "README"
            && !known.contains(name)
        {
            violations.push(Violation::new(path, "belongs to no error code"));
        }
    }
    violations
}
