//! Random spans over few names and values, with every type and shape.

use super::dice::Dice;
use baton_types::{
    AttributeKey, Attributes, Span, SpanDropCounts, SpanEvent, SpanId, SpanKind, SpanLink, SpanResource, SpanScope,
    SpanStatus, SpanValue, TraceId,
};
use std::sync::Arc;

pub(crate) const KEYS: &[&str] = &["a", "a", "a", "b", "b", "x.y", "service.name"];
pub(crate) const TEXTS: &[&str] = &["a", "b", "ab", "", "é"];
pub(crate) const NAMES: &[&str] = &["a", "b", "ab", "insight.b"];
pub(crate) const KINDS: &[SpanKind] = &[
    SpanKind::Internal,
    SpanKind::Server,
    SpanKind::Client,
    SpanKind::Producer,
    SpanKind::Consumer,
    SpanKind::Unspecified,
];
pub(crate) const STATUSES: &[SpanStatus] = &[SpanStatus::Unset, SpanStatus::Ok, SpanStatus::Error];
/// Integers that are not exact as floats.
pub(crate) const HUGE: &[i64] = &[i64::MAX, i64::MIN, (1 << 53) + 1, i64::MAX - 1];
pub(crate) const STRANGE: &[f64] =
    &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 9_007_199_254_740_992.0, 9_223_372_036_854_775_808.0];
/// Start of the time range of all spans.
pub(crate) const BASE: u64 = 1_700_000_000_000_000_000;
/// Unit of time between events.
pub(crate) const TICK: u64 = 1_000_000;

/// Spans of a few traces, including duplicates.
pub(crate) fn spans(dice: &mut Dice<'_>) -> Vec<Span> {
    let traces = 1 + dice.below(4);
    let count = 1 + dice.below(20);
    let mut spans: Vec<Span> = Vec::new();
    for number in 0..count {
        if number > 0 && dice.one_in(12) {
            let again = dice.below(spans.len());
            spans.push(spans[again].clone());
            continue;
        }
        let trace = dice.below(traces);
        let parent = match dice.below(8) {
            0 => None,
            7 => Some(0xee),
            6 => Some(1 + dice.below(count)),
            _ => spans.iter().rev().find(|span| span.trace == trace_id(trace)).map(|span| usize::from(span.id.0[7])),
        };
        spans.push(span(dice, trace, number, parent.filter(|parent| *parent != number + 1)));
    }
    spans
}

pub(crate) fn trace_id(number: usize) -> TraceId {
    let mut id = [0; 16];
    id[0] = (number as u8 + 1) * 0x11;
    id[15] = 7;
    TraceId(id)
}

pub(crate) fn span_id(number: usize) -> SpanId {
    SpanId([1, 0, 0, 0, 0, 0, 0, number as u8])
}

fn span(dice: &mut Dice<'_>, trace: usize, number: usize, parent: Option<usize>) -> Span {
    let start = BASE + dice.below(20) as u64 * TICK;
    let end = match dice.below(16) {
        // Clocks may run backwards.
        15 => start - TICK,
        ticks => start + (ticks % 5) as u64 * TICK,
    };
    Span {
        trace: trace_id(trace),
        id: span_id(number + 1),
        parent: parent.map(span_id),
        trace_state: String::new(),
        flags: 1,
        name: AttributeKey::Borrowed(dice.of(NAMES)),
        kind: dice.of(KINDS),
        start,
        end,
        attributes: attributes(dice, 5),
        events: (0..dice.below(3)).map(|_| event(dice, start)).collect(),
        links: (0..dice.below(2)).map(|_| link(dice)).collect(),
        status: dice.of(STATUSES),
        status_message: dice.of(&["", "a", "b"]).to_owned(),
        dropped: SpanDropCounts::default(),
        resource: Arc::new(resource(dice)),
        scope: Arc::new(scope(dice)),
    }
}

fn resource(dice: &mut Dice<'_>) -> SpanResource {
    let mut attributes = attributes(dice, 2);
    attributes.retain(|(key, _)| key != "service.name");
    let service = dice.below(4);
    if service > 0 {
        attributes.push(("service.name".into(), ["a", "b", "ab"][service - 1].into()));
    }
    SpanResource { attributes, ..SpanResource::default() }
}

fn scope(dice: &mut Dice<'_>) -> SpanScope {
    SpanScope {
        name: dice.of(&["", "a", "b"]).to_owned(),
        version: dice.of(&["", "a", "b"]).to_owned(),
        attributes: attributes(dice, 2),
        ..SpanScope::default()
    }
}

fn event(dice: &mut Dice<'_>, start: u64) -> SpanEvent {
    SpanEvent {
        at: start + dice.below(3) as u64 * TICK,
        name: AttributeKey::Borrowed(dice.of(NAMES)),
        attributes: attributes(dice, 3),
        dropped_attributes: 0,
    }
}

fn link(dice: &mut Dice<'_>) -> SpanLink {
    SpanLink {
        trace: trace_id(dice.below(4)),
        span: span_id(1 + dice.below(4)),
        trace_state: String::new(),
        attributes: attributes(dice, 3),
        dropped_attributes: 0,
        flags: 0,
    }
}

fn attributes(dice: &mut Dice<'_>, below: usize) -> Attributes {
    let mut attributes: Attributes = Vec::new();
    for _ in 0..dice.below(below) {
        let key = dice.of(KEYS);
        let value = value(dice);
        if attributes.iter().all(|(known, _)| known != key) {
            attributes.push((key.into(), value));
        }
    }
    attributes
}

fn value(dice: &mut Dice<'_>) -> SpanValue {
    match dice.below(16) {
        12 => SpanValue::List((0..dice.below(4)).map(|_| dice.of(TEXTS).into()).collect()),
        13 => SpanValue::List((0..dice.below(4)).map(|_| SpanValue::Int(dice.below(4) as i64)).collect()),
        14 => SpanValue::List((0..dice.below(4)).map(|_| plain(dice)).collect()),
        15 => match dice.below(3) {
            0 => SpanValue::Map(vec![("a".into(), plain(dice))]),
            1 => SpanValue::Bytes(vec![dice.below(3) as u8]),
            _ => SpanValue::Empty,
        },
        _ => plain(dice),
    }
}

fn plain(dice: &mut Dice<'_>) -> SpanValue {
    match dice.below(4) {
        0 => dice.of(TEXTS).into(),
        1 => SpanValue::Int(match dice.below(16) {
            15 => dice.of(HUGE),
            small => (small % 5) as i64 - 1,
        }),
        2 => SpanValue::Float(match dice.below(16) {
            15 => dice.of(STRANGE),
            small => (small % 5) as f64 / 2.0,
        }),
        _ => SpanValue::Bool(dice.one_in(2)),
    }
}
