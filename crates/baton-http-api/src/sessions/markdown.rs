//! Markdown format of exported sessions: readable, and importable with some loss.
//!
//! Each message has a heading, calls and results have subheadings. A line of message text that looks like a marker is
//! escaped with a backslash, so that text survives a round trip unchanged.

mod read;
mod write;

pub(super) use read::read;
pub(super) use write::write;

const USER: &str = "## User";
const AGENT: &str = "## Agent";
const NOTICE: &str = "## Notice";
const CALL: &str = "### Call ";
const RESULT: &str = "### Result of ";
const FAILURE: &str = "### Failure of ";
const DATA: &str = "### Data";
const LINK: &str = "### Link";
const FILE: &str = "### File";
const REQUEST_CONTEXT_MARKER: &str = "<!-- given: ";

/// Whether a line starts with a marker of this format.
fn is_marker_line(line: &str) -> bool {
    [USER, AGENT, NOTICE, CALL, RESULT, FAILURE, DATA, LINK, FILE, REQUEST_CONTEXT_MARKER]
        .iter()
        .any(|ours| line.starts_with(ours))
}

/// Escapes a line with a backslash if it looks like a marker, also if it already has backslashes.
fn escape_line(line: &str) -> String {
    if is_marker_line(line.trim_start_matches('\\')) { format!("\\{line}") } else { line.to_owned() }
}

/// Removes the escape of a marker line.
fn unescape_line(line: &str) -> &str {
    match line.strip_prefix('\\') {
        Some(rest) if is_marker_line(rest.trim_start_matches('\\')) => rest,
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_lines_round_trip() {
        for line in [
            "",
            "text",
            "# Heading",
            "## User",
            "## Users",
            "\\## User · now",
            "\\\\### Call `x`",
            "\\",
            "<!-- given: x",
        ] {
            assert_eq!(unescape_line(&escape_line(line)), line);
            assert!(!is_marker_line(&escape_line(line)), "{line}");
        }
        assert_eq!(escape_line("## Usage"), "## Usage");
    }
}
