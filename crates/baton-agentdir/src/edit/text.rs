//! File text by line and location, and YAML scalars.

use baton_document::{DocumentNode, NodeEntry, NodeValue, SourceLocation};
use std::fmt::Write as _;

/// Plain scalars that YAML does not read as text.
const NON_TEXT_SCALARS: [&str; 12] =
    ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf", "infinity"];

/// A text with the offsets of its lines.
pub(super) struct LineText<'a> {
    all: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineText<'a> {
    pub(super) fn new(all: &'a str) -> Self {
        let mut starts = vec![0];
        starts.extend(all.match_indices('\n').map(|(at, _)| at + 1));
        Self { all, starts }
    }

    pub(super) fn all(&self) -> &'a str {
        self.all
    }

    /// Line ending of the text.
    pub(super) fn line_ending(&self) -> &'static str {
        if self.all.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// A line, from 0, without its line ending.
    pub(super) fn line(&self, line: usize) -> &'a str {
        let from = self.starts.get(line).copied().unwrap_or(self.all.len());
        let to = self.starts.get(line + 1).copied().unwrap_or(self.all.len());
        self.all[from..to].trim_end_matches(['\r', '\n'])
    }

    /// Byte offset of a location.
    pub(super) fn offset(&self, location: SourceLocation) -> Option<usize> {
        let line = location.line.checked_sub(1)? as usize;
        let (start, text) = (self.starts.get(line)?, self.line(line));
        let column = location.column.checked_sub(1)? as usize;
        let within = text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(column)?;
        Some(start + within)
    }

    pub(super) fn splice(&self, from: usize, to: usize, new: &str) -> String {
        format!("{}{new}{}", &self.all[..from], &self.all[to.max(from)..])
    }

    /// The text with lines inserted after a line, from 0.
    pub(super) fn insert_after(&self, line: usize, lines: &str) -> String {
        match self.starts.get(line + 1) {
            Some(at) => self.splice(*at, *at, lines),
            // The last line has no line ending.
            None => format!("{}{}{}", self.all, self.line_ending(), lines.trim_end_matches(['\r', '\n'])),
        }
    }

    /// The text without these lines, from 0.
    pub(super) fn remove_lines(&self, first: usize, last: usize) -> String {
        self.splice(self.start_of_line(first), self.start_of_line(last + 1), "")
    }

    /// Byte offset of the start of a line, from 0.
    pub(super) fn start_of_line(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.all.len())
    }

    /// Byte offset of the end of a line, before its line break.
    pub(super) fn end_of_line(&self, line: usize) -> usize {
        self.start_of_line(line) + self.line(line).len()
    }

    /// The line of a byte offset.
    pub(super) fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// Number of lines.
    pub(super) fn lines(&self) -> usize {
        self.starts.len()
    }

    /// The last line of a value whose key is on `line` at `indent`: following lines with a larger indent, or list
    /// entries under the key, without trailing comments and blank lines.
    pub(super) fn block_end(&self, line: usize, indent: usize, is_list: bool) -> usize {
        let mut end = line;
        for next in line + 1..self.starts.len() {
            let text = self.line(next);
            let content = text.trim_start();
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let depth = text.len() - content.len();
            let is_entry = is_list && depth == indent && (content == "-" || content.starts_with("- "));
            if depth <= indent && !is_entry {
                break;
            }
            end = next;
        }
        end
    }
}

/// The line of a key, from 0.
pub(super) fn line_of_key(entry: &NodeEntry) -> usize {
    (entry.location.line as usize).saturating_sub(1)
}

/// Text as a YAML key, quoted if necessary.
pub(super) fn key(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(is_plain)
        && !NON_TEXT_SCALARS.contains(&text.to_ascii_lowercase().as_str());
    if is_word { text.to_owned() } else { quoted_text(text) }
}

/// Single-line text, quoted unless it is unambiguous as a plain scalar.
pub(super) fn plain_or_quoted(text: &str) -> String {
    let inside = |c: char| c.is_alphanumeric() || " _./()-+'!?;@%=:".contains(c);
    let is_safe = text.starts_with(|c: char| c.is_alphabetic())
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && text.chars().all(inside)
        && !NON_TEXT_SCALARS.contains(&text.to_lowercase().as_str());
    if is_safe { text.to_owned() } else { quoted_text(text) }
}

/// Whether YAML accepts a character unescaped.
pub(super) fn is_printable(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Text in double quotes, valid in both JSON and YAML.
pub(super) fn quoted_text(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c if !is_printable(c) => drop(write!(quoted, "\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// End of the scalar that starts at `from`: a plain word, number or boolean, or quoted text.
pub(super) fn scalar_end(all: &str, from: usize, node: &DocumentNode) -> Option<usize> {
    let rest = &all[from..];
    let length = match (&node.value, rest.chars().next()?) {
        (_, quote @ ('"' | '\'')) => quoted_len(rest, quote)?,
        (NodeValue::Number(number), _) => {
            let length = rest.find([',', '}', ']', ' ', '\r', '\n']).unwrap_or(rest.len());
            let is_it = rest[..length].parse::<f64>().ok() == number.as_f64();
            is_it.then_some(length)?
        }
        (NodeValue::Text(text), _) => rest.starts_with(text.as_str()).then_some(text.len())?,
        (NodeValue::Bool(value), _) => {
            let literal = value.to_string();
            rest.get(..literal.len()).filter(|there| there.eq_ignore_ascii_case(&literal))?.len()
        }
        _ => return None,
    };
    Some(from + length)
}

/// Length of quoted text on one line.
pub(super) fn quoted_len(rest: &str, quote: char) -> Option<usize> {
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = characters.next() {
        match c {
            '\n' => return None,
            '\\' if quote == '"' => drop(characters.next()),
            // Two single quotes are an escaped single quote.
            '\'' if quote == c && characters.peek().is_some_and(|(_, next)| *next == c) => drop(characters.next()),
            _ if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Position of the closing bracket of a flow map or list that opens at `from`.
pub(super) fn flow_end(all: &str, from: usize, close: char) -> Option<usize> {
    let mut depth = 0usize;
    let mut quote: Option<char> = None;
    let mut is_comment = false;
    let mut before = ' ';
    for (at, c) in all[from..].char_indices() {
        match (quote, c) {
            (_, '\n') if is_comment => is_comment = false,
            _ if is_comment => {}
            (Some('"'), _) if before == '\\' => {
                before = ' ';
                continue;
            }
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if !before.is_alphanumeric() => quote = Some(c),
            (None, '#') if before.is_whitespace() => is_comment = true,
            (None, '{' | '[') => depth += 1,
            (None, '}' | ']') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return (c == close).then_some(from + at);
                }
            }
            _ => {}
        }
        before = c;
    }
    None
}

/// Spacing of flow-style entries.
#[derive(Clone, Copy)]
pub(super) struct FlowStyle {
    pub(super) colon: &'static str,
    pub(super) comma: &'static str,
}

impl FlowStyle {
    pub(super) const SPACED_STYLE: Self = Self { colon: ": ", comma: ", " };
    pub(super) const COMPACT_STYLE: Self = Self { colon: ":", comma: "," };

    /// `a: {b: value}` for the keys.
    pub(super) fn nested(self, keys: &[String], value: &str) -> String {
        let text = keys.join(&format!("{}{{", self.colon));
        format!("{text}{}{value}{}", self.colon, "}".repeat(keys.len().saturating_sub(1)))
    }

    /// Candidates with an additional entry of `{...}` or `[...]`: at the end, else at the start.
    pub(super) fn insert(self, text: &LineText<'_>, from: usize, close: char, entry: &str) -> Vec<String> {
        let Some(end) = flow_end(text.all(), from, close) else { return Vec::new() };
        let inner = &text.all()[from + 1..end];
        let trimmed = inner.trim_end();
        if trimmed.trim().is_empty() {
            return vec![text.splice(from + 1, end, entry)];
        }
        let comma = if trimmed.ends_with(',') { self.comma.trim_start_matches(',') } else { self.comma };
        let at = from + 1 + trimmed.len();
        let space = if inner.starts_with(' ') { " " } else { "" };
        let first = format!("{space}{entry}{}", self.comma);
        vec![text.splice(at, at, &format!("{comma}{entry}")), text.splice(from + 1, from + 1, first.trim_end())]
    }
}
