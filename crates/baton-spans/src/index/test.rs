//! A comparison with a constant, made ready to be asked of many values.

use super::atom::{Atom, Form, MIN_CUT, cut, float_bytes, int_bytes, is_cut, kind_code, status_code};
use baton_traceql::{CompareOp, Literal};
use parking_lot::Mutex;
use regex::Regex;
use std::cmp::Ordering;

/// A comparison with a constant.
///
/// It may hold where the comparison does not, never the other way round: of long text only the beginning is known.
pub(crate) struct Test {
    op: CompareOp,
    with: With,
}

enum With {
    Text(String),
    Pattern(Regex),
    Int(i64),
    Float(f64),
    Bool(bool),
}

/// Values from the first to the last, both included; open where there is none.
pub(crate) type Stretch = (Option<Vec<u8>>, Option<Vec<u8>>);

impl Test {
    /// The comparison; none when no index can answer it.
    pub(crate) fn new(op: CompareOp, value: &Literal) -> Option<Self> {
        let pattern = matches!(op, CompareOp::Matches | CompareOp::MatchesNot);
        let with = match value {
            Literal::Text(text) if pattern => With::Pattern(anchored(text)?),
            _ if pattern => return None,
            Literal::Text(text) => With::Text(text.clone()),
            Literal::Int(number) | Literal::Duration(number) => With::Int(*number),
            Literal::Float(number) => With::Float(*number),
            Literal::Bool(flag) => With::Bool(*flag),
            Literal::Nil | Literal::Status(_) | Literal::Kind(_) => return None,
        };
        Some(Self { op, with })
    }

    /// A comparison of a span's kind or status.
    pub(crate) fn code(op: CompareOp, value: &Literal) -> Option<Self> {
        let code = match value {
            Literal::Status(status) => status_code(*status),
            Literal::Kind(kind) => kind_code(*kind),
            _ => return None,
        };
        matches!(op, CompareOp::Equal | CompareOp::NotEqual).then_some(Self { op, with: With::Int(code) })
    }

    /// Whether it says what a value must not be.
    pub(crate) fn is_negative(&self) -> bool {
        matches!(self.op, CompareOp::NotEqual | CompareOp::MatchesNot)
    }

    /// Whether it says exactly what a value must be.
    pub(crate) fn is_equality(&self) -> bool {
        self.op == CompareOp::Equal
    }

    /// The text that a value must be.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.with {
            With::Text(text) if self.is_equality() => Some(cut(text)),
            _ => None,
        }
    }

    /// Whether it may hold for a value.
    pub(crate) fn holds(&self, value: Atom<'_>) -> bool {
        match (value, &self.with) {
            (Atom::Text(text), With::Text(with)) if self.op == CompareOp::Equal => text == cut(with),
            (Atom::Text(text), With::Text(_) | With::Pattern(_)) if is_cut(text) => true,
            (Atom::Text(text), With::Text(with)) => self.ordered(Some(text.cmp(with.as_str()))),
            (Atom::Text(text), With::Pattern(pattern)) => pattern.is_match(text) == (self.op == CompareOp::Matches),
            (Atom::Int(number), With::Int(with)) => self.ordered(Some(number.cmp(with))),
            (Atom::Int(number), With::Float(with)) => self.ordered((number as f64).partial_cmp(with)),
            (Atom::Float(number), With::Int(with)) => self.ordered(number.partial_cmp(&(*with as f64))),
            (Atom::Float(number), With::Float(with)) => self.ordered(number.partial_cmp(with)),
            (Atom::Bool(flag), With::Bool(with)) => self.ordered(Some(flag.cmp(with))),
            _ => false,
        }
    }

    fn ordered(&self, ordering: Option<Ordering>) -> bool {
        match self.op {
            CompareOp::Equal => ordering == Some(Ordering::Equal),
            CompareOp::NotEqual => ordering != Some(Ordering::Equal),
            CompareOp::Less => ordering == Some(Ordering::Less),
            CompareOp::LessEqual => ordering.is_some_and(Ordering::is_le),
            CompareOp::Greater => ordering == Some(Ordering::Greater),
            CompareOp::GreaterEqual => ordering.is_some_and(Ordering::is_ge),
            CompareOp::Matches | CompareOp::MatchesNot => false,
        }
    }

    /// Between which values of a form it may hold; none when it cannot hold for any.
    pub(crate) fn within(&self, form: Form) -> Option<Stretch> {
        let (low, high) = match (form, &self.with) {
            (Form::Text, With::Text(text)) => {
                let bytes = cut(text).as_bytes().to_vec();
                match self.op {
                    CompareOp::Equal => return Some((Some(bytes.clone()), Some(bytes))),
                    // Long texts are cut where a character begins, so not all at the same length.
                    CompareOp::Greater | CompareOp::GreaterEqual => {
                        return Some((Some(bytes[..bytes.len().min(MIN_CUT)].to_vec()), None));
                    }
                    CompareOp::Less | CompareOp::LessEqual => {
                        return Some((None, (bytes.len() < MIN_CUT).then_some(bytes)));
                    }
                    _ => return Some((None, None)),
                }
            }
            (Form::Text, With::Pattern(_)) | (Form::Bool, With::Bool(_)) => return Some((None, None)),
            (Form::Int, With::Int(with)) => (int_bytes(*with), int_bytes(*with)),
            // Great whole numbers are not all there among floats: look a little further on both sides.
            (Form::Int, With::Float(with)) => {
                let near = *with as i64;
                (int_bytes(near.saturating_sub(4096)), int_bytes(near.saturating_add(4096)))
            }
            (Form::Float, With::Int(with)) => float_span(*with as f64),
            (Form::Float, With::Float(with)) => float_span(*with),
            _ => return None,
        };
        let (low, high) = (Some(low.to_vec()), Some(high.to_vec()));
        Some(match self.op {
            CompareOp::Equal => (low, high),
            CompareOp::Less | CompareOp::LessEqual => (None, high),
            CompareOp::Greater | CompareOp::GreaterEqual => (low, None),
            _ => (None, None),
        })
    }
}

fn float_span(number: f64) -> ([u8; 8], [u8; 8]) {
    if number == 0.0 { (float_bytes(-0.0), float_bytes(0.0)) } else { (float_bytes(number), float_bytes(number)) }
}

/// Patterns that were compiled last: every segment of a search asks for the same.
static PATTERNS: Mutex<Vec<(String, Regex)>> = Mutex::new(Vec::new());
const MAX_PATTERNS: usize = 16;

fn anchored(pattern: &str) -> Option<Regex> {
    let mut kept = PATTERNS.lock();
    if let Some((_, regex)) = kept.iter().find(|(text, _)| text == pattern) {
        return Some(regex.clone());
    }
    let regex = Regex::new(&format!("^(?:{pattern})$")).ok()?;
    if kept.len() == MAX_PATTERNS {
        kept.remove(0);
    }
    kept.push((pattern.to_owned(), regex.clone()));
    Some(regex)
}
