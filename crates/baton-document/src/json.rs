//! JSON as written in configuration files: comments and trailing commas are accepted.

use crate::{Diagnostic, DocumentNode, NodeEntry, NodeValue, SourceLocation, utf8, vectors::skip_number_list};

const MAX_DEPTH: usize = 64;
const MAX_NODES: usize = 100_000;

/// Reads one JSON document. `//` and `/* */` are comments, and a trailing comma is accepted.
pub fn read_json(file: &str, bytes: &[u8]) -> Result<DocumentNode, Diagnostic> {
    parse_document(file, bytes, false)
}

/// Reads a JSON document with possibly megabytes of `embeddings`, which are read as null.
pub fn read_json_lean(file: &str, bytes: &[u8]) -> Result<DocumentNode, Diagnostic> {
    parse_document(file, bytes, true)
}

fn parse_document(file: &str, bytes: &[u8], is_lean: bool) -> Result<DocumentNode, Diagnostic> {
    let text = utf8(file, bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))?;
    let mut cursor = Cursor { rest: text, location: SourceLocation::START, nodes: 0, is_lean };
    let node = cursor.document();
    node.map_err(|(location, message, hint)| Diagnostic::error(file, location, message).with_hint(hint))
}

type JsonSyntaxError = (SourceLocation, &'static str, &'static str);

/// JSON parser. Messages never repeat the content of the file: it may be a secret.
struct Cursor<'a> {
    rest: &'a str,
    location: SourceLocation,
    nodes: usize,
    is_lean: bool,
}

impl Cursor<'_> {
    fn document(&mut self) -> Result<DocumentNode, JsonSyntaxError> {
        self.skip_blank()?;
        if self.rest.is_empty() {
            return Ok(DocumentNode { location: SourceLocation::START, value: NodeValue::Null });
        }
        let node = self.node(0)?;
        self.skip_blank()?;
        match self.rest.is_empty() {
            true => Ok(node),
            false => self.fail("there is content after the end of the document", "check the brackets before it"),
        }
    }

    fn node(&mut self, depth: usize) -> Result<DocumentNode, JsonSyntaxError> {
        self.nodes += 1;
        if depth > MAX_DEPTH || self.nodes > MAX_NODES {
            return self.fail("the file is too large or too deep", "use fewer values and less nesting");
        }
        let location = self.location;
        let value = match self.rest.chars().next() {
            Some('{') => NodeValue::Map(self.map(depth)?),
            Some('[') => NodeValue::List(self.list(depth)?),
            Some('"') => NodeValue::Text(self.text()?),
            Some('-' | '0'..='9') => self.number()?,
            _ => self.literal()?,
        };
        Ok(DocumentNode { location, value })
    }

    fn map(&mut self, depth: usize) -> Result<Vec<NodeEntry>, JsonSyntaxError> {
        let mut entries: Vec<NodeEntry> = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        self.advance(1);
        loop {
            self.skip_blank()?;
            if self.consume('}') {
                return Ok(entries);
            }
            let location = self.location;
            if !self.rest.starts_with('"') {
                return self.fail("a key in quotes is missing", "write \"key\": value, or close the bracket");
            }
            let key = self.text()?;
            if !seen.insert(key.clone()) {
                return Err((location, "the key is defined twice in this map", "keep one of them"));
            }
            self.skip_blank()?;
            if !self.consume(':') {
                return self.fail("a colon is missing after the key", "write \"key\": value");
            }
            self.skip_blank()?;
            let vectors = (self.is_lean && key == "embeddings").then(|| skip_number_list(self.rest)).flatten();
            let node = match vectors {
                Some(behind) => {
                    let location = self.location;
                    self.advance(self.rest.len() - behind.len());
                    DocumentNode { location, value: NodeValue::Null }
                }
                None => self.node(depth + 1)?,
            };
            entries.push(NodeEntry { key, location, node });
            self.next_or('}')?;
        }
    }

    fn list(&mut self, depth: usize) -> Result<Vec<DocumentNode>, JsonSyntaxError> {
        let mut nodes = Vec::new();
        self.advance(1);
        loop {
            self.skip_blank()?;
            if self.consume(']') {
                return Ok(nodes);
            }
            nodes.push(self.node(depth + 1)?);
            self.next_or(']')?;
        }
    }

    /// Skips the comma between two entries; a closing bracket is left for the caller.
    fn next_or(&mut self, close: char) -> Result<(), JsonSyntaxError> {
        self.skip_blank()?;
        match self.consume(',') || self.rest.starts_with(close) {
            true => Ok(()),
            false => {
                self.fail("a comma or a closing bracket is missing", "check commas and brackets before this point")
            }
        }
    }

    fn text(&mut self) -> Result<String, JsonSyntaxError> {
        let mut is_escaped = false;
        for (at, byte) in self.rest.bytes().enumerate().skip(1) {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => {
                    let Ok(text) = serde_json::from_str(&self.rest[..=at]) else {
                        return self
                            .fail("the text has an escape that JSON does not know", "write a backslash as \\\\");
                    };
                    self.advance(at + 1);
                    return Ok(text);
                }
                b'\n' => break,
                _ => {}
            }
        }
        self.fail("the text has no closing quote on its line", "close it with a quote; write a line break as \\n")
    }

    fn number(&mut self) -> Result<NodeValue, JsonSyntaxError> {
        let end = self.rest.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'));
        let end = end.unwrap_or(self.rest.len());
        match serde_json::from_str(&self.rest[..end]) {
            Ok(number) => {
                self.advance(end);
                Ok(NodeValue::Number(number))
            }
            Err(_) => self.fail("this is not a number", "write it in digits, or put text in quotes"),
        }
    }

    fn literal(&mut self) -> Result<NodeValue, JsonSyntaxError> {
        for (literal, value) in
            [("true", NodeValue::Bool(true)), ("false", NodeValue::Bool(false)), ("null", NodeValue::Null)]
        {
            if self.rest.starts_with(literal) {
                self.advance(literal.len());
                return Ok(value);
            }
        }
        self.fail("a value is missing here", "write text in quotes, a number, true, false, null, a list or a map")
    }

    fn skip_blank(&mut self) -> Result<(), JsonSyntaxError> {
        loop {
            let blank = self.rest.len() - self.rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            self.advance(blank);
            if self.rest.starts_with("//") {
                self.advance(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if self.rest.starts_with("/*") {
                let Some(end) = self.rest.find("*/") else {
                    return self.fail("the comment has no end", "close it with */");
                };
                self.advance(end + 2);
            } else {
                return Ok(());
            }
        }
    }

    fn consume(&mut self, character: char) -> bool {
        let is_there = self.rest.starts_with(character);
        if is_there {
            self.advance(character.len_utf8());
        }
        is_there
    }

    fn advance(&mut self, bytes: usize) {
        let (passed, rest) = self.rest.split_at(bytes);
        for character in passed.chars() {
            if character == '\n' {
                self.location = SourceLocation { line: self.location.line.saturating_add(1), column: 1 };
            } else {
                self.location.column = self.location.column.saturating_add(1);
            }
        }
        self.rest = rest;
    }

    fn fail<T>(&self, message: &'static str, hint: &'static str) -> Result<T, JsonSyntaxError> {
        Err((self.location, message, hint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_with_comments_and_trailing_commas_is_read() {
        for (text, expect) in [
            ("", json!(null)),
            ("// nothing", json!(null)),
            ("{}", json!({})),
            ("\u{feff}[1, -2.5e3, true, false, null]", json!([1, -2500.0, true, false, null])),
            ("{\"a\": /* x */ \"\\u00e4\\\"\\\\\", // y\n \"b\": [1, 2,],\n}", json!({"a": "ä\"\\", "b": [1, 2]})),
            ("{\"url\": \"https://a/*b*/\"}", json!({"url": "https://a/*b*/"})),
            ("\"\\ud83d\\ude00\"", json!("😀")),
        ] {
            assert_eq!(read_json("f", text.as_bytes()).map(|node| node.to_json()), Ok(expect), "{text}");
        }
    }

    #[test]
    fn errors_have_a_position() {
        for (text, expect) in [
            ("{\n  \"a\": 1\n  \"b\": 2\n}", "f:3:3: error: a comma or a closing bracket is missing"),
            ("{\"a\": 1, \"a\": 2}", "f:1:10: error: the key is defined twice in this map"),
            ("{a: 1}", "f:1:2: error: a key in quotes is missing"),
            ("{\"a\" 1}", "f:1:6: error: a colon is missing after the key"),
            ("{\"ä\": }", "f:1:7: error: a value is missing here"),
            ("[\"x\ny\"]", "f:1:2: error: the text has no closing quote on its line"),
            ("[\"\\q\"]", "f:1:2: error: the text has an escape that JSON does not know"),
            ("[1-2]", "f:1:2: error: this is not a number"),
            ("[1] 2", "f:1:5: error: there is content after the end of the document"),
            ("/* x", "f:1:1: error: the comment has no end"),
            ("[", "f:1:2: error: a value is missing here"),
        ] {
            let remark = read_json("f", text.as_bytes()).expect_err("a mistake").to_string();
            assert_eq!(remark.lines().next(), Some(expect), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert!(read_json("f", deep.as_bytes()).is_err_and(|remark| remark.message.contains("too deep")));
    }
}
