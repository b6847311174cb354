//! Which traces must be gathered so that each of their spans counts once.

use crate::{
    search::budget::{Budget, Reservation},
    segment::{Segment, Summary},
};
use baton_ports::{SpanStoreError, TimeRange};
use baton_types::TraceId;
use roaring::RoaringBitmap;
use std::sync::Arc;

/// Bytes of working memory that a part of a trace takes: the part, where it is looked up, and where it is kept.
const BYTES_PER_PART: usize = 3 * size_of::<Part>();
/// How many traces are looked at between two looks at the clock.
const BETWEEN_LOOKS: usize = 4_096;

/// Which traces must be gathered: those that have a span twice, perhaps in two segments, and those of segments that do not
/// know their rows.
///
/// The same span begins at the same time wherever it lies, so only segments whose times overlap can both have it.
pub(super) struct Once {
    /// Per segment, the traces whose rows do not count.
    pub(super) apart: Vec<RoaringBitmap>,
    /// The same traces: in which segments they lie, under which ordinals.
    pub(super) traces: Vec<Vec<(u32, u32)>>,
    /// Per segment, how many rows it had; none for one that does not know its rows, or has nothing of that time.
    pub(super) rows: Vec<Option<u32>>,
}

/// A part of a trace: of which one, in which segment, under which ordinal.
type Part = (TraceId, u32, u32);

impl Once {
    /// None when it is late.
    pub(super) fn find(
        segments: &[Arc<dyn Segment>],
        time: TimeRange,
        budget: &Budget,
    ) -> Result<Option<Self>, SpanStoreError> {
        let summaries: Vec<Summary> = segments.iter().map(|segment| segment.summary()).collect();
        let in_time: Vec<bool> = summaries.iter().map(|summary| time.overlaps(summary.start, summary.end)).collect();
        let mut rows = vec![None; segments.len()];
        let mut parts: Vec<Part> = Vec::new();
        let mut room = budget.reserve(0)?;
        let mut repeating = vec![RoaringBitmap::new(); segments.len()];
        for (number, segment) in segments.iter().enumerate().filter(|(number, _)| in_time[*number]) {
            if budget.is_late() {
                return Ok(None);
            }
            segment.table(&mut |table| {
                rows[number] = Some(table.rows());
                repeating[number] = table.repeating();
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
                if looked % BETWEEN_LOOKS == 0 {
                    if budget.is_late() {
                        return Ok(None);
                    }
                    room.grow(BETWEEN_LOOKS * BYTES_PER_PART)?;
                }
                let part = segment.part(ordinal)?;
                if time.overlaps(part.start, part.end) {
                    parts.push((part.id, number as u32, ordinal));
                }
            }
        }
        parts.sort_unstable();
        let mut once = Self { apart: vec![RoaringBitmap::new(); segments.len()], traces: Vec::new(), rows };
        let mut spread = Vec::new();
        for same in parts.chunk_by(|(one, ..), (other, ..)| one == other) {
            let unclear = |(_, segment, ordinal): &Part| {
                once.rows[*segment as usize].is_none() || repeating[*segment as usize].contains(*ordinal)
            };
            if same.iter().any(unclear) {
                once.gather(same);
            } else if same.len() > 1 {
                spread.push(same);
            }
        }
        once.gather_repeating(segments, &spread, &mut room)?;
        Ok((!budget.is_late()).then_some(once))
    }

    fn gather(&mut self, parts: &[Part]) {
        for (_, segment, ordinal) in parts {
            self.apart[*segment as usize].insert(*ordinal);
        }
        self.traces.push(parts.iter().map(|(_, segment, ordinal)| (*segment, *ordinal)).collect());
    }

    /// Of traces that lie in several segments, those in which two spans may be the same.
    fn gather_repeating(
        &mut self,
        segments: &[Arc<dyn Segment>],
        spread: &[&[Part]],
        room: &mut Reservation<'_>,
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
            let wanted: RoaringBitmap = ordinals.iter().map(|(ordinal, _)| *ordinal).collect();
            segment.table(&mut |table| {
                let mut at = 0;
                room.grow(table.rows_of(&wanted).len() as usize * size_of::<u32>())?;
                table.each_mark(&wanted, &mut |ordinal, mark| {
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
                self.gather(parts);
            }
        }
        Ok(())
    }
}
