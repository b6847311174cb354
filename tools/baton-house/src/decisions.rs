//! The decision pages: one form, consecutive numbers, and a complete index.

use crate::{Tree, Violation};

const FOLDER: &str = "docs/decisions/";
const INDEX: &str = "docs/decisions/README.md";

/// Sections of a page, in order.
const SECTIONS: [&str; 4] = ["Decision", "Context", "Reasons", "Consequences"];

/// Maximum lines of a page.
const MAX_LINES: usize = 60;

/// Pages with another form, gaps in the numbers, and differences between the index and the pages.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let Some(index) = tree.text(INDEX) else { return vec![Violation::new(INDEX, "is missing")] };
    let mut violations = Vec::new();
    let pages = tree.files().filter(|(path, _)| path.starts_with(FOLDER) && *path != INDEX);
    for ((path, text), number) in pages.zip(1_u32..) {
        let file = path.trim_start_matches(FOLDER);
        let mut report = |rule: String| violations.push(Violation::new(path, rule));
        if !file.starts_with(&format!("{number:04}-")) {
            report(format!("the file name must begin with {number:04}-"));
        }
        let title = text.lines().next().and_then(|line| line.strip_prefix(&format!("# {number:04}: ")));
        match title {
            None => report(format!("the first line must be '# {number:04}: ' and the title")),
            Some(title) if !index.contains(&format!("| [{number:04}]({file}) | {title} |")) => {
                report(format!("{INDEX} must have the row | [{number:04}]({file}) | {title} |"));
            }
            Some(_) => {}
        }
        let sections: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        if sections != SECTIONS {
            report(format!("the sections must be {}", SECTIONS.join(", ")));
        }
        if text.lines().count() > MAX_LINES {
            report(format!("has more than {MAX_LINES} lines"));
        }
    }
    let listed = index.lines().filter(|line| line.starts_with("| [")).count();
    let existing = tree.files().filter(|(path, _)| path.starts_with(FOLDER) && *path != INDEX).count();
    if listed != existing {
        violations.push(Violation::new(INDEX, format!("lists {listed} pages; there are {existing}")));
    }
    violations
}
