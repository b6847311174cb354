//! What is said to people: one line that fits a header or a log, whatever the query had.

/// Longer than anything that is worth reading.
const MOST: usize = 300;

/// The words in one line, cut if they are too many.
pub(crate) fn said(words: &str) -> String {
    let mut line = String::new();
    for (count, next) in words.chars().enumerate() {
        if count == MOST {
            line.push_str("..");
            break;
        }
        if next.is_control() { line.extend(next.escape_debug()) } else { line.push(next) }
    }
    line
}
