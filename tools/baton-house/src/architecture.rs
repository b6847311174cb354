//! The architecture page: short enough to read, and complete for the crates of the workspace.

use crate::{Tree, Violation, walks::ARCHITECTURE};

/// Length limits of the page.
const MAX_LINES: usize = 299;
const MAX_COLUMNS: usize = 120;

/// Excess length, crates without an entry, and entries without a prohibition or without a crate.
///
/// The entry of a crate is a list item that begins with its name in bold; further bold text states an invariant of the
/// form "never …".
pub fn check(tree: &Tree) -> Vec<Violation> {
    let Some(text) = tree.text(ARCHITECTURE) else { return vec![Violation::new(ARCHITECTURE, "is missing")] };
    let mut violations = Vec::new();
    let lines = text.lines().count();
    if lines > MAX_LINES {
        violations.push(Violation::new(ARCHITECTURE, format!("has {lines} lines; the limit is {MAX_LINES}")));
    }
    for (number, line) in text.lines().enumerate().filter(|(_, line)| line.chars().count() > MAX_COLUMNS) {
        let rule = format!("has {} columns; the limit is {MAX_COLUMNS}", line.chars().count());
        violations.push(Violation::new(format!("{ARCHITECTURE}:{}", number + 1), rule));
    }
    let (entries, crates) = (entries(text), crates(tree));
    for (folder, name) in &crates {
        match entries.iter().find(|entry| entry.name == *name) {
            None => {
                let rule = format!("{folder}/{name} has no entry: - **`{name}`**: …");
                violations.push(Violation::new(format!("{ARCHITECTURE}: {name}"), rule));
            }
            Some(entry) if *folder == "crates" && !entry.has_prohibition() => {
                let rule = "its entry does not say in bold what the crate never does";
                violations.push(Violation::new(format!("{ARCHITECTURE}: {name}"), rule));
            }
            Some(_) => {}
        }
    }
    for entry in entries.iter().filter(|entry| !crates.iter().any(|(_, name)| *name == entry.name)) {
        violations.push(Violation::new(format!("{ARCHITECTURE}: {}", entry.name), "there is no crate of this name"));
    }
    violations
}

/// Folder and name of every crate.
fn crates(tree: &Tree) -> Vec<(&str, &str)> {
    let manifests = tree.files().filter_map(|(path, _)| path.strip_suffix("/Cargo.toml"));
    let crates = manifests.filter_map(|folder| folder.split_once('/'));
    crates.filter(|(folder, name)| matches!(*folder, "crates" | "tools") && !name.contains('/')).collect()
}

/// A list item that begins with the name of a crate in bold.
struct CrateEntry<'a> {
    name: &'a str,
    text: String,
}

impl CrateEntry<'_> {
    fn has_prohibition(&self) -> bool {
        self.text.split("**").skip(1).step_by(2).any(|bold| bold.to_lowercase().contains("never"))
    }
}

fn entries(text: &str) -> Vec<CrateEntry<'_>> {
    let mut entries: Vec<CrateEntry<'_>> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        if let Some((name, rest)) = line.strip_prefix("- **`").and_then(|line| line.split_once("`**")) {
            entries.push(CrateEntry { name, text: rest.to_owned() });
            is_open = true;
        } else if is_open && line.starts_with("  ") {
            if let Some(entry) = entries.last_mut() {
                entry.text.push_str(line);
            }
        } else {
            is_open = false;
        }
    }
    entries
}
