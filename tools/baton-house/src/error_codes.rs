//! Every error code is declared once, in the lowest crate that raises it.
//!
//! An edit of a crate rebuilds everything above it, so a code of one crate must not be declared below it.

use crate::{Tree, Violation, source::SourceFile, tree::is_test};
use std::collections::{BTreeMap, BTreeSet};

/// The crate below all others, with the codes that several crates share.
const SHARED_CRATE: &str = "baton-types";

/// File with the declarations of a crate.
const DECLARATIONS_FILE: &str = "src/error_codes.rs";

/// File with the shared declarations.
const SHARED_FILE: &str = "crates/baton-types/src/error_code.rs";

/// Files with the composed lists of codes.
const COMPOSED_LISTS: [&str; 2] = ["crates/baton-server/src/error_codes.rs", "crates/baton/src/error_codes.rs"];

/// Shared codes that one crate raises, with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("AGENT_CHANGED", "a task ends with it"),
    ("ANSWER_FORM", "a task ends with it"),
    ("GUARDRAIL_FAILED", "a task ends with it"),
    ("HANDOFF_REFUSED", "a task ends with it"),
    ("TOOL_ERRORS", "a task ends with it"),
    ("TOOL_UNSAFE_TO_REPEAT", "a task ends with it"),
];

/// An error code declared in the sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorCodeDeclaration<'a> {
    /// File of the declaration.
    pub path: &'a str,
    /// Name of the constant.
    pub name: &'a str,
    /// Code: `BTN-` and a number.
    pub code: &'a str,
    /// One-line description of the error.
    pub title: &'a str,
    /// Suggested next step.
    pub hint: &'a str,
}

/// Every declaration `NAME = "BTN-...", "title", "hint";` in the sources of the crates, in path order.
pub fn declarations(tree: &Tree) -> Vec<ErrorCodeDeclaration<'_>> {
    let mut found = Vec::new();
    for (path, text) in tree.rust().filter(|(path, _)| is_source(path)) {
        let source = SourceFile::parse(text);
        for tokens in source.tokens().windows(8) {
            let [name, "=", code, ",", title, ",", hint, ";"] = tokens else { continue };
            let (Some(code), Some(title), Some(hint)) = (literal(code), literal(title), literal(hint)) else {
                continue;
            };
            if code.starts_with("BTN-") {
                found.push(ErrorCodeDeclaration { path, name, code, title, hint });
            }
        }
    }
    found
}

/// Codes that are declared twice, incomplete, unused, or declared in another crate than the lowest that raises them.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let declarations = declarations(tree);
    let uses = crates_by_used_name(tree);
    let (mut violations, mut names, mut codes) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for declaration in &declarations {
        let ErrorCodeDeclaration { path, name, code, title, hint } = *declaration;
        let mut report = |rule: String| violations.push(Violation::new(path, rule));
        if !codes.insert(code) {
            report(format!("{code} is declared twice"));
        }
        if !names.insert(name) {
            report(format!("{name} is the name of two codes"));
        }
        if title.is_empty() || hint.is_empty() {
            report(format!("{name} needs a title and a hint"));
        }
        let owner = crate_name(path).unwrap_or_default();
        if path != SHARED_FILE && !path.ends_with(DECLARATIONS_FILE) {
            report(format!("{name} must be declared in {DECLARATIONS_FILE} of its crate"));
        }
        let users = uses.get(name).map(|users| users.iter().copied().collect::<Vec<_>>()).unwrap_or_default();
        let is_exception = EXCEPTIONS.iter().any(|(exception, _)| *exception == name);
        match (owner == SHARED_CRATE, &users[..]) {
            (_, []) => report(format!("{name} is not used; remove it, its page and its row")),
            (true, [user]) if !is_exception => {
                report(format!("{name} is used in {user} only; declare it in crates/{user}/{DECLARATIONS_FILE}"));
            }
            (false, [user]) if *user != owner => {
                report(format!("{name} is used in {user} only; declare it there"));
            }
            _ => {}
        }
        if is_exception && (owner != SHARED_CRATE || users.len() != 1) {
            report(format!("{name} is no exception any more; remove it from the list in tools/baton-house"));
        }
    }
    violations.extend(unlisted_files(tree, &declarations));
    violations
}

/// Files of declarations whose codes are in no composed list: their hints would be missing where a code is looked up.
fn unlisted_files(tree: &Tree, declarations: &[ErrorCodeDeclaration<'_>]) -> Vec<Violation> {
    let lists: String = COMPOSED_LISTS.iter().filter_map(|path| tree.text(path)).collect();
    let paths: BTreeSet<&str> = declarations.iter().map(|declaration| declaration.path).collect();
    let is_listed = |path: &str| {
        let list = crate_name(path).map(|name| format!(" {}::error_codes::ALL", name.replace('-', "_")));
        list.is_some_and(|list| lists.contains(&list))
    };
    paths
        .into_iter()
        .filter(|path| path.ends_with(DECLARATIONS_FILE) && !COMPOSED_LISTS.contains(path) && !is_listed(path))
        .map(|path| Violation::new(path, format!("its codes are not in {}", COMPOSED_LISTS.join(" or "))))
        .collect()
}

/// The crates that use `ErrorCode::NAME` or `error_codes::NAME` outside of tests and declarations, by name.
fn crates_by_used_name(tree: &Tree) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut uses: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (path, text) in tree.rust().filter(|(path, _)| is_source(path)) {
        let Some(user) = crate_name(path).filter(|_| path != SHARED_FILE && !path.ends_with(DECLARATIONS_FILE)) else {
            continue;
        };
        for tokens in SourceFile::parse(text).production_tokens().windows(4) {
            if let ["ErrorCode" | "error_codes", ":", ":", name] = tokens {
                uses.entry(name).or_default().insert(user);
            }
        }
    }
    uses
}

/// Whether the file is production source of a crate or a tool.
fn is_source(path: &str) -> bool {
    crate_name(path).is_some() && !is_test(path)
}

/// The crate of a source file.
fn crate_name(path: &str) -> Option<&str> {
    let inner = path.strip_prefix("crates/").or_else(|| path.strip_prefix("tools/"))?;
    let (name, rest) = inner.split_once('/')?;
    rest.starts_with("src/").then_some(name)
}

/// The content of a string literal.
fn literal(token: &str) -> Option<&str> {
    token.strip_prefix('"')?.strip_suffix('"')
}
