//! All spans of a trace, wherever they lie.

use crate::segment::Segment;
use baton_ports::SpanStoreError;
use baton_types::{Span, SpanId, TraceId};
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

/// All spans of a trace, each once, by start time; none when it is not known.
pub(crate) fn trace(segments: &[Arc<dyn Segment>], id: TraceId) -> Result<Vec<Span>, SpanStoreError> {
    let ordinals = segments.iter().map(|segment| segment.ordinal(id)).collect::<Result<Vec<_>, _>>()?;
    Ok(gather(segments, &ordinals)?.0)
}

/// The spans that lie under these ordinals, each once, by start time, and how many bytes were read for them.
///
/// A span that was sent again is the same span. When its sender had more to say, the one that ended last counts.
pub(super) fn gather(
    segments: &[Arc<dyn Segment>],
    ordinals: &[Option<u32>],
) -> Result<(Vec<Span>, u64), SpanStoreError> {
    let mut spans: Vec<Span> = Vec::new();
    let mut known: HashMap<SpanId, usize> = HashMap::new();
    let mut bytes = 0;
    for (segment, ordinal) in segments.iter().zip(ordinals) {
        let Some(ordinal) = ordinal else { continue };
        let (part, read) = segment.spans(*ordinal)?;
        bytes += read;
        for span in part {
            match known.entry(span.id) {
                Entry::Vacant(vacant) => {
                    vacant.insert(spans.len());
                    spans.push(span);
                }
                Entry::Occupied(at) if span.end > spans[*at.get()].end => spans[*at.get()] = span,
                Entry::Occupied(_) => {}
            }
        }
    }
    spans.sort_by_key(|span| (span.start, span.id));
    Ok((spans, bytes))
}
