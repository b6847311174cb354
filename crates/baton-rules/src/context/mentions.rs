//! `@rule:name` and `@ref:name` mentions in messages.

use baton_types::{ItemKind, ItemName, Knowledge};
use std::{borrow::Cow, ops::Range};

/// A mention of a rule or reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention<'a> {
    /// Rule or reference.
    pub kind: ItemKind,
    /// Name of the item.
    pub name: &'a str,
    /// Byte range of the mention.
    pub at: Range<usize>,
}

impl Mention<'_> {
    /// Whether the agent has the item.
    pub fn is_known(&self, knowledge: &Knowledge) -> bool {
        knowledge.items(self.kind).iter().any(|item| item.name == self.name)
    }

    /// Mentioned item.
    pub fn item(&self) -> ItemName {
        ItemName { kind: self.kind, name: self.name.to_owned() }
    }
}

const PREFIXES: [(&str, ItemKind); 2] = [("@rule:", ItemKind::Rule), ("@ref:", ItemKind::Reference)];

/// All mentions in a text, in order. An `@` directly after an alphanumeric character, as in an email address, is not a
/// mention, unless another mention ends there.
pub fn mentions(text: &str) -> Vec<Mention<'_>> {
    let mut found = Vec::new();
    let (mut from, mut last_end) = (0, None);
    while let Some(at) = text[from..].find('@').map(|at| from + at) {
        from = at + 1;
        let after_word = text[..at].chars().next_back().is_some_and(|before| before.is_alphanumeric() || before == '_');
        let continues_word = after_word && last_end != Some(at);
        let Some((prefix, kind)) =
            PREFIXES.iter().find(|(prefix, _)| !continues_word && text[at..].starts_with(prefix))
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

/// Text for the model: mentions of known items are removed, together with one of two resulting adjacent spaces. The
/// rest is unchanged.
pub fn without_mentions<'a>(text: &'a str, knowledge: &Knowledge) -> Cow<'a, str> {
    let mut known_mentions = mentions(text).into_iter().filter(|mention| mention.is_known(knowledge)).peekable();
    if known_mentions.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut output = String::with_capacity(text.len());
    let mut from = 0;
    for mention in known_mentions {
        output.push_str(&text[from..mention.at.start]);
        let doubled = output.ends_with(' ') && text[mention.at.end..].starts_with(' ');
        from = mention.at.end + usize::from(doubled);
    }
    output.push_str(&text[from..]);
    Cow::Owned(output)
}
