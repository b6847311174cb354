//! A comparison with a constant, prepared for evaluation on many values.

use super::atom::{
    Atom, AtomKind, MIN_TRUNCATED_LEN, float_bytes, int_bytes, kind_code, may_be_truncated, status_code, truncate_text,
};
use baton_traceql::{CompareOp, Literal, ValuePredicate};
use baton_types::SpanValue;
use parking_lot::Mutex;
use std::{ops::RangeInclusive, sync::Arc};

/// A comparison with a constant.
///
/// It may have false positives, never false negatives: of long text only a prefix is known. Several values are tested
/// one by one: a comparison holds if it holds for at least one of them.
pub(crate) struct IndexPredicate {
    op: CompareOp,
    constant: Literal,
    test: Arc<ValuePredicate>,
}

/// Inclusive range of values; `None` is unbounded.
pub(crate) type ValueRange = (Option<Vec<u8>>, Option<Vec<u8>>);

impl IndexPredicate {
    /// The predicate; `None` if no index can answer it.
    pub(crate) fn new(op: CompareOp, value: &Literal) -> Option<Self> {
        let pattern = matches!(op, CompareOp::Matches | CompareOp::MatchesNot);
        let test = match value {
            Literal::Nil | Literal::Status(_) | Literal::Kind(_) => return None,
            Literal::Text(text) if pattern => compile_pattern(op, text)?,
            _ if pattern => return None,
            _ => Arc::new(ValuePredicate::new(op, value).ok()?),
        };
        Some(Self { op, constant: value.clone(), test })
    }

    /// A comparison with a span kind or status, by its index number.
    pub(crate) fn from_code(op: CompareOp, value: &Literal) -> Option<Self> {
        let code = match value {
            Literal::Status(status) => status_code(*status),
            Literal::Kind(kind) => kind_code(*kind),
            _ => return None,
        };
        if !matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
            return None;
        }
        Self::new(op, &Literal::Int(code))
    }

    /// Whether it is an equality.
    pub(crate) fn is_equality(&self) -> bool {
        self.op == CompareOp::Equal
    }

    /// The text to be equal to.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.constant {
            Literal::Text(text) if self.is_equality() => Some(truncate_text(text)),
            _ => None,
        }
    }

    /// Whether it may hold for a value.
    pub(crate) fn holds(&self, value: Atom<'_>) -> bool {
        match value {
            Atom::Text(text) => match self.text() {
                Some(with) => text == with,
                None => {
                    self.test.holds_text(text) || (may_be_truncated(text) && matches!(self.constant, Literal::Text(_)))
                }
            },
            Atom::Int(number) => self.test.holds(&SpanValue::Int(number)),
            Atom::Float(number) => self.test.holds(&SpanValue::Float(number)),
            Atom::Bool(flag) => self.test.holds(&SpanValue::Bool(flag)),
        }
    }

    /// Whether it holds for every value strictly inside the range of [`Self::within`]. Never for floats: NaN may lie
    /// inside.
    pub(crate) fn is_range(&self, form: AtomKind) -> bool {
        let is_integer = form == AtomKind::Int && matches!(self.constant, Literal::Int(_) | Literal::Duration(_));
        let ops = [CompareOp::Less, CompareOp::LessEqual, CompareOp::Greater, CompareOp::GreaterEqual];
        is_integer && ops.contains(&self.op)
    }

    /// The integers for which it holds, if they form a range.
    pub(crate) fn integer_range(&self) -> Option<RangeInclusive<i64>> {
        let (Literal::Int(with) | Literal::Duration(with)) = self.constant else { return None };
        Some(match self.op {
            CompareOp::Equal => with..=with,
            CompareOp::LessEqual => i64::MIN..=with,
            CompareOp::GreaterEqual => with..=i64::MAX,
            CompareOp::Less => i64::MIN..=with.checked_sub(1)?,
            CompareOp::Greater => with.checked_add(1)?..=i64::MAX,
            CompareOp::NotEqual | CompareOp::Matches | CompareOp::MatchesNot => return None,
        })
    }

    /// Range of values of a type for which it may hold; `None` if it holds for none.
    pub(crate) fn value_range(&self, form: AtomKind) -> Option<ValueRange> {
        let (low, high) = match (form, &self.constant) {
            (AtomKind::Text, Literal::Text(text)) => {
                let bytes = truncate_text(text).as_bytes().to_vec();
                match self.op {
                    CompareOp::Equal => return Some((Some(bytes.clone()), Some(bytes))),
                    // Long texts are truncated at a character boundary, so their prefixes differ in length.
                    CompareOp::Greater | CompareOp::GreaterEqual => {
                        return Some((Some(bytes[..bytes.len().min(MIN_TRUNCATED_LEN)].to_vec()), None));
                    }
                    CompareOp::Less | CompareOp::LessEqual => {
                        return Some((None, (bytes.len() < MIN_TRUNCATED_LEN).then_some(bytes)));
                    }
                    _ => return Some((None, None)),
                }
            }
            (AtomKind::Bool, Literal::Bool(_)) => return Some((None, None)),
            (AtomKind::Int, Literal::Int(with) | Literal::Duration(with)) => (int_bytes(*with), int_bytes(*with)),
            // Large integers are not exact as floats: widen the range on both sides.
            (AtomKind::Int, Literal::Float(with)) => {
                let near = *with as i64;
                (int_bytes(near.saturating_sub(4096)), int_bytes(near.saturating_add(4096)))
            }
            (AtomKind::Float, Literal::Int(with) | Literal::Duration(with)) => float_bounds(*with as f64),
            (AtomKind::Float, Literal::Float(with)) => float_bounds(*with),
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

fn float_bounds(number: f64) -> ([u8; 8], [u8; 8]) {
    if number == 0.0 { (float_bytes(-0.0), float_bytes(0.0)) } else { (float_bytes(number), float_bytes(number)) }
}

static PATTERNS: PatternCache = PatternCache(Mutex::new(Vec::new()));
const MAX_PATTERNS: usize = 16;

type CachedPattern = (CompareOp, String, Arc<ValuePredicate>);

/// Cache of recently compiled patterns: every segment of a search needs the same one.
struct PatternCache(Mutex<Vec<CachedPattern>>);

impl PatternCache {
    /// The pattern from the cache, or compiled without holding the lock.
    fn get(
        &self,
        op: CompareOp,
        pattern: &str,
        compile: impl FnOnce() -> Option<ValuePredicate>,
    ) -> Option<Arc<ValuePredicate>> {
        let known = |cached: &[CachedPattern]| {
            let found = cached.iter().find(|(cached_op, text, _)| *cached_op == op && text == pattern);
            found.map(|(.., test)| Arc::clone(test))
        };
        let found = known(&self.0.lock());
        if found.is_some() {
            return found;
        }
        let test = Arc::new(compile()?);
        let mut cached = self.0.lock();
        // Another thread may have compiled it meanwhile.
        if let Some(test) = known(&cached) {
            return Some(test);
        }
        if cached.len() == MAX_PATTERNS {
            cached.remove(0);
        }
        cached.push((op, pattern.to_owned(), Arc::clone(&test)));
        Some(test)
    }
}

fn compile_pattern(op: CompareOp, pattern: &str) -> Option<Arc<ValuePredicate>> {
    PATTERNS.get(op, pattern, || ValuePredicate::new(op, &Literal::Text(pattern.to_owned())).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_is_compiled_once_without_blocking_the_cache() {
        let patterns = PatternCache(Mutex::new(Vec::new()));
        let compile = |text: &str| ValuePredicate::new(CompareOp::Matches, &Literal::Text(text.to_owned())).ok();
        let ask = |text: &str| {
            patterns.get(CompareOp::Matches, text, || {
                assert!(patterns.0.try_lock().is_some(), "the cache is locked while {text} is compiled");
                compile(text)
            })
        };
        let first = ask("a.*").expect("a pattern");
        assert!(Arc::ptr_eq(&first, &ask("a.*").expect("the same")));
        assert!(ask("(").is_none());
        (0..100).for_each(|number| assert!(ask(&format!("b{number}")).is_some()));
        let kept = patterns.0.lock();
        assert_eq!((kept.len(), kept.last().map(|(_, text, _)| text.as_str())), (MAX_PATTERNS, Some("b99")));
    }
}
