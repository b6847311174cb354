//! JSON strings with minimal escaping.

use std::fmt::Write as _;

/// Appends a JSON string.
pub(super) fn write(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            // Writing to a string does not fail.
            '\0'..='\u{1f}' => drop(write!(out, "\\u{:04x}", u32::from(c))),
            _ => out.push(c),
        }
    }
    out.push('"');
}
