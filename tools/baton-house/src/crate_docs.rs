//! Every crate documents its purpose first, and the files that a module comment names exist.

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

/// Files and folders in module comments that do not exist below the module, next to it, or in a folder above.
pub fn check_files(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (path, text) in tree.rust() {
        let docs: String = text.lines().filter(|line| line.starts_with("//!")).collect::<Vec<_>>().join("\n");
        let parents = path.match_indices('/').map(|(at, _)| &path[..=at]).chain([""]);
        let own = format!("{}/", path.trim_end_matches(".rs"));
        let folders: Vec<String> =
            parents.flat_map(|parent| [parent.to_owned(), format!("{parent}src/")]).chain([own]).collect();
        for name in docs.split('`').skip(1).step_by(2).filter(|name| is_file_name(name)) {
            let exists = folders.iter().any(|folder| {
                let target = format!("{folder}{name}");
                tree.files()
                    .any(|(file, _)| if name.ends_with('/') { file.starts_with(&target) } else { file == target })
            });
            if !exists {
                let rule = format!("the comment of the module names `{name}`, which does not exist");
                violations.push(Violation::new(path, rule));
            }
        }
    }
    violations
}

fn is_file_name(code: &str) -> bool {
    (code.ends_with(".rs") || code.ends_with('/'))
        && !code.starts_with(['/', '.'])
        && code.chars().all(|character| character.is_ascii_alphanumeric() || "_-./".contains(character))
}
