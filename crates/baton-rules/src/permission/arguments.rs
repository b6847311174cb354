//! Arguments of a call for rule matching.

use baton_types::{ArgumentMatch, Json, glob_matches};
use serde_json::value::RawValue;
use std::{borrow::Cow, cell::OnceCell, collections::BTreeMap};

/// Arguments of a call; none if they are unknown.
pub(super) struct RuleArguments<'a>(Option<ArgumentValue<'a>>);

impl<'a> RuleArguments<'a> {
    pub(super) fn new(arguments: Option<&'a Json>) -> Self {
        Self(arguments.map(|arguments| ArgumentValue::new(arguments.as_str())))
    }

    /// Creates a matcher for a sequence of rules.
    pub(super) fn matcher(&self) -> ArgumentMatcher<'_, 'a> {
        ArgumentMatcher { root: self.0.as_ref(), last: None }
    }
}

/// Matches rules against arguments and caches the last lookup: rules of one tool mostly check one argument.
pub(super) struct ArgumentMatcher<'l, 'a> {
    root: Option<&'l ArgumentValue<'a>>,
    last: Option<(&'l str, Option<&'l str>)>,
}

impl<'l> ArgumentMatcher<'l, '_> {
    /// Whether a call has all these arguments; a missing argument never matches.
    pub(super) fn matches(&mut self, patterns: &'l [ArgumentMatch]) -> bool {
        patterns.iter().all(|pattern| match self.root {
            Some(root) => self.text(root, &pattern.path).is_some_and(|text| glob_matches(&pattern.glob, text)),
            None => pattern.matches_all_arguments(),
        })
    }

    /// Whether the value of an argument is ambiguous: the receiver may parse it differently.
    pub(super) fn is_ambiguous(&self, patterns: &[ArgumentMatch]) -> bool {
        self.root.is_some_and(|root| patterns.iter().any(|pattern| root.is_ambiguous(&pattern.path)))
    }

    fn text(&mut self, root: &'l ArgumentValue<'_>, pointer: &'l str) -> Option<&'l str> {
        match self.last {
            Some((last, text)) if last == pointer => text,
            _ => {
                let text = root.resolve_pointer(pointer).and_then(ArgumentValue::text);
                self.last = Some((pointer, text));
                text
            }
        }
    }
}

/// One value of the arguments, parsed lazily and once.
struct ArgumentValue<'a> {
    json: &'a str,
    text: OnceCell<Option<Cow<'a, str>>>,
    inside: OnceCell<ArgumentContent<'a>>,
}

enum ArgumentContent<'a> {
    Members(BTreeMap<String, ArgumentValue<'a>>),
    Entries(Vec<ArgumentValue<'a>>),
    Nothing,
    /// Invalid member names, such as a lone surrogate.
    Unreadable,
}

impl<'a> ArgumentValue<'a> {
    fn new(json: &'a str) -> Self {
        Self { json, text: OnceCell::new(), inside: OnceCell::new() }
    }

    /// Resolves a JSON pointer.
    fn resolve_pointer(&self, pointer: &str) -> Option<&Self> {
        if pointer.is_empty() {
            return Some(self);
        }
        let mut value = self;
        for step in pointer.strip_prefix('/')?.split('/') {
            value = value.step(step)?;
        }
        Some(value)
    }

    fn step(&self, step: &str) -> Option<&Self> {
        match self.inside.get_or_init(|| self.read()) {
            ArgumentContent::Members(members) if step.contains('~') => {
                members.get(&step.replace("~1", "/").replace("~0", "~"))
            }
            ArgumentContent::Members(members) => members.get(step),
            ArgumentContent::Entries(entries) => {
                let is_index = step == "0" || !step.starts_with(['0', '+']);
                entries.get(step.parse::<usize>().ok().filter(|_| is_index)?)
            }
            ArgumentContent::Nothing | ArgumentContent::Unreadable => None,
        }
    }

    fn is_ambiguous(&self, pointer: &str) -> bool {
        let mut value = self;
        for step in pointer.strip_prefix('/').into_iter().flat_map(|steps| steps.split('/')) {
            match value.step(step) {
                Some(next) => value = next,
                None => return matches!(value.inside.get(), Some(ArgumentContent::Unreadable)),
            }
        }
        value.text().is_none()
    }

    fn read(&self) -> ArgumentContent<'a> {
        let value = |raw: &'a RawValue| ArgumentValue::new(raw.get());
        match self.json.as_bytes().first() {
            Some(b'{') => match serde_json::from_str::<BTreeMap<String, &'a RawValue>>(self.json) {
                Ok(members) => {
                    ArgumentContent::Members(members.into_iter().map(|(name, raw)| (name, value(raw))).collect())
                }
                Err(_) => ArgumentContent::Unreadable,
            },
            Some(b'[') => match serde_json::from_str::<Vec<&'a RawValue>>(self.json) {
                Ok(entries) => ArgumentContent::Entries(entries.into_iter().map(value).collect()),
                Err(_) => ArgumentContent::Nothing,
            },
            _ => ArgumentContent::Nothing,
        }
    }

    /// Text of a string, JSON of any other value; none if the string is invalid.
    fn text(&self) -> Option<&str> {
        let read = || match self.json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(plain) if !plain.contains('\\') => Some(Cow::Borrowed(plain)),
            Some(_) => serde_json::from_str(self.json).ok().map(Cow::Owned),
            None => Some(Cow::Borrowed(self.json)),
        };
        self.text.get_or_init(read).as_deref()
    }
}
