//! Tests are never ignored, wait for events instead of sleeping, and are not examples of the documentation.

use crate::{Tree, Violation, tree::is_test};

/// Ignored tests anywhere, and sleeps in tests whose time is not paused.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (path, text) in tree.rust() {
        let paused = pauses_time(text) || (!has_tests(text) && sibling_files(tree, path).any(pauses_time));
        let mut in_tests = is_test(path);
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default().trim();
            in_tests |= code == "#[cfg(test)]";
            let location = || format!("{path}:{}", number + 1);
            if code.starts_with("#[ignore") {
                violations.push(Violation::new(location(), "is ignored; fix the test or remove it"));
            }
            let thread_sleep = code.contains("thread::sleep");
            let timer_sleep = code.contains("time::sleep") && !paused;
            if in_tests && (thread_sleep || timer_sleep) && !code.contains('"') {
                violations.push(Violation::new(location(), "sleeps in a test; await the event it waits for"));
            }
        }
        if text.contains("```") {
            violations.extend(doc_tests(text).map(|number| {
                let rule = "is a doc-test, which no run executes; write a test or use ```text";
                Violation::new(format!("{path}:{number}"), rule)
            }));
        }
    }
    violations
}

/// Lines of doc comments that open a block of Rust code.
fn doc_tests(text: &str) -> impl Iterator<Item = usize> {
    let mut open = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let line = line.trim_start();
        let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        let Some(language) = comment.and_then(|comment| comment.trim_start().strip_prefix("```")) else {
            open &= comment.is_some();
            return None;
        };
        open = !open;
        let first = language.split([',', ' ']).next().unwrap_or_default();
        let is_rust = matches!(first, "" | "rust" | "no_run" | "ignore" | "should_panic" | "compile_fail");
        (open && is_rust).then_some(index + 1)
    })
}

/// With paused time a sleep ends as soon as no other task can make progress, so it waits for events.
fn pauses_time(text: &str) -> bool {
    ["start_paused = true", "start_paused(true)", "time::pause()"].iter().any(|pause| text.contains(pause))
}

/// Whether a file contains test functions.
pub(crate) fn has_tests(text: &str) -> bool {
    text.lines().map(str::trim_start).any(|line| line.starts_with("#[test]") || line.starts_with("#[tokio::test"))
}

/// All files of the folder: a file without tests is used by the tests next to it.
fn sibling_files<'a>(tree: &'a Tree, path: &str) -> impl Iterator<Item = &'a str> {
    let folder = path.rfind('/').map_or(String::new(), |end| path[..=end].to_owned());
    tree.rust().filter(move |(other, _)| other.starts_with(&folder)).map(|(_, text)| text)
}
