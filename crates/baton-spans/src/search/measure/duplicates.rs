//! Finds the traces that must be read as a whole to count each span once.

use crate::{
    search::budget::{MemoryReservation, QueryBudget},
    segment::{Segment, SegmentSummary},
};
use baton_span_ports::{SpanStoreError, TimeRange};
use baton_types::TraceId;
use roaring::RoaringBitmap;
use std::sync::Arc;

/// Working memory per part of a trace, in bytes: the part, its lookup entry and its stored form.
const BYTES_PER_PART: usize = 3 * size_of::<TracePartKey>();
/// Number of traces between two deadline checks.
const DEADLINE_CHECK_INTERVAL: usize = 4_096;

/// Traces that are read as a whole.
pub(super) struct WholeTraces {
    /// Per segment, the traces whose rows are not counted.
    pub(super) excluded: Vec<RoaringBitmap>,
    /// The same traces, as pairs of segment number and ordinal.
    pub(super) traces: Vec<Vec<(u32, u32)>>,
}

impl WholeTraces {
    pub(super) fn new(segments: usize) -> Self {
        Self { excluded: vec![RoaringBitmap::new(); segments], traces: Vec::new() }
    }

    /// Adds a trace, unless it is known.
    pub(super) fn add(&mut self, parts: impl Iterator<Item = (u32, u32)> + Clone) {
        let known = parts.clone().any(|(segment, ordinal)| self.excluded[segment as usize].contains(ordinal));
        for (segment, ordinal) in parts.clone() {
            self.excluded[segment as usize].insert(ordinal);
        }
        if !known {
            self.traces.push(parts.collect());
        }
    }
}

/// Traces that must be read as a whole to count single spans: those that may contain a span twice, in one or several
/// segments, and those of segments without row-level data.
///
/// A span has the same start time in all segments, so only segments whose time ranges overlap can share it.
pub(super) struct DuplicateTraces {
    pub(super) whole: WholeTraces,
    /// Per segment, its number of rows; `None` without row-level data or outside the time range.
    pub(super) rows: Vec<Option<u32>>,
}

/// A part of a trace: trace id, segment number, ordinal.
type TracePartKey = (TraceId, u32, u32);

impl DuplicateTraces {
    /// `None` if the deadline has passed.
    pub(super) fn find(
        segments: &[Arc<dyn Segment>],
        time: TimeRange,
        budget: &QueryBudget,
    ) -> Result<Option<Self>, SpanStoreError> {
        let summaries: Vec<SegmentSummary> = segments.iter().map(|segment| segment.summary()).collect();
        let in_time: Vec<bool> = summaries.iter().map(|summary| time.overlaps(summary.start, summary.end)).collect();
        let mut rows = vec![None; segments.len()];
        let mut parts: Vec<TracePartKey> = Vec::new();
        let mut room = budget.reserve(0)?;
        let mut repeating = vec![RoaringBitmap::new(); segments.len()];
        for (number, segment) in segments.iter().enumerate().filter(|(number, _)| in_time[*number]) {
            if budget.is_expired() {
                return Ok(None);
            }
            segment.table(&mut |table| {
                rows[number] = Some(table.rows());
                repeating[number] = table.traces_with_duplicates();
                Ok(())
            })?;
            let mut looked_at = repeating[number].clone();
            if rows[number].is_none() {
                looked_at.insert_range(segment.window(time)?);
            }
            for (other, summary) in summaries.iter().enumerate().filter(|(other, _)| in_time[*other]) {
                let (start, end) = (summary.start.max(time.start), summary.end.min(time.end));
                if other != number && start <= end {
                    looked_at.insert_range(segment.window(TimeRange { start, end })?);
                }
            }
            for (looked, ordinal) in looked_at.iter().enumerate() {
                if looked % DEADLINE_CHECK_INTERVAL == 0 {
                    if budget.is_expired() {
                        return Ok(None);
                    }
                    room.grow(DEADLINE_CHECK_INTERVAL * BYTES_PER_PART)?;
                }
                let part = segment.part(ordinal)?;
                if time.overlaps(part.start, part.end) {
                    parts.push((part.id, number as u32, ordinal));
                }
            }
        }
        parts.sort_unstable();
        let mut once = Self { whole: WholeTraces::new(segments.len()), rows };
        let mut spread = Vec::new();
        for same in parts.chunk_by(|(one, ..), (other, ..)| one == other) {
            let unclear = |(_, segment, ordinal): &TracePartKey| {
                once.rows[*segment as usize].is_none() || repeating[*segment as usize].contains(*ordinal)
            };
            if same.iter().any(unclear) {
                once.add_trace(same);
            } else if same.len() > 1 {
                spread.push(same);
            }
        }
        once.add_duplicates(segments, &spread, &mut room)?;
        Ok((!budget.is_expired()).then_some(once))
    }

    fn add_trace(&mut self, parts: &[TracePartKey]) {
        self.whole.add(parts.iter().map(|(_, segment, ordinal)| (*segment, *ordinal)));
    }

    /// Of traces in several segments, adds those in which two spans may be the same.
    fn add_duplicates(
        &mut self,
        segments: &[Arc<dyn Segment>],
        spread: &[&[TracePartKey]],
        room: &mut MemoryReservation<'_>,
    ) -> Result<(), SpanStoreError> {
        let mut of_segment: Vec<Vec<(u32, u32)>> = vec![Vec::new(); segments.len()];
        for (trace, parts) in spread.iter().enumerate() {
            for (_, segment, ordinal) in *parts {
                of_segment[*segment as usize].push((*ordinal, trace as u32));
            }
        }
        let mut marks: Vec<Vec<u32>> = vec![Vec::new(); spread.len()];
        for (segment, mut ordinals) in segments.iter().zip(of_segment).filter(|(_, ordinals)| !ordinals.is_empty()) {
            ordinals.sort_unstable();
            let selected: RoaringBitmap = ordinals.iter().map(|(ordinal, _)| *ordinal).collect();
            segment.table(&mut |table| {
                let mut at = 0;
                room.grow(table.rows_of(&selected).len() as usize * size_of::<u32>())?;
                table.each_id_hash(&selected, &mut |ordinal, mark| {
                    while ordinals.get(at).is_some_and(|(known, _)| *known < ordinal) {
                        at += 1;
                    }
                    if let Some((_, trace)) = ordinals.get(at) {
                        marks[*trace as usize].push(mark);
                    }
                })
            })?;
        }
        for (parts, mut marks) in spread.iter().zip(marks) {
            marks.sort_unstable();
            if marks.windows(2).any(|two| two[0] == two[1]) {
                self.add_trace(parts);
            }
        }
        Ok(())
    }
}
