//! Constructors of predicates that drop trivial parts.

use crate::{SpanPredicate, TracePredicate};

pub(super) fn trace_from_span(need: SpanPredicate) -> TracePredicate {
    match need {
        SpanPredicate::Anything => TracePredicate::Anything,
        need => TracePredicate::Span(need),
    }
}

fn is_never(need: &TracePredicate) -> bool {
    *need == TracePredicate::Span(SpanPredicate::Nothing)
}

pub(super) fn all_of_trace(needs: impl IntoIterator<Item = TracePredicate>) -> TracePredicate {
    let mut parts: Vec<TracePredicate> = Vec::new();
    for need in needs {
        match need {
            TracePredicate::Anything => {}
            need if is_never(&need) => return need,
            TracePredicate::All(more) => add(&mut parts, more),
            need => add(&mut parts, vec![need]),
        }
    }
    match parts.len() {
        0 => TracePredicate::Anything,
        1 => parts.remove(0),
        _ => TracePredicate::All(parts),
    }
}

pub(super) fn any_of_trace(needs: impl IntoIterator<Item = TracePredicate>) -> TracePredicate {
    let mut parts: Vec<TracePredicate> = Vec::new();
    for need in needs {
        match need {
            TracePredicate::Anything => return TracePredicate::Anything,
            need if is_never(&need) => {}
            TracePredicate::Any(more) => add(&mut parts, more),
            need => add(&mut parts, vec![need]),
        }
    }
    match parts.len() {
        0 => TracePredicate::Span(SpanPredicate::Nothing),
        1 => parts.remove(0),
        _ => TracePredicate::Any(parts),
    }
}

pub(super) fn all_of_span(needs: impl IntoIterator<Item = SpanPredicate>) -> SpanPredicate {
    let mut parts: Vec<SpanPredicate> = Vec::new();
    for need in needs {
        match need {
            SpanPredicate::Anything => {}
            SpanPredicate::Nothing => return SpanPredicate::Nothing,
            SpanPredicate::All(more) => add(&mut parts, more),
            need => add(&mut parts, vec![need]),
        }
    }
    match parts.len() {
        0 => SpanPredicate::Anything,
        1 => parts.remove(0),
        _ => SpanPredicate::All(parts),
    }
}

pub(super) fn any_of_span(needs: impl IntoIterator<Item = SpanPredicate>) -> SpanPredicate {
    let mut parts: Vec<SpanPredicate> = Vec::new();
    for need in needs {
        match need {
            SpanPredicate::Anything => return SpanPredicate::Anything,
            SpanPredicate::Nothing => {}
            SpanPredicate::Any(more) => add(&mut parts, more),
            need => add(&mut parts, vec![need]),
        }
    }
    match parts.len() {
        0 => SpanPredicate::Nothing,
        1 => parts.remove(0),
        _ => SpanPredicate::Any(parts),
    }
}

/// Appends parts without duplicates. Each pair of parts is compared at most once, however deeply the operators were
/// nested.
fn add<T: PartialEq>(parts: &mut Vec<T>, mut more: Vec<T>) {
    more.retain(|part| !parts.contains(part));
    parts.append(&mut more);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    struct CountingPart<'a>(usize, &'a Cell<usize>);

    impl PartialEq for CountingPart<'_> {
        fn eq(&self, other: &Self) -> bool {
            self.1.set(self.1.get() + 1);
            self.0 == other.0
        }
    }

    /// Chains are built with the result of the inner operator first or last.
    #[test]
    fn each_pair_in_a_long_chain_is_compared_once() {
        let count = Cell::new(0);
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for number in 0..512 {
            let mut parts = Vec::new();
            add(&mut parts, left);
            add(&mut parts, vec![CountingPart(number, &count)]);
            left = parts;
            let mut parts = vec![CountingPart(number, &count)];
            add(&mut parts, right);
            right = parts;
        }
        assert_eq!((left.len(), right.len()), (512, 512));
        assert_eq!(count.get(), 512 * 511);
        add(&mut left, vec![CountingPart(3, &count), CountingPart(600, &count)]);
        assert_eq!(left.last().map(|part| part.0), Some(600));
        assert_eq!(left.len(), 513);
    }
}
