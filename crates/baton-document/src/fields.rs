//! Takes known keys out of a map; the remaining keys are errors.

use crate::{Diagnostic, DocumentNode, NodeEntry, NodeValue, SourceLocation, duration, size};
use std::time::Duration;

/// Maximum number of unknown keys reported per map.
const MAX_UNKNOWN_KEYS: usize = 20;

/// A value with its location for diagnostics.
#[derive(Clone, Debug, PartialEq)]
pub struct LocatedValue<T> {
    /// Location of the value.
    pub location: SourceLocation,
    /// The value.
    pub value: T,
}

/// Collects the diagnostics of one file.
#[derive(Debug)]
pub struct DocumentReader {
    file: String,
    diagnostics: Vec<Diagnostic>,
}

impl DocumentReader {
    /// Creates a reader for a file of this name.
    pub fn new(file: impl Into<String>) -> Self {
        Self { file: file.into(), diagnostics: Vec::new() }
    }

    /// Name of the file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Records an error with a suggested fix.
    pub fn error(&mut self, location: SourceLocation, message: impl Into<String>, hint: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(&self.file, location, message).with_hint(hint));
    }

    /// Records a warning with a suggested fix.
    pub fn warning(&mut self, location: SourceLocation, message: impl Into<String>, hint: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(&self.file, location, message).with_hint(hint));
    }

    /// Records an existing diagnostic.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Whether an error was recorded.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Number of errors recorded so far.
    pub fn error_count(&self) -> usize {
        self.diagnostics.iter().filter(|remark| remark.is_error()).count()
    }

    /// All diagnostics, in the order of the file.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        self.diagnostics.sort_by_key(|d| (d.line, d.column));
        self.diagnostics
    }

    /// Text; records an error for any other kind of value.
    pub fn text(&mut self, subject: &str, node: &DocumentNode) -> Option<LocatedValue<String>> {
        match &node.value {
            NodeValue::Text(text) => Some(LocatedValue { location: node.location, value: text.clone() }),
            NodeValue::Number(_) | NodeValue::Bool(_) => {
                let written = node.to_json().to_string();
                self.error(
                    node.location,
                    format!("{subject} must be text, not {}", node.kind()),
                    format!("put it in quotes: \"{written}\""),
                );
                None
            }
            _ => self.report_expected(subject, "text", node),
        }
    }

    /// A list; a value that is not a list is an error.
    pub fn list(&mut self, subject: &str, node: DocumentNode) -> Vec<DocumentNode> {
        match node.value {
            NodeValue::List(nodes) => nodes,
            NodeValue::Null => Vec::new(),
            _ => {
                let _: Option<()> = self.report_expected(subject, "a list", &node);
                Vec::new()
            }
        }
    }

    /// A list of texts.
    pub fn texts(&mut self, subject: &str, node: DocumentNode) -> Vec<LocatedValue<String>> {
        self.list(subject, node)
            .iter()
            .filter_map(|node| self.text(&format!("each entry of {subject}"), node))
            .collect()
    }

    /// A whole number within bounds.
    pub fn integer(&mut self, subject: &str, node: &DocumentNode, low: u64, high: u64) -> Option<u64> {
        match &node.value {
            NodeValue::Number(number) => match number.as_u64() {
                Some(value) if (low..=high).contains(&value) => Some(value),
                _ => {
                    self.error(
                        node.location,
                        format!("{subject} is {number}"),
                        format!("choose a whole number from {low} to {high}"),
                    );
                    None
                }
            },
            _ => self.report_expected(subject, "a whole number", node),
        }
    }

    /// A duration such as `30s` within bounds.
    pub fn duration(&mut self, subject: &str, node: &DocumentNode, low: Duration, high: Duration) -> Option<Duration> {
        let written = match &node.value {
            NodeValue::Text(text) => text.clone(),
            NodeValue::Number(number) => number.to_string(),
            _ => return self.report_expected(subject, "a duration", node),
        };
        match duration(&written) {
            Some(value) if (low..=high).contains(&value) => Some(value),
            Some(_) => {
                let hint = format!("choose a duration from {low:?} to {high:?}");
                self.error(node.location, format!("{subject} is {written}"), hint);
                None
            }
            None => {
                let hint = "write a number with a unit: 500ms, 30s, 5m, 2h or 1d";
                self.error(node.location, format!("{subject} is not a duration: {written}"), hint);
                None
            }
        }
    }

    /// A number of bytes such as `64KB` within bounds.
    pub fn size(&mut self, subject: &str, node: &DocumentNode, low: usize, high: usize) -> Option<usize> {
        let written = match &node.value {
            NodeValue::Text(text) => text.clone(),
            NodeValue::Number(number) => number.to_string(),
            _ => return self.report_expected(subject, "a size", node),
        };
        match size(&written) {
            Some(value) if (low..=high).contains(&value) => Some(value),
            Some(_) => {
                let hint = format!("choose a size from {low} to {high} bytes");
                self.error(node.location, format!("{subject} is {written}"), hint);
                None
            }
            None => {
                let hint = "write bytes or a number with a unit: 65536, 64KB or 1MB";
                self.error(node.location, format!("{subject} is not a size: {written}"), hint);
                None
            }
        }
    }

    /// One of a fixed set of keywords.
    pub fn choice<T: Copy>(&mut self, subject: &str, node: &DocumentNode, choices: &[(&str, T)]) -> Option<T> {
        let text = self.text(subject, node)?;
        let found = choices.iter().find(|(name, _)| *name == text.value).map(|(_, value)| *value);
        if found.is_none() {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            self.error(
                node.location,
                format!("{subject} cannot be '{}'", shorten_text(&text.value)),
                format!("choose one of: {}", names.join(", ")),
            );
        }
        found
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, subject: &str, node: &DocumentNode) -> Option<bool> {
        match node.value {
            NodeValue::Bool(value) => Some(value),
            _ => self.report_expected(subject, "true or false", node),
        }
    }

    /// Records that another kind of value was expected.
    pub fn report_expected<T>(&mut self, subject: &str, expected: &str, node: &DocumentNode) -> Option<T> {
        self.error(
            node.location,
            format!("{subject} must be {expected}, not {}", node.kind()),
            format!("write {expected} after the colon, or leave the key out"),
        );
        None
    }
}

/// The keys of one map, taken out one by one.
#[derive(Debug)]
pub struct Fields {
    /// Location of the map.
    pub location: SourceLocation,
    subject: String,
    entries: Vec<NodeEntry>,
    known_keys: Vec<&'static str>,
}

impl Fields {
    /// Opens a map; records an error for any other kind of value.
    pub fn open(reader: &mut DocumentReader, subject: impl Into<String>, node: DocumentNode) -> Option<Self> {
        let subject = subject.into();
        let location = node.location;
        match node.value {
            NodeValue::Map(entries) => Some(Self { location, subject, entries, known_keys: Vec::new() }),
            NodeValue::Null => Some(Self { location, subject, entries: Vec::new(), known_keys: Vec::new() }),
            _ => reader.report_expected(&subject, "a map of keys", &node),
        }
    }

    /// Whether a key is present.
    pub fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|entry| entry.key == key)
    }

    /// Takes a key; `None` if it is missing or null.
    pub fn take(&mut self, key: &'static str) -> Option<DocumentNode> {
        self.known_keys.push(key);
        let index = self.entries.iter().position(|entry| entry.key == key)?;
        let entry = self.entries.remove(index);
        (entry.node.value != NodeValue::Null).then_some(entry.node)
    }

    /// Takes a key that has several names; more than one of them is an error.
    pub fn take_any(&mut self, reader: &mut DocumentReader, keys: &[&'static str]) -> Option<DocumentNode> {
        let mut found: Option<(&str, DocumentNode)> = None;
        for key in keys {
            let Some(node) = self.take(key) else { continue };
            match &found {
                Some((other, _)) => {
                    let message = format!("{} has both '{other}' and '{key}', which mean the same", self.subject);
                    reader.error(node.location, message, "keep one of them");
                }
                None => found = Some((key, node)),
            }
        }
        found.map(|(_, node)| node)
    }

    /// Takes a text.
    pub fn text(&mut self, reader: &mut DocumentReader, key: &'static str) -> Option<LocatedValue<String>> {
        let node = self.take(key)?;
        reader.text(key, &node)
    }

    /// Takes a required text.
    pub fn required_text(
        &mut self,
        reader: &mut DocumentReader,
        key: &'static str,
        hint: &str,
    ) -> Option<LocatedValue<String>> {
        match self.take(key) {
            Some(node) => reader.text(key, &node),
            None => {
                reader.error(self.location, format!("{} has no {key}", self.subject), hint);
                None
            }
        }
    }

    /// Whether every key was taken.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All remaining keys, for maps with user-defined keys.
    pub fn into_entries(self) -> Vec<NodeEntry> {
        self.entries
    }

    /// Records an error for each remaining key.
    pub fn finish(self, reader: &mut DocumentReader) {
        for (entry, close) in self.unknown() {
            let hint = match close {
                Some(close) => format!("did you mean '{close}'?"),
                None => format!("known keys: {}", self.known_keys.join(", ")),
            };
            reader.error(entry.location, format!("{} has no key '{}'", self.subject, shorten_text(&entry.key)), hint);
        }
    }

    /// Records a warning for each remaining key. For files of other programs, where unknown keys are not errors.
    pub fn finish_lenient(self, reader: &mut DocumentReader) {
        for (entry, close) in self.unknown() {
            let hint = match close {
                Some(close) => format!("did you mean '{close}'?"),
                None => "it does no harm; remove it if nothing else reads this file".to_owned(),
            };
            reader.warning(
                entry.location,
                format!("the key '{}' of {} is not used", shorten_text(&entry.key), self.subject),
                hint,
            );
        }
    }

    /// The first unknown keys, each with the most similar known key. Limited to keep the output short.
    fn unknown(&self) -> impl Iterator<Item = (&NodeEntry, Option<&'static str>)> {
        self.entries.iter().take(MAX_UNKNOWN_KEYS).map(|entry| (entry, closest(&entry.key, &self.known_keys)))
    }
}

/// Text from a file, shortened for a message.
fn shorten_text(text: &str) -> String {
    let short: String = text.chars().take(60).map(|c| if c.is_control() { '·' } else { c }).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

fn closest<'a>(written: &str, known_keys: &[&'a str]) -> Option<&'a str> {
    let written: Vec<char> = written.chars().take(40).collect();
    known_keys
        .iter()
        .map(|key| (distance(&written, &key.chars().collect::<Vec<_>>()), *key))
        .filter(|(distance, key)| *distance <= 1 + key.len() / 4)
        .min()
        .map(|(_, key)| key)
}

fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
