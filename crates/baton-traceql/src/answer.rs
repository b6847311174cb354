//! What a trace answers.

use baton_types::{Key, Span, Value};

/// The spans of one trace, wherever they were found; a span occurs once.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// In no particular order.
    pub spans: Vec<Span>,
}

/// Spans of one trace that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Spanset {
    /// Positions in [`Trace::spans`], by start time.
    pub spans: Vec<usize>,
    /// What `by` and aggregates said about the set: `by(span.insight.type)`, `count()`.
    pub attributes: Vec<(String, Value)>,
}

/// Which attributes of a span an answer shows: those that the query used or selected.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shown {
    /// Keys without scope, with values in the order of the query.
    pub attributes: Vec<(Key, Value)>,
}

/// Keys that mean the same, whatever the emit mode: groups of names, most telling first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Aliases(pub &'static [&'static [&'static str]]);

impl Aliases {
    /// None: a key means itself.
    pub const NONE: Self = Self(&[]);

    /// The other names of a key.
    pub fn of<'a>(&self, name: &'a str) -> impl Iterator<Item = &'static str> + use<'a> {
        let group = self.0.iter().find(|group| group.contains(&name)).copied().unwrap_or_default();
        group.iter().copied().filter(move |other| *other != name)
    }
}
