//! `@rule:name` and `@ref:name` in what a caller says.

use baton_types::{ItemKind, ItemName, Knowledge};
use std::{borrow::Cow, ops::Range};

/// A rule or reference that a text names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention<'a> {
    /// Which of both.
    pub kind: ItemKind,
    /// Its name.
    pub name: &'a str,
    /// Where the whole mention stands.
    pub at: Range<usize>,
}

impl Mention<'_> {
    /// Whether the agent has it.
    pub fn is_known(&self, knowledge: &Knowledge) -> bool {
        knowledge.items(self.kind).iter().any(|item| item.name == self.name)
    }

    /// The item that is meant.
    pub fn item(&self) -> ItemName {
        ItemName { kind: self.kind, name: self.name.to_owned() }
    }
}

const PREFIXES: [(&str, ItemKind); 2] = [("@rule:", ItemKind::Rule), ("@ref:", ItemKind::Reference)];

/// All mentions in a text, in order. One that goes on from a word, as the domain of a mail address does, is none.
pub fn mentions(text: &str) -> Vec<Mention<'_>> {
    let mut found = Vec::new();
    let (mut from, mut last_end) = (0, None);
    while let Some(at) = text[from..].find('@').map(|at| from + at) {
        from = at + 1;
        let after_word = text[..at].chars().next_back().is_some_and(|before| before.is_alphanumeric() || before == '_');
        let goes_on = after_word && last_end != Some(at);
        let Some((prefix, kind)) = PREFIXES.iter().find(|(prefix, _)| !goes_on && text[at..].starts_with(prefix))
        else {
            continue;
        };
        let rest = &text[at + prefix.len()..];
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let name = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
        if !name.is_empty() {
            let end = at + prefix.len() + name.len();
            found.push(Mention { kind: *kind, name, at: at..end });
            (from, last_end) = (end, Some(end));
        }
    }
    found
}

/// The text as the model sees it: without the mentions of what the agent has, and with one of the two spaces that would
/// be left between their neighbours. Everything else stays as it was written.
pub fn without_mentions<'a>(text: &'a str, knowledge: &Knowledge) -> Cow<'a, str> {
    let mut known = mentions(text).into_iter().filter(|mention| mention.is_known(knowledge)).peekable();
    if known.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for mention in known {
        kept.push_str(&text[from..mention.at.start]);
        let doubled = kept.ends_with(' ') && text[mention.at.end..].starts_with(' ');
        from = mention.at.end + usize::from(doubled);
    }
    kept.push_str(&text[from..]);
    Cow::Owned(kept)
}
