//! Formatting of messages: one line that fits a header or a log, whatever text the query contained.

/// Maximum length of a message in characters.
const MAX_MESSAGE_CHARS: usize = 300;

/// The message on one line: control characters are escaped, long text is truncated.
pub(crate) fn single_line(text: &str) -> String {
    let mut line = String::new();
    for (count, next) in text.chars().enumerate() {
        if count == MAX_MESSAGE_CHARS {
            line.push_str("..");
            break;
        }
        if next.is_control() { line.extend(next.escape_debug()) } else { line.push(next) }
    }
    line
}
