//! Needs put together, without parts that say nothing.

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
            TraceNeed::All(more) => more.into_iter().for_each(|need| add(&mut parts, need)),
            need => add(&mut parts, need),
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
            TraceNeed::Any(more) => more.into_iter().for_each(|need| add(&mut parts, need)),
            need => add(&mut parts, need),
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
            SpanNeed::All(more) => more.into_iter().for_each(|need| add(&mut parts, need)),
            need => add(&mut parts, need),
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
            SpanNeed::Any(more) => more.into_iter().for_each(|need| add(&mut parts, need)),
            need => add(&mut parts, need),
        }
    }
    match parts.len() {
        0 => SpanNeed::Nothing,
        1 => parts.remove(0),
        _ => SpanNeed::Any(parts),
    }
}

fn add<T: PartialEq>(parts: &mut Vec<T>, part: T) {
    if !parts.contains(&part) {
        parts.push(part);
    }
}
