//! Input and output types of an evaluation.

use baton_types::{AttributeKey, Span, SpanValue};

/// All known spans of one trace, each once.
#[derive(Clone, Debug, Default)]
pub struct TraceSpans {
    /// The spans, in no particular order.
    pub spans: Vec<Span>,
}

/// A group of spans of one trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Spanset {
    /// Positions in [`TraceSpans::spans`], by start time.
    pub spans: Vec<usize>,
    /// Values of `by` and of aggregates: `by(span.insight.type)`, `count()`.
    pub attributes: Vec<(String, SpanValue)>,
}

/// Attributes of a span that the result includes: those that the query uses or selects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SelectedAttributes {
    /// Keys without scope, with values, in the order of the query.
    pub attributes: Vec<(AttributeKey, SpanValue)>,
}

/// Groups of equivalent keys across emit modes; the preferred name comes first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Aliases(pub &'static [&'static [&'static str]]);

impl Aliases {
    /// No aliases.
    pub const NONE: Self = Self(&[]);

    /// The other names of a key.
    pub fn synonyms<'a>(&self, name: &'a str) -> impl Iterator<Item = &'static str> + use<'a> {
        let group = self.0.iter().find(|group| group.contains(&name)).copied().unwrap_or_default();
        group.iter().copied().filter(move |other| *other != name)
    }
}
