//! Escapes untrusted text before it is displayed.

use std::{borrow::Cow, fmt::Write as _};

/// Whether a character controls a terminal or reorders displayed text: C0 and C1 controls and DEL, except newline and
/// tab, and the bidirectional embeddings, overrides and isolates.
pub fn is_control_sequence(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

/// Escapes every such character, as in `\u{1b}`. A carriage return before a newline is dropped.
pub fn escape_text(text: &str) -> Cow<'_, str> {
    escape_with(text, |out, c, next| match (c, next) {
        ('\r', Some('\n')) => Ok(()),
        _ => write!(out, "\\u{{{:x}}}", u32::from(c)),
    })
}

/// Escapes every such character as a JSON escape sequence. They occur only inside strings, so the value is unchanged.
pub fn escape_json(json: &str) -> Cow<'_, str> {
    escape_with(json, |out, c, next| match (c, next) {
        ('\r', Some('\n')) => Ok(()),
        _ => write!(out, "\\u{:04x}", u32::from(c)),
    })
}

fn escape_with(text: &str, escape: impl Fn(&mut String, char, Option<char>) -> std::fmt::Result) -> Cow<'_, str> {
    if !text.contains(is_control_sequence) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match is_control_sequence(c) {
            // Writing to a string does not fail.
            true => drop(escape(&mut out, c, rest.clone().next())),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_control_characters_are_escaped() {
        let all: String = (0..=0x2fff).filter_map(char::from_u32).collect();
        for escaped in [escape_text(&all), escape_json(&all)] {
            assert!(!escaped.contains(is_control_sequence), "{escaped:?}");
        }
        for (text, escaped) in [
            ("plain, größer\tand\nmore 🙂", "plain, größer\tand\nmore 🙂"),
            ("\u{1b}]52;c;aGk=\u{7}", "\\u{1b}]52;c;aGk=\\u{7}"),
            ("a\r\nb\rc", "a\nb\\u{d}c"),
            ("\u{9b}31m\u{7f}\u{202e}", "\\u{9b}31m\\u{7f}\\u{202e}"),
        ] {
            assert_eq!(escape_text(text), escaped);
        }
    }

    #[test]
    fn escaped_json_has_the_same_value() {
        let value = serde_json::json!({"\u{9b}key": "\u{1b}\u{7f}\u{85}\u{2067}\u{202e}\r\n plain"});
        let escaped = escape_json(&serde_json::to_string_pretty(&value).unwrap()).into_owned();
        assert!(!escaped.contains(is_control_sequence), "{escaped:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
    }
}
