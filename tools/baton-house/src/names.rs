//! Names are nouns of the field: which words a type or a constant must not end with, and how often one name may be used.

use crate::{
    Tree, Violation,
    source::{ItemKind, SourceFile},
    tree::is_test,
    word_forms,
};
use std::{collections::BTreeMap, fmt};

/// A type name may be defined this often outside of wire dialects and tests.
pub const MAX_DEFINITIONS: usize = 3;

/// Endings of constants that hold a `Duration`.
const DURATION_ENDINGS: &[&str] = &[
    "AGE",
    "BACKOFF",
    "BUDGET",
    "DAY",
    "DEADLINE",
    "DELAY",
    "DURATION",
    "HOUR",
    "INTERVAL",
    "LIFETIME",
    "LIMIT",
    "MINUTE",
    "PERIOD",
    "RETENTION",
    "SECOND",
    "TIMEOUT",
    "TTL",
    "WINDOW",
];

/// Words for limits that have a standard form: `MAX_`, `MIN_`, `DEFAULT_`, `_TIMEOUT`, `_INTERVAL`.
const LIMIT_WORDS: &[&str] = &[
    "BREATH",
    "DEEPEST",
    "FAREWELL",
    "FEW",
    "GRACE",
    "LARGEST",
    "LATECOMERS",
    "LEAST",
    "LONGEST",
    "LOOKS",
    "MANY",
    "MOMENT",
    "MOST",
    "OFTEN",
    "PATIENCE",
    "PAUSE",
    "ROOM",
    "SHORTEST",
    "SMALLEST",
    "SOON",
    "SPARED",
    "STAY",
    "TRIES",
    "USUAL",
];

/// Share of names that break or strain the rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NameFigures {
    /// Type definitions in production code.
    pub types: usize,
    /// Definitions whose name ends with a participle, gerund, pronoun, preposition or question word.
    pub not_nouns: usize,
    /// Definitions with a name of one word.
    pub one_word: usize,
    /// Definitions whose name is defined three times or more.
    pub repeated: usize,
}

impl NameFigures {
    /// Percentage of the type definitions.
    pub fn percent(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.types.max(1) as f64
    }
}

impl fmt::Display for NameFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "type definitions: {}", self.types)?;
        writeln!(f, "participles, pronouns, prepositions, gerunds: {:.1} %", self.percent(self.not_nouns))?;
        writeln!(f, "names of one word: {:.1} %", self.percent(self.one_word))?;
        write!(f, "names defined three times or more: {:.1} %", self.percent(self.repeated))
    }
}

/// A type name that is accepted although it breaks the rule, with the reason: `Name: reason`, one per line.
fn parse_exceptions(exceptions: &str) -> (BTreeMap<&str, &str>, Vec<Violation>) {
    let lines = exceptions.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let (mut accepted, mut violations) = (BTreeMap::new(), Vec::new());
    for line in lines {
        match line.split_once(": ") {
            Some((name, reason)) if reason.trim().len() >= 10 => {
                accepted.insert(name, reason);
            }
            _ => violations.push(Violation::new(line, "an exception is a name, a colon and a reason")),
        }
    }
    (accepted, violations)
}

/// Production files with their lexed content.
fn production(tree: &Tree) -> impl Iterator<Item = (&str, SourceFile<'_>)> {
    tree.rust().filter(|(path, _)| !is_test(path)).map(|(path, text)| (path, SourceFile::parse(text)))
}

/// Paths of every type definition by name.
fn type_definitions(tree: &Tree) -> BTreeMap<&str, Vec<&str>> {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (path, source) in production(tree) {
        for item in source.definitions().into_iter().filter(|item| item.kind == ItemKind::Type) {
            all.entry(item.name).or_default().push(path);
        }
    }
    all
}

/// Whether a file holds the types of a public wire dialect, which keep the names of their specification.
fn is_wire(path: &str) -> bool {
    path.starts_with("crates/baton-wire/") || path.starts_with("crates/baton-proto/")
}

/// Measures the type names of the production code.
pub fn measure(tree: &Tree) -> NameFigures {
    let mut figures = NameFigures::default();
    for (name, paths) in type_definitions(tree) {
        let count = paths.len();
        figures.types += count;
        figures.not_nouns += if word_forms::fault(name).is_some() { count } else { 0 };
        figures.one_word += if word_forms::words(name).len() == 1 { count } else { 0 };
        figures.repeated += if count >= 3 { count } else { 0 };
    }
    figures
}

/// Types that are not nouns, and names that are defined too often. `exceptions` lists accepted names with reasons.
pub fn check_types(tree: &Tree, exceptions: &str) -> Vec<Violation> {
    let (mut accepted, mut violations) = parse_exceptions(exceptions);
    for (name, paths) in type_definitions(tree) {
        let fault = word_forms::fault(name);
        let repeats = paths.iter().filter(|path| !is_wire(path)).count();
        if fault.is_none() && repeats <= MAX_DEFINITIONS {
            continue;
        }
        if accepted.remove(name).is_some() {
            continue;
        }
        if let Some(fault) = fault {
            violations.extend(paths.iter().map(|path| Violation::new(format!("{path}: {name}"), fault)));
        }
        if repeats > MAX_DEFINITIONS {
            let rule = format!("is defined {repeats} times ({}); put the scope into the name", paths.join(", "));
            violations.push(Violation::new(name, rule));
        }
    }
    violations.extend(accepted.into_keys().map(|name| Violation::new(name, "needs no exception; remove it")));
    violations
}

/// Constants outside of the pattern.
pub fn check_constants(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (path, source) in production(tree) {
        for item in source.definitions().into_iter().filter(|item| item.kind == ItemKind::Constant) {
            if let Some(rule) = constant_fault(item.name, &item.type_text) {
                violations.push(Violation::new(format!("{path}: {}", item.name), rule));
            }
        }
    }
    violations
}

fn constant_fault(name: &str, type_text: &str) -> Option<String> {
    let words: Vec<&str> = name.split('_').collect();
    if let Some(word) = words.iter().find(|word| LIMIT_WORDS.contains(word)) {
        return Some(format!(
            "'{word}' has a standard form: MAX_, MIN_, DEFAULT_, _TIMEOUT, _INTERVAL, _DELAY or _LIMIT"
        ));
    }
    if let [word] = words[..]
        && word != "ALL"
        && let Some(fault) = word_forms::word_fault(&word.to_lowercase())
    {
        return Some(fault.to_owned());
    }
    let is_duration = type_text.split(' ').any(|token| token == "Duration");
    let has_prefix = matches!(words.first(), Some(&("MAX" | "MIN" | "DEFAULT"))) && words.len() > 1;
    let has_ending = words.last().is_some_and(|last| DURATION_ENDINGS.contains(last));
    (is_duration && !has_prefix && !has_ending)
        .then(|| "is a Duration: use MAX_, MIN_, DEFAULT_, _TIMEOUT, _INTERVAL, _DELAY, _TTL or _PERIOD".to_owned())
}

/// Production files that are named like tests.
pub fn check_files(tree: &Tree) -> Vec<Violation> {
    let is_misnamed = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        (name == "test.rs" || name.ends_with("_test.rs")) && !path.contains("/tests/")
    };
    let paths = tree.rust().map(|(path, _)| path).filter(|path| is_misnamed(path));
    paths.map(|path| Violation::new(path, "is production code; its name says that it is a test")).collect()
}
