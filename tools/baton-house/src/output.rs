//! Only designated modules write to the standard streams, because they escape the text.

use crate::{Tree, Violation, tree::is_test};

/// Files that may write to the standard streams.
const ALLOWED_FILES: &[&str] = &["crates/baton/src/screen.rs", "crates/baton-local/src/log_writer.rs"];

/// Code that writes to them.
const OUTPUT_CALLS: &[&str] =
    &["print!", "println!", "eprint!", "eprintln!", "dbg!", "io::stdout", "io::stderr", "stdout()", "stderr()"];

/// Code that queries a stream without writing to it.
const STREAM_QUERIES: &[&str] = &[".is_terminal()", "terminal_size_of("];

/// Sources that write to stdout or stderr without the escaping writers.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (path, text) in tree.rust().filter(|(path, _)| is_source(path) && !ALLOWED_FILES.contains(path)) {
        for (number, line) in text.lines().enumerate() {
            if line.trim() == "#[cfg(test)]" {
                break;
            }
            let code = line.split("//").next().unwrap_or_default();
            if STREAM_QUERIES.iter().any(|question| code.contains(question)) {
                continue;
            }
            if let Some(way) = OUTPUT_CALLS.iter().find(|way| mentions(code, way)) {
                violations.push(Violation::new(
                    format!("{path}:{}", number + 1),
                    format!("uses {way}; write through Screen or LogWriter, which escape control characters"),
                ));
            }
        }
    }
    violations
}

fn is_source(path: &str) -> bool {
    path.starts_with("crates/") && path.contains("/src/") && !is_test(path)
}

/// Whether the code contains `way` as a whole name, not as the end of a longer name or as a method.
fn mentions(code: &str, way: &str) -> bool {
    let in_name = |character: char| character.is_alphanumeric() || matches!(character, '_' | '.');
    code.match_indices(way).any(|(at, _)| !code[..at].ends_with(in_name))
}
