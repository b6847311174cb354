//! Which values a field has.

use super::{among::Among, budget::Budget};
use crate::{codec, segment::Segment};
use baton_ports::{SpanStoreError, TagsAsk};
use baton_traceql::Field;
use baton_types::Value;
use std::{
    cmp::{Ordering, Reverse},
    sync::Arc,
};

/// Each segment is asked for at least this many values, so that one that is rare in each may be frequent in all.
const AT_LEAST: usize = 1_000;
/// Between segments, this many times the values of one segment are kept: the most frequent ones.
const KEPT_FACTOR: usize = 8;

/// The values of a field, each once, most frequent first, at most as many as are asked for; those that were found in time.
pub(crate) fn tag_values(
    segments: &[Arc<dyn Segment>],
    field: &Field,
    ask: &TagsAsk,
    budget: &Budget,
) -> Result<Vec<Value>, SpanStoreError> {
    let most = ask.limit.max(AT_LEAST);
    let mut counted: Vec<(Value, u64)> = Vec::new();
    for (segment, among) in segments.iter().zip(Among::each(segments, ask, budget)?) {
        if budget.is_late() {
            break;
        }
        match among {
            Among::Nothing => continue,
            Among::Everything => counted.extend(segment.values(field, None, most)?),
            Among::Traces(traces) => counted.extend(segment.values(field, Some(&traces), most)?),
        }
        counted.sort_by(|(left, _), (right, _)| compare(left, right));
        counted.dedup_by(|(value, count), (kept, sum)| {
            let same = compare(value, kept).is_eq();
            if same {
                *sum += *count;
            }
            same
        });
        if counted.len() > most.saturating_mul(KEPT_FACTOR) {
            counted.sort_by_key(|(_, count)| Reverse(*count));
            counted.truncate(most.saturating_mul(KEPT_FACTOR));
        }
        let bytes: usize = counted.iter().map(|(value, _)| size_of::<(Value, u64)>() + codec::beyond(value)).sum();
        if bytes > budget.told {
            break;
        }
    }
    counted.sort_by(|(left, more), (right, fewer)| fewer.cmp(more).then_with(|| compare(left, right)));
    counted.truncate(ask.limit);
    Ok(counted.into_iter().map(|(value, _)| value).collect())
}

/// Values of one type by what they are, and types in a fixed order.
fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Text(left), Value::Text(right)) => left.cmp(right),
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Int(left), Value::Int(right)) => left.cmp(right),
        (Value::Float(left), Value::Float(right)) => left.total_cmp(right),
        (Value::Bytes(left), Value::Bytes(right)) => left.cmp(right),
        (Value::List(left), Value::List(right)) => {
            let unequal = left.iter().zip(right).map(|(left, right)| compare(left, right)).find(|order| order.is_ne());
            unequal.unwrap_or_else(|| left.len().cmp(&right.len()))
        }
        (Value::Map(left), Value::Map(right)) => {
            let unequal = left.iter().zip(right).map(|((left_key, left), (right_key, right))| {
                left_key.cmp(right_key).then_with(|| compare(left, right))
            });
            unequal.into_iter().find(|order| order.is_ne()).unwrap_or_else(|| left.len().cmp(&right.len()))
        }
        _ => rank(left).cmp(&rank(right)),
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Text(_) => 0,
        Value::Int(_) => 1,
        Value::Float(_) => 2,
        Value::Bool(_) => 3,
        Value::List(_) => 4,
        Value::Map(_) => 5,
        Value::Bytes(_) => 6,
        Value::Empty => 7,
    }
}
