//! Values of a field.

use super::{budget::QueryBudget, trace_selection::TraceSelection};
use crate::{codec, segment::Segment};
use baton_span_ports::{SpanStoreError, TagsRequest};
use baton_traceql::Field;
use baton_types::SpanValue;
use std::{
    cmp::{Ordering, Reverse},
    sync::Arc,
};

/// Minimum number of values requested from each segment, because a value that is rare in each may be frequent overall.
const MIN_VALUES_PER_SEGMENT: usize = 1_000;
/// Between segments, this multiple of the values of one segment is kept: the most frequent ones.
const RETAINED_FACTOR: usize = 8;

/// The distinct values of a field, most frequent first, up to the requested limit; those found within the budget.
pub(crate) fn tag_values(
    segments: &[Arc<dyn Segment>],
    field: &Field,
    ask: &TagsRequest,
    budget: &QueryBudget,
) -> Result<Vec<SpanValue>, SpanStoreError> {
    let limit = ask.limit.max(MIN_VALUES_PER_SEGMENT);
    let mut counted: Vec<(SpanValue, u64)> = Vec::new();
    for (segment, among) in segments.iter().zip(TraceSelection::per_segment(segments, ask, budget)?) {
        if budget.is_expired() {
            break;
        }
        match among {
            TraceSelection::Nothing => continue,
            TraceSelection::Everything => counted.extend(segment.values(field, None, limit)?),
            TraceSelection::Traces(traces) => counted.extend(segment.values(field, Some(&traces), limit)?),
        }
        counted.sort_by(|(left, _), (right, _)| compare(left, right));
        counted.dedup_by(|(value, count), (previous, sum)| {
            let same = compare(value, previous).is_eq();
            if same {
                *sum += *count;
            }
            same
        });
        if counted.len() > limit.saturating_mul(RETAINED_FACTOR) {
            counted.sort_by_key(|(_, count)| Reverse(*count));
            counted.truncate(limit.saturating_mul(RETAINED_FACTOR));
        }
        let bytes: usize =
            counted.iter().map(|(value, _)| size_of::<(SpanValue, u64)>() + codec::heap_weight(value)).sum();
        if bytes > budget.result_bytes {
            break;
        }
    }
    counted.sort_by(|(left, more), (right, fewer)| fewer.cmp(more).then_with(|| compare(left, right)));
    counted.truncate(ask.limit);
    Ok(counted.into_iter().map(|(value, _)| value).collect())
}

/// Orders values of one type by value, and types in a fixed order.
fn compare(left: &SpanValue, right: &SpanValue) -> Ordering {
    match (left, right) {
        (SpanValue::Text(left), SpanValue::Text(right)) => left.cmp(right),
        (SpanValue::Bool(left), SpanValue::Bool(right)) => left.cmp(right),
        (SpanValue::Int(left), SpanValue::Int(right)) => left.cmp(right),
        (SpanValue::Float(left), SpanValue::Float(right)) => left.total_cmp(right),
        (SpanValue::Bytes(left), SpanValue::Bytes(right)) => left.cmp(right),
        (SpanValue::List(left), SpanValue::List(right)) => {
            let unequal = left.iter().zip(right).map(|(left, right)| compare(left, right)).find(|order| order.is_ne());
            unequal.unwrap_or_else(|| left.len().cmp(&right.len()))
        }
        (SpanValue::Map(left), SpanValue::Map(right)) => {
            let unequal = left.iter().zip(right).map(|((left_key, left), (right_key, right))| {
                left_key.cmp(right_key).then_with(|| compare(left, right))
            });
            unequal.into_iter().find(|order| order.is_ne()).unwrap_or_else(|| left.len().cmp(&right.len()))
        }
        _ => rank(left).cmp(&rank(right)),
    }
}

fn rank(value: &SpanValue) -> u8 {
    match value {
        SpanValue::Text(_) => 0,
        SpanValue::Int(_) => 1,
        SpanValue::Float(_) => 2,
        SpanValue::Bool(_) => 3,
        SpanValue::List(_) => 4,
        SpanValue::Map(_) => 5,
        SpanValue::Bytes(_) => 6,
        SpanValue::Empty => 7,
    }
}
