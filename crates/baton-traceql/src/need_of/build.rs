//! Constructors of predicates that drop trivial parts.

use crate::{SpanNeed, TraceNeed};

pub(super) fn of_span(need: SpanNeed) -> TraceNeed {
    match need {
        SpanNeed::Anything => TraceNeed::Anything,
        need => TraceNeed::Span(need),
    }
}

fn never(need: &TraceNeed) -> bool {
    *need == TraceNeed::Span(SpanNeed::Nothing)
}

pub(super) fn all_of_trace(needs: impl IntoIterator<Item = TraceNeed>) -> TraceNeed {
    let mut parts: Vec<TraceNeed> = Vec::new();
    for need in needs {
        match need {
            TraceNeed::Anything => {}
            need if never(&need) => return need,
            TraceNeed::All(more) => add(&mut parts, more),
            need => add(&mut parts, vec![need]),
        }
    }
    match parts.len() {
        0 => TraceNeed::Anything,
        1 => parts.remove(0),
        _ => TraceNeed::All(parts),
    }
}

pub(super) fn any_of_trace(needs: impl IntoIterator<Item = TraceNeed>) -> TraceNeed {
    let mut parts: Vec<TraceNeed> = Vec::new();
    for need in needs {
        match need {
            TraceNeed::Anything => return TraceNeed::Anything,
            need if never(&need) => {}
            TraceNeed::Any(more) => add(&mut parts, more),
            need => add(&mut parts, vec![need]),
        }
    }
    match parts.len() {
        0 => TraceNeed::Span(SpanNeed::Nothing),
        1 => parts.remove(0),
        _ => TraceNeed::Any(parts),
    }
}

pub(super) fn all_of_span(needs: impl IntoIterator<Item = SpanNeed>) -> SpanNeed {
    let mut parts: Vec<SpanNeed> = Vec::new();
    for need in needs {
        match need {
            SpanNeed::Anything => {}
            SpanNeed::Nothing => return SpanNeed::Nothing,
            SpanNeed::All(more) => add(&mut parts, more),
            need => add(&mut parts, vec![need]),
        }
    }
    match parts.len() {
        0 => SpanNeed::Anything,
        1 => parts.remove(0),
        _ => SpanNeed::All(parts),
    }
}

pub(super) fn any_of_span(needs: impl IntoIterator<Item = SpanNeed>) -> SpanNeed {
    let mut parts: Vec<SpanNeed> = Vec::new();
    for need in needs {
        match need {
            SpanNeed::Anything => return SpanNeed::Anything,
            SpanNeed::Nothing => {}
            SpanNeed::Any(more) => add(&mut parts, more),
            need => add(&mut parts, vec![need]),
        }
    }
    match parts.len() {
        0 => SpanNeed::Nothing,
        1 => parts.remove(0),
        _ => SpanNeed::Any(parts),
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

    struct Counted<'a>(usize, &'a Cell<usize>);

    impl PartialEq for Counted<'_> {
        fn eq(&self, other: &Self) -> bool {
            self.1.set(self.1.get() + 1);
            self.0 == other.0
        }
    }

    /// Chains are built with the result of the inner operator first or last.
    #[test]
    fn long_chains_compare_every_two_parts_once() {
        let count = Cell::new(0);
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for number in 0..512 {
            let mut parts = Vec::new();
            add(&mut parts, left);
            add(&mut parts, vec![Counted(number, &count)]);
            left = parts;
            let mut parts = vec![Counted(number, &count)];
            add(&mut parts, right);
            right = parts;
        }
        assert_eq!((left.len(), right.len()), (512, 512));
        assert_eq!(count.get(), 512 * 511);
        add(&mut left, vec![Counted(3, &count), Counted(600, &count)]);
        assert_eq!(left.last().map(|part| part.0), Some(600));
        assert_eq!(left.len(), 513);
    }
}
