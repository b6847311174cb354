//! `.env` in an agent's directory: variables of that agent only.

use baton_document::{Diagnostic, SourceLocation};
use baton_types::AgentVariables;
use std::collections::BTreeMap;

/// Name of the file.
pub const VARIABLES_FILE: &str = ".env";
const MAX_FILE: usize = 256 << 10;
const MAX_VARIABLES: usize = 1000;

/// Reads the file, if present. Invalid lines are reported, and no message repeats a value.
pub fn variables(files: &BTreeMap<String, Vec<u8>>) -> (AgentVariables, Vec<Diagnostic>) {
    let Some(bytes) = files.get(VARIABLES_FILE) else { return Default::default() };
    let mut remarks = Vec::new();
    if bytes.len() > MAX_FILE {
        remarks.push(
            Diagnostic::error(VARIABLES_FILE, SourceLocation::START, "the file is larger than 256KB")
                .with_hint("keep variables in it, nothing else"),
        );
        return (AgentVariables::default(), remarks);
    }
    let text = match baton_document::utf8(VARIABLES_FILE, bytes) {
        Ok(text) => text,
        Err(error) => return (AgentVariables::default(), vec![error]),
    };
    let mut all = BTreeMap::new();
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line_number = u32::try_from(number + 1).unwrap_or(u32::MAX);
        let location =
            |column: usize| SourceLocation { line: line_number, column: u32::try_from(column).unwrap_or(u32::MAX) };
        match entry(line) {
            Ok(None) => {}
            Ok(Some((name, value))) => {
                if all.len() >= MAX_VARIABLES && !all.contains_key(name) {
                    let message = format!("the file has more than {MAX_VARIABLES} variables");
                    remarks.push(Diagnostic::error(VARIABLES_FILE, location(1), message).with_hint("remove some"));
                    break;
                }
                all.insert(name.to_owned(), value);
            }
            Err(VariableLineError { column, message, hint }) => {
                remarks.push(Diagnostic::error(VARIABLES_FILE, location(column), message).with_hint(hint));
            }
        }
    }
    (AgentVariables(all), remarks)
}

struct VariableLineError {
    column: usize,
    message: &'static str,
    hint: &'static str,
}

/// `NAME=value`, quoted if it contains white space or `#`; `None` for blank lines and comments.
fn entry(line: &str) -> Result<Option<(&str, String)>, VariableLineError> {
    let trimmed = line.trim();
    if trimmed.is_empty() || trimmed.starts_with('#') {
        return Ok(None);
    }
    let begin = line.chars().take_while(|c| c.is_whitespace()).count() + 1;
    let trimmed = trimmed.strip_prefix("export ").map_or(trimmed, str::trim_start);
    let Some((name, value)) = trimmed.split_once('=') else {
        return Err(VariableLineError {
            column: begin,
            message: "the line has no `=`",
            hint: "write NAME=value, or # before a comment",
        });
    };
    let name = name.trim_end();
    if !is_variable(name) {
        let hint = "use letters, digits and underscores, such as OPENAI_API_KEY";
        return Err(VariableLineError {
            column: begin,
            message: "the text before `=` is not a valid variable name",
            hint,
        });
    }
    let unclosed = VariableLineError {
        column: begin,
        message: "a quote is not closed on its line",
        hint: "close it; values have one line, \\n is a line break",
    };
    let value = value.trim();
    let value = match value.chars().next() {
        Some('\'') => quoted(&value[1..], '\'').ok_or(unclosed)?,
        Some('"') => quoted(&value[1..], '"').ok_or(unclosed)?,
        // A comment starts with a space.
        _ => value.split(" #").next().unwrap_or_default().trim_end().to_owned(),
    };
    if value.contains('\0') {
        return Err(VariableLineError {
            column: begin,
            message: "the value contains a NUL character",
            hint: "remove it",
        });
    }
    Ok(Some((name, value)))
}

/// Text up to the closing quote, which only a comment may follow; escapes are supported in double quotes only.
fn quoted(text: &str, quote: char) -> Option<String> {
    let mut value = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            c if c == quote => {
                let rest = chars.as_str().trim_start();
                return (rest.is_empty() || rest.starts_with('#')).then_some(value);
            }
            '\\' if quote == '"' => match chars.next()? {
                'n' => value.push('\n'),
                'r' => value.push('\r'),
                't' => value.push('\t'),
                other @ ('"' | '\\' | '$') => value.push(other),
                other => value.extend(['\\', other]),
            },
            c => value.push(c),
        }
    }
    None
}

/// Whether this is a valid name of an environment variable.
pub(super) fn is_variable(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (1..=128).contains(&name.len()) && name.chars().all(allowed) && !name.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_lines_are_parsed() {
        let text = "\u{feff}# keys\n\nA=1\nexport B = two words \nC='a # b' # note\nD=\"x\\ny \\\"z\\\" \\q\"\nE=\nF=v#w # c\nG='it\\n'\n";
        let files = BTreeMap::from([(VARIABLES_FILE.to_owned(), text.as_bytes().to_vec())]);
        let (AgentVariables(all), remarks) = variables(&files);
        assert_eq!(remarks, []);
        let all: Vec<(&str, &str)> = all.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let expect = [
            ("A", "1"),
            ("B", "two words"),
            ("C", "a # b"),
            ("D", "x\ny \"z\" \\q"),
            ("E", ""),
            ("F", "v#w"),
            ("G", "it\\n"),
        ];
        assert_eq!(all, expect);
    }

    #[test]
    fn errors_have_a_line_and_no_value() {
        let text = "GOOD=1\nsecret-abc\n  1X=secret-abc\nQ=\"secret-abc\nR='secret-abc' x\n";
        let files = BTreeMap::from([(VARIABLES_FILE.to_owned(), text.as_bytes().to_vec())]);
        let (all, remarks) = variables(&files);
        assert_eq!(all.0.len(), 1);
        let places: Vec<(u32, u32)> = remarks.iter().map(|remark| (remark.line, remark.column)).collect();
        assert_eq!(places, [(2, 1), (3, 3), (4, 1), (5, 1)]);
        assert!(remarks.iter().all(|remark| !remark.to_string().contains("secret-abc") && remark.hint.is_some()));
        let big = BTreeMap::from([(VARIABLES_FILE.to_owned(), vec![b'#'; MAX_FILE + 1])]);
        assert_eq!(variables(&big).1.len(), 1);
    }
}
