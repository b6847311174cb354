//! A session as Markdown: made to be read, and read back as far as it goes.
//!
//! Each message stands under a heading of its own, calls and results under smaller ones. A line of somebody's text that
//! looks like one of ours is written with a backslash before it, so that texts come back exactly as they were.

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
const GIVEN: &str = "<!-- given: ";

/// Whether a line of text could be taken for one that this form is made of.
fn looks_like_ours(line: &str) -> bool {
    [USER, AGENT, NOTICE, CALL, RESULT, FAILURE, DATA, LINK, FILE, GIVEN].iter().any(|ours| line.starts_with(ours))
}

/// The line with a backslash before it if it looks like one of ours, however many there are already.
fn escaped(line: &str) -> String {
    if looks_like_ours(line.trim_start_matches('\\')) { format!("\\{line}") } else { line.to_owned() }
}

/// What [`escaped`] was given.
fn unescaped(line: &str) -> &str {
    match line.strip_prefix('\\') {
        Some(rest) if looks_like_ours(rest.trim_start_matches('\\')) => rest,
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back() {
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
            assert_eq!(unescaped(&escaped(line)), line);
            assert!(!looks_like_ours(&escaped(line)), "{line}");
        }
        assert_eq!(escaped("## Usage"), "## Usage");
    }
}
