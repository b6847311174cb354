//! Tests are never ignored, and wait for events instead of sleeping.

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
    }
    violations
}

/// With paused time a sleep ends as soon as no other task can make progress, so it waits for events.
fn pauses_time(text: &str) -> bool {
    ["start_paused = true", "start_paused(true)", "time::pause()"].iter().any(|pause| text.contains(pause))
}

fn has_tests(text: &str) -> bool {
    text.contains("#[test]") || text.contains("#[tokio::test")
}

/// All files of the folder: a file without tests is used by the tests next to it.
fn sibling_files<'a>(tree: &'a Tree, path: &str) -> impl Iterator<Item = &'a str> {
    let folder = path.rfind('/').map_or(String::new(), |end| path[..=end].to_owned());
    tree.rust().filter(move |(other, _)| other.starts_with(&folder)).map(|(_, text)| text)
}
